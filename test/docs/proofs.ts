// Tests that a table of the docs names as proof of a row.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { titlesOf } from './test-titles.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Those that are not there, of a cell such as `path/of/the.test.ts: "name of the test"; path/of/another.test.ts`. A name may be the
 * beginning of a title, or any part of it.
 */
export function missingProofs(cell: string): readonly string[] {
  return cell.split(/; (?=`?(?:src|test)\/)/).filter((proof) => {
    const [, path = '', name = ''] = /^`?([^`:]+\.test\.ts)`?(?:: "(.*)")?$/.exec(proof) ?? [];
    if (path === '' || !existsSync(join(ROOT, path))) return true;
    return !titlesOf(readFileSync(join(ROOT, path), 'utf8')).some((title) => title.includes(name));
  });
}
