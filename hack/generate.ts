// Runs every generator; with --check writes nothing and fails when a generated file is stale.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Suppresses the warning of Node.js that it runs TypeScript. */
const QUIET = ['--disable-warning=ExperimentalWarning'];

const folder = join(import.meta.dirname, 'generate');
const generators = readdirSync(folder)
  .filter((name) => /^generate-.+\.ts$/.test(name) && !name.endsWith('.test.ts'))
  .sort();
if (generators.length === 0) throw new Error(`no generators in ${folder}`);
for (const generator of generators) {
  const { status } = spawnSync(process.execPath, [...QUIET, join(folder, generator), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  if (status !== 0) {
    console.error(`${generator} failed: run \`make generate\` and commit what it writes`);
    process.exitCode = 1;
  }
}
