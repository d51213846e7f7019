import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Root of the installed package, two folders above both `src/cmd` and `dist/cmd`. */
export const PACKAGE_ROOT = join(import.meta.dirname, '..', '..');

/** The version in package.json. */
export function evenkeelVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string };
  return version;
}
