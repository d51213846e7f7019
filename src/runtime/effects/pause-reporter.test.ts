import { expect, test } from '@jest/globals';
import { ManualClock, TEST_EPOCH } from '#embedded-cluster/testing/manual-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { HOUR_MS } from '#kube/units';
import type { PauseRecord } from '../../ports/cluster/cluster-feed.ts';
import type { ClusterChange } from '../../ports/cluster/cluster-reader.ts';
import type { EventSpec } from '../../ports/cluster/event-recorder.ts';
import { PrometheusMetrics } from '../metrics.ts';
import { PauseReporter } from './pause-reporter.ts';

const INCIDENT: PauseRecord = { reason: 'investigating an incident', until: null, uid: 'u-1' };

/** A watch over a pause that the test sets. */
function watchPause({ isLeader = true, inForce = null }: { readonly isLeader?: boolean; readonly inForce?: PauseRecord | null } = {}) {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const metrics = new PrometheusMetrics();
  const events: EventSpec[] = [];
  let pause = inForce;
  let notify: (change: ClusterChange) => void = () => undefined;
  const watch = new PauseReporter({
    clock,
    cluster: {
      subscribe: (listener) => {
        notify = listener;
        return () => undefined;
      },
    },
    activePause: (now) => (pause !== null && (pause.until === null || pause.until > now) ? pause : null),
    configMap: { namespace: 'evenkeel-system', name: 'evenkeel-pause' },
    isLeader: () => isLeader,
    events: { record: (event) => void events.push(event) },
    logger,
    metrics,
  });
  let changes = 0;
  watch.onChange(() => (changes += 1));
  watch.start();
  return {
    watch,
    clock,
    lines: logger.lines,
    events,
    changes: () => changes,
    metric: async () => /^evenkeel_paused (\d)$/m.exec(await metrics.expose())?.[1],
    set: (next: PauseRecord | null) => {
      pause = next;
      notify({ kind: 'pause', key: 'evenkeel-system/evenkeel-pause' });
    },
  };
}

test('a pause is reported once by a metric, a log line and an Event, and so is its end', async () => {
  const { lines, events, set, metric, changes } = watchPause();
  expect([await metric(), lines.length]).toEqual(['0', 0]);
  set(INCIDENT);
  set({ ...INCIDENT });
  expect(lines).toEqual([
    {
      level: 'warn',
      message: 'Every change is paused',
      fields: { configMap: 'evenkeel-system/evenkeel-pause', reason: 'investigating an incident' },
    },
  ]);
  expect(events).toEqual([
    {
      subject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'evenkeel-system', name: 'evenkeel-pause', uid: 'u-1' },
      type: 'Warning',
      reason: 'Paused',
      action: 'Pause',
      message: 'Evenkeel is paused: investigating an incident. Delete this ConfigMap to resume',
    },
  ]);
  expect([await metric(), changes()]).toEqual(['1', 1]);
  set(null);
  expect([await metric(), changes()]).toEqual(['0', 2]);
  expect(lines.at(-1)).toMatchObject({ level: 'info', message: 'The pause ended; changes are allowed again' });
  expect(events.at(-1)).toMatchObject({ type: 'Normal', reason: 'Resumed', subject: { uid: 'u-1' } });
});

test('the end of a pause with a time is reported at that time', async () => {
  const { clock, set, metric, lines } = watchPause();
  set({ ...INCIDENT, until: TEST_EPOCH + HOUR_MS });
  expect(lines.at(-1)?.fields).toMatchObject({ until: '2026-11-02T01:00:00.000Z' });
  clock.advance(HOUR_MS - 1);
  expect(await metric()).toBe('1');
  clock.advance(1);
  expect(await metric()).toBe('0');
});

test('a later end replaces the earlier one', async () => {
  const { clock, set, metric } = watchPause();
  set({ ...INCIDENT, until: TEST_EPOCH + HOUR_MS });
  set({ ...INCIDENT, until: TEST_EPOCH + 3 * HOUR_MS });
  clock.advance(2 * HOUR_MS);
  expect(await metric()).toBe('1');
});

test('a pause that is in force at the start is reported', async () => {
  const { lines, metric } = watchPause({ inForce: INCIDENT });
  expect([await metric(), lines.length]).toEqual(['1', 1]);
});

test('a replica that does not lead writes no Event', () => {
  const { lines, events, set } = watchPause({ isLeader: false });
  set(INCIDENT);
  expect([lines.length, events.length]).toEqual([1, 0]);
});

test('a replica that becomes the leader during a pause writes its Event', () => {
  const { watch, events, set } = watchPause({ isLeader: false });
  watch.recordInForce();
  set(INCIDENT);
  expect(events).toEqual([]);
  watch.recordInForce();
  expect(events.map(({ reason, subject }) => [reason, subject.uid])).toEqual([['Paused', 'u-1']]);
});
