// Content of the container image for tests that run its programs: compiled sources, package, CRDs.

import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../e2e/processes.ts';

/** Copies the output of `make build` into a folder as the Dockerfile lays it out. Returns the folder that is /app in the image. */
export function copyImage(folder: string): string {
  if (!existsSync(join(ROOT, 'dist'))) throw new Error('dist/ is missing: run make build');
  const app = join(folder, 'app');
  mkdirSync(join(app, 'node_modules'), { recursive: true });
  for (const part of ['dist', 'package.json', 'crds']) cpSync(join(ROOT, part), join(app, part), { recursive: true });
  return app;
}
