import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

/** A longer list of files hides which of them are the flow of the folder. */
const MAX_FILES = 15;

const ROOT = join(import.meta.dirname, '../..');

/** Numbers of files besides tests and generated ones, by folder. */
function countFiles(folder: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name, parentPath } of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
    if (parentPath.includes('node_modules') || !name.endsWith('.ts') || /\.(test|generated)\.ts$/.test(name)) continue;
    counts.set(parentPath, (counts.get(parentPath) ?? 0) + 1);
  }
  return counts;
}

test.each(['src', 'packages'])('no folder of %s holds more than 15 files besides tests', (folder) => {
  const counts = countFiles(folder);
  expect(counts.size).toBeGreaterThan(10);
  expect([...counts].filter(([, files]) => files > MAX_FILES)).toEqual([]);
});
