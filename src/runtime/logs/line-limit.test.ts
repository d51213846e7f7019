import { beforeEach, describe, expect, test } from '@jest/globals';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { MINUTE_MS } from '#kube/units';
import { LineLimit, MAX_LINES_OF_KIND, type LogLine } from './line-limit.ts';

let clock: ManualClock;
let limit: LineLimit;
let written: LogLine[];

beforeEach(() => {
  clock = new ManualClock();
  limit = new LineLimit({ later: (afterMs, task) => void clock.setTimer(afterMs, task) });
  written = [];
  limit.writeTo((line) => void written.push(line));
});

function log(message: string, fields: LogLine['fields'] = {}, level: LogLine['level'] = 'warn'): void {
  const line = { level, message, fields };
  if (limit.admits(line)) written.push(line);
}
const times = (count: number, task: (at: number) => void): void => Array.from({ length: count }, (_, at) => at).forEach(task);

describe('the limit of log lines', () => {
  test('writes the first lines of a kind, and one line that counts the others at the end of the minute', () => {
    times(300, (at) => log('Decided', { object: `shop/Deployment/w${at}`, state: 'collecting' }));
    expect(written).toHaveLength(MAX_LINES_OF_KIND);
    clock.advance(MINUTE_MS);
    expect(written).toHaveLength(MAX_LINES_OF_KIND + 1);
    expect(written.at(-1)).toEqual({
      level: 'warn',
      message: 'Decided (and 240 more in the last minute; this is the last of them)',
      fields: { object: 'shop/Deployment/w299', state: 'collecting', more: 240 },
    });
  });

  test('begins anew each minute, and schedules nothing while no line is logged', () => {
    times(MAX_LINES_OF_KIND, () => log('Decided'));
    clock.advance(MINUTE_MS);
    expect(written).toHaveLength(MAX_LINES_OF_KIND);
    expect(clock.pending).toBe(0);
    times(MAX_LINES_OF_KIND, () => log('Decided'));
    expect(written).toHaveLength(2 * MAX_LINES_OF_KIND);
  });

  test('writes lines of other kinds: by message, level, state, reason and controller', () => {
    times(300, () => log('Decided', { state: 'collecting' }));
    written = [];
    log('Resized', { state: 'collecting' });
    log('Decided', { state: 'collecting' }, 'error');
    log('Decided', { state: 'blocked' });
    log('Decided', { state: 'collecting', reason: 'other' });
    log('Decided', { state: 'collecting', controller: 'other' });
    expect(written).toHaveLength(5);
  });

  test('writes errors of unlike causes, and counts those that differ by names and numbers only', () => {
    times(300, (at) =>
      log('Reconcile failed', { err: new Error(`creating Recommendation deployment-w${at}: refused: quota ${at} exceeded`) }),
    );
    expect(written).toHaveLength(MAX_LINES_OF_KIND);
    written = [];
    log('Reconcile failed', { err: new Error('creating Recommendation deployment-w1: connect ECONNREFUSED') });
    log('Reconcile failed', { err: new TypeError('x is not a function') });
    log('Reconcile failed', {
      err: Object.assign(new Error('creating Recommendation deployment-w1: refused: quota 1 exceeded'), { code: 'QUOTA' }),
    });
    log('Reconcile failed', { err: 'a text' });
    expect(written).toHaveLength(4);
  });

  test('bounds a message whose lines are all unlike', () => {
    times(10_000, (at) => log('Failed', { err: new Error('x'.repeat(1 + at)) }));
    expect(written.length).toBeLessThan(100);
    clock.advance(MINUTE_MS);
    expect(written.at(-1)?.fields['more']).toBeGreaterThan(9_000);
  });

  test('reports at the end of the process what the minute left out', () => {
    times(61, () => log('Decided'));
    limit.flush();
    expect(written.at(-1)?.fields).toEqual({ more: 1 });
    clock.advance(MINUTE_MS);
    expect(written).toHaveLength(MAX_LINES_OF_KIND + 1);
  });
});
