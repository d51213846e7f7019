// Runs the benchmarks of test/bench, all or the named ones: `make bench BENCH=rightsizing`.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'test', 'bench');
const benchmarks = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.bench.ts'))
  .map((entry) => entry.name.replace(/\.bench\.ts$/, ''))
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !benchmarks.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark named ${unknown.join(', ')}; there are: ${benchmarks.join(', ')}`);
  process.exit(2);
}
// The same semi-space size as `npm run evenkeel`.
const flags = ['--max-semi-space-size=32', '--disable-warning=ExperimentalWarning'];
for (const name of wanted.length > 0 ? wanted : benchmarks) {
  const { status } = spawnSync(process.execPath, [...flags, join(folder, `${name}.bench.ts`)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
