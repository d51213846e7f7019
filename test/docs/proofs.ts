// Tests that a table row of a document cites as proof.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { titlesOf } from './test-titles.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Returns the proofs of a cell that do not exist. A cell reads `path/of/the.test.ts: "name of the test"; path/of/another.test.ts`; a name
 * may be any part of a title.
 */
export function missingProofs(cell: string): readonly string[] {
  return cell.split(/; (?=`?(?:src|test)\/)/).filter((proof) => {
    const [, path = '', name = ''] = /^`?([^`:]+\.test\.ts)`?(?:: "(.*)")?$/.exec(proof) ?? [];
    if (path === '' || !existsSync(join(ROOT, path))) return true;
    return !titlesOf(readFileSync(join(ROOT, path), 'utf8')).some((title) => title.includes(name));
  });
}
