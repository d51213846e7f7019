// dist/ is what the image ships, and the embedded cluster is no part of it.

import { execFile } from 'node:child_process';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** Sources that a project is compiled from, as paths from the root; those of packages come as declarations. */
async function compiledFiles(project: string): Promise<readonly string[]> {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const { stdout } = await run(tsc, ['-p', project, '--listFilesOnly'], { cwd: ROOT, maxBuffer: 1 << 26 });
  return stdout.split('\n').map((file) => relative(ROOT, file));
}

test('no file of the embedded cluster or the demo is compiled to dist/', async () => {
  const files = [...(await compiledFiles('tsconfig.build.json')), ...(await compiledFiles('packages/kube/tsconfig.build.json'))];
  expect(files).toContain('src/cmd/evenkeel-controller.ts');
  expect(files.filter((file) => /^(packages\/embedded-cluster|dist-embedded-cluster|src\/demo)\//.test(file))).toEqual([]);
});
