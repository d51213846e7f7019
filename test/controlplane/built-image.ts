// What the container image holds, built for the tests that run its programs: compiled sources, package, CRDs.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../e2e/processes.ts';

const BUILD_TIMEOUT_MS = 300_000;

/** Types are checked elsewhere. Compiles into a folder of the test's own, as Dockerfile lays it out; answers the folder that is /app in the image. */
export async function buildImage(folder: string): Promise<string> {
  const app = join(folder, 'app');
  mkdirSync(join(app, 'node_modules'), { recursive: true });
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  await promisify(execFile)(compiler, ['-p', join(ROOT, 'tsconfig.build.json'), '--noCheck', '--outDir', join(app, 'dist')], {
    cwd: ROOT,
    timeout: BUILD_TIMEOUT_MS,
  });
  for (const part of ['package.json', 'crds']) cpSync(join(ROOT, part), join(app, part), { recursive: true });
  return app;
}
