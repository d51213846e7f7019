import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openNodeSqlite } from './node-sqlite.ts';

test('a new file returns the pages of deleted rows to the disk', () => {
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

test('the database, -wal and -shm files are readable only by their owner', () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-sqlite-'));
  try {
    writeFileSync(join(folder, 'h.sqlite'), '', { mode: 0o644 });
    const { raw } = openNodeSqlite(join(folder, 'h.sqlite'));
    raw.exec('CREATE TABLE rows (data BLOB)');
    const modes = readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
    expect(Object.fromEntries(modes)).toEqual({ 'h.sqlite': '600', 'h.sqlite-shm': '600', 'h.sqlite-wal': '600' });
    raw.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
