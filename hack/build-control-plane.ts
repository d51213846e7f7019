// Builds every binary of the control plane that is missing, so that no test waits for a compiler.
import { BINARY_NAMES, buildBinaries } from './real-cluster/binaries.ts';

try {
  await buildBinaries(BINARY_NAMES, (line) => console.error(`control plane: ${line}`));
} catch (err) {
  console.error(`control plane: ${err instanceof Error ? err.message : String(err)}`);
  process.exitCode = 1;
}
