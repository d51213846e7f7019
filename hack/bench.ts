// Runs the benchmarks in test/bench, all or those named: `make bench BENCH=rightsizing`.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'test', 'bench');
const known = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.bench.ts'))
  .map((entry) => entry.name.replace(/\.bench\.ts$/, ''))
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark named ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  process.exit(2);
}
// The size is that of `npm run evenkeel`.
const flags = ['--max-semi-space-size=32', '--disable-warning=ExperimentalWarning'];
for (const name of wanted.length > 0 ? wanted : known) {
  const { status } = spawnSync(process.execPath, [...flags, join(folder, `${name}.bench.ts`)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
