// Checks 10,000 random lives of a workload against the safety rules at each moment, and follows a share of them until every loop has ended.

import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { HOUR_MS } from '#kube/units';
import { numberFrom } from './settings.ts';

const { factor, seed } = globalThis.propertyRuns;
/** `make soak` draws 20 times as many. */
const LIVES = numberFrom('SOAK_LIVES', 500) * factor;
/** Lives that continue for two steady months. */
const LONG_LIVES = Math.ceil(LIVES / 20);
const TIMEOUT_MS = 12 * HOUR_MS;
const SCRIPT = join(import.meta.dirname, 'adversary', 'play-lives.ts');

describe('in every life of a workload', () => {
  test(
    'no limit passes its bound, and no request is reduced without evidence, below the memory peak of 7 days, or twice a day',
    () => playInParts('rules', LIVES),
    TIMEOUT_MS,
  );

  test('resizes and reports end once usage is steady', () => playInParts('end', LONG_LIVES), TIMEOUT_MS);

  test(
    'mode Approve changes pods only to approved values within their bounds, whatever users do',
    () => playInParts('approve', LIVES),
    TIMEOUT_MS,
  );

  test('in mode Approve every change ends, and every wait has a reason', () => playInParts('approve-end', LONG_LIVES), TIMEOUT_MS);
});

/** Plays the lives in one process per core. Each has a seed of its own, which its message names. */
async function playInParts(what: 'rules' | 'end' | 'approve' | 'approve-end', lives: number): Promise<void> {
  const parts = Math.min(availableParallelism(), lives);
  const counts = Array.from({ length: parts }, (_, index) => Math.floor((lives + index) / parts));
  const played = await Promise.all(counts.map((count, index) => play(what, count, seed + index)));
  expect(played).toEqual(counts.map((count, index) => `${count} lives, seed ${seed + index}: no violation`));
}

/** @returns what the process printed */
async function play(what: string, count: number, ofSeed: number): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', SCRIPT, what, `${count}`, `${ofSeed}`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout.trim();
}
