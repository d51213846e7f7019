import { beforeEach, expect, test } from '@jest/globals';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { ConfirmedCopy, MAX_AGE_MS } from './confirmed-copy.ts';

let timer: ManualClock;
let answers: (() => Promise<string>)[];
let reads: number;
let problems: (string | null)[];
let copy: ConfirmedCopy<string>;
beforeEach(() => {
  timer = new ManualClock(0);
  [answers, reads, problems] = [[], 0, []];
  const read = (): Promise<string> => {
    reads += 1;
    return (answers.shift() ?? (() => Promise.resolve(`read ${reads}`)))();
  };
  copy = new ConfirmedCopy({ read, timer, report: (problem) => problems.push(problem) });
});

const outage = () => Promise.reject(new Error('connection refused'));

test('a copy is served until it is ten seconds old', async () => {
  expect(await copy.get()).toBe('read 1');
  timer.advance(MAX_AGE_MS - 1);
  expect(await copy.get()).toBe('read 1');
  timer.advance(1);
  expect(await copy.get()).toBe('read 2');
});

test('an old copy is not served where it cannot be read again', async () => {
  await copy.get();
  timer.advance(MAX_AGE_MS);
  answers.push(outage);
  await expect(copy.get()).rejects.toThrow('connection refused');
  expect(problems).toEqual([null, 'connection refused']);
  expect(await copy.get()).toBe('read 3');
});

test('the age counts from before the read', async () => {
  answers.push(() => {
    timer.advance(MAX_AGE_MS - 1);
    return Promise.resolve('slow');
  });
  expect(await copy.get()).toBe('slow');
  timer.advance(1);
  expect(await copy.get()).toBe('read 2');
});

test('a change is seen by the next read, however recent the copy', async () => {
  await copy.get();
  copy.invalidate();
  expect(await copy.get()).toBe('read 2');
});

test('a read that was under way during a change is repeated', async () => {
  answers.push(() => {
    copy.invalidate();
    return Promise.resolve('before the change');
  });
  expect(await copy.get()).toBe('read 2');
});

test('concurrent requests share one read', async () => {
  expect(await Promise.all([copy.get(), copy.get()])).toEqual(['read 1', 'read 1']);
});
