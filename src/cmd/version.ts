import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Root of the installed package: the same two folders up from `src/cmd` and from `dist/cmd`. */
export const PACKAGE_ROOT = join(import.meta.dirname, '..', '..');

/** Version of this Evenkeel, from its package. */
export function evenkeelVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string };
  return version;
}
