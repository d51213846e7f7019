import { beforeEach, expect, test } from '@jest/globals';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { ConfirmedCopy, MAX_AGE_MS } from './confirmed-copy.ts';

let timer: ManualClock;
let answers: (() => Promise<string>)[];
let reads: number;
let problems: (string | null)[];
let isAwaited: boolean;
let seen: string[];
let copy: ConfirmedCopy<string>;
beforeEach(() => {
  timer = new ManualClock(0);
  [answers, reads, problems] = [[], 0, []];
  const read = (): Promise<string> => {
    reads += 1;
    return (answers.shift() ?? (() => Promise.resolve(`read ${reads}`)))();
  };
  const report = (problem: string | null): void => void problems.push(problem);
  [isAwaited, seen] = [true, []];
  copy = new ConfirmedCopy({
    read,
    timer,
    report,
    isAwaited: () => isAwaited,
    onRead: (value, isAnnounced) => seen.push(isAnnounced ? `${value}, announced` : value),
  });
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

test('a read that was under way during a change is not kept, and no later call shares it', async () => {
  let answer: (text: string) => void = () => undefined;
  answers.push(() => new Promise((resolve) => (answer = resolve)));
  const before = copy.get();
  copy.invalidate();
  const after = [copy.get(), copy.get()];
  answer('before the change');
  expect(await Promise.all([before, ...after, copy.get()])).toEqual(['before the change', 'read 2', 'read 2', 'read 2']);
});

test('a call after a change has an answer where the read before it fails', async () => {
  let fail: (err: Error) => void = () => undefined;
  answers.push(() => new Promise((_resolve, reject) => (fail = reject)));
  const before = copy.get();
  copy.invalidate();
  const after = copy.get();
  fail(new Error('connection refused'));
  await expect(before).rejects.toThrow('connection refused');
  expect(await after).toBe('read 2');
});

test('a call waits for two reads at most, however often the object changes', async () => {
  const change = (): Promise<string> => {
    copy.invalidate();
    return Promise.resolve(`read ${reads}`);
  };
  answers.push(...Array.from({ length: 100 }, () => change));
  const [first, second] = [copy.get(), copy.get()];
  expect([await first, await second, reads]).toEqual(['read 1', 'read 2', 2]);
});

test('concurrent requests share one read', async () => {
  expect(await Promise.all([copy.get(), copy.get()])).toEqual(['read 1', 'read 1']);
});

test('a copy that no replica waits for is not served: each call begins a read of its own', async () => {
  await copy.get();
  isAwaited = false;
  let answer: (text: string) => void = () => undefined;
  answers.push(() => new Promise((resolve) => (answer = resolve)));
  const first = copy.get();
  const second = copy.get();
  answer('began before the second call');
  expect(await Promise.all([first, second])).toEqual(['began before the second call', 'read 3']);
});

test('the answer to a read that began ten seconds ago is not served: the process was suspended', async () => {
  answers.push(() => {
    timer.advance(MAX_AGE_MS);
    return Promise.resolve('old');
  });
  await expect(copy.get()).rejects.toThrow('older than ten seconds');
  expect(await copy.get()).toBe('read 2');
});

test('a read is reported, and whether a change was announced since the one before', async () => {
  await copy.get();
  copy.invalidate();
  await copy.refresh();
  await copy.refresh();
  expect(seen).toEqual(['read 1', 'read 2, announced', 'read 3']);
});
