import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openNodeSqlite } from './node-sqlite.ts';

test('a new file gives the pages of deleted rows back to the disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-sqlite-'));
  try {
    const { raw } = openNodeSqlite(join(folder, 'h.sqlite'));
    const pages = (): unknown => raw.prepare('PRAGMA page_count').get()?.['page_count'];
    raw.exec('CREATE TABLE rows (data BLOB)');
    const empty = pages();
    raw.exec('INSERT INTO rows VALUES (zeroblob(1000000)); DELETE FROM rows; PRAGMA incremental_vacuum');
    expect(pages()).toBe(empty);
    raw.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
