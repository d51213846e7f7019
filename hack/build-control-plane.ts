// Builds every missing binary of the control plane, so that no test waits for a compiler. Appends the name of each built binary to the file
// EVENKEEL_BUILT_FILE.
import { appendFileSync } from 'node:fs';
import { BINARY_NAMES, type BinaryName, buildBinaries } from './real-cluster/binaries.ts';

const builtFile = process.env['EVENKEEL_BUILT_FILE'];

function recordBuilt(name: BinaryName): void {
  if (builtFile !== undefined) appendFileSync(builtFile, `${name}\n`);
}

try {
  await buildBinaries(BINARY_NAMES, (line) => console.error(`control plane: ${line}`), undefined, recordBuilt);
} catch (err) {
  console.error(`control plane: ${err instanceof Error ? err.message : String(err)}`);
  process.exitCode = 1;
}
