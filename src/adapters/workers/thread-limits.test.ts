import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

/** Starts a thread with the limits, in which many objects live through collections, and prints the size of its space for new objects. */
const PROGRAM = `
  import { Worker } from 'node:worker_threads';
  import { threadLimits } from '${join(import.meta.dirname, 'thread-limits.ts')}';
  const source = \`
    import { getHeapSpaceStatistics } from 'node:v8';
    const sizeOfNewSpace = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
    let [kept, largest] = [[], 0];
    for (let round = 0; round < 3e5; round += 1) {
      kept.push({ round, text: String(round), rows: [round, round] });
      if (kept.length > 5e4) kept = [];
      if (round % 1e3 === 0) largest = Math.max(largest, sizeOfNewSpace());
    }
    console.log(largest);
  \`;
  new Worker(source, { eval: true, resourceLimits: process.argv.at(-1) === 'limited' ? threadLimits() : {} });
`;

function sizeOfNewSpace(limits: 'limited' | 'default'): number {
  const flags = ['--max-semi-space-size=16', '--disable-warning=ExperimentalWarning', '--input-type=module'];
  return Number(execFileSync(process.execPath, [...flags, '--eval', PROGRAM, '--', limits], { encoding: 'utf8' }));
}

test('bound the new objects of a thread, whatever the process sets for the main thread', () => {
  expect(sizeOfNewSpace('default')).toBeGreaterThan(16 * 2 ** 20);
  expect(sizeOfNewSpace('limited')).toBeLessThanOrEqual(8 * 2 ** 20);
});
