import { beforeEach, describe, expect, test } from '@jest/globals';
import { aContainer, aPodRecord, T0 } from '../../../test/builders/rightsizing.ts';
import { FakeClusterReader } from '../../../test/fakes/fake-cluster-reader.ts';
import type { PodRecord } from '#kube/records/pod';
import { DAY_MS, HOUR_MS } from '#kube/units';
import { FailureLog } from './failure-log.ts';

let reader: FakeClusterReader;
let log: FailureLog;
beforeEach(() => {
  reader = new FakeClusterReader();
  log = new FailureLog(reader);
});

function ended(finishedAt: number, end: { readonly exitCode?: number; readonly uid?: string } = {}): PodRecord {
  const lastTermination = { reason: 'Error', exitCode: end.exitCode ?? 1, finishedAt };
  const pod = aPodRecord({ containers: [aContainer({ record: { lastTermination, restarts: 1 } })] });
  return { ...pod, uid: end.uid ?? pod.uid };
}

function changesTo(pod: PodRecord): PodRecord {
  reader.podList = [pod];
  reader.announce({ kind: 'pod', key: `${pod.namespace}/${pod.name}`, workload: null });
  return pod;
}

describe('failures of containers', () => {
  test('are all recorded, although a status has only the last one', () => {
    for (const hour of [1, 2, 3]) changesTo(ended(T0 + hour * HOUR_MS));
    expect(log.of(changesTo(ended(T0 + 3 * HOUR_MS)))).toEqual([1, 2, 3].map((hour) => T0 + hour * HOUR_MS));
  });

  test('of the first status are recorded', () => {
    expect(log.of(ended(T0))).toEqual([T0]);
  });

  test('do not include successful terminations', () => {
    expect(log.of(changesTo(ended(T0, { exitCode: 0 })))).toEqual([]);
  });

  test('are recorded up to 1,000 of a pod, the newest', () => {
    for (let at = 0; at < 1_500; at += 1) changesTo(ended(T0 + at * 1_000));
    const remembered = log.of(changesTo(ended(T0)));
    expect([remembered.length, remembered[0], remembered.at(-1)]).toEqual([1_000, T0 + 500_000, T0 + 1_499_000]);
  });

  test('are deleted after two days', () => {
    changesTo(ended(T0));
    expect(log.of(changesTo(ended(T0 + 2 * DAY_MS + 1)))).toEqual([T0 + 2 * DAY_MS + 1]);
  });

  test('do not include those of an earlier pod of the same name', () => {
    changesTo(ended(T0));
    expect(log.of(changesTo(ended(T0 + HOUR_MS, { uid: 'another' })))).toEqual([T0 + HOUR_MS]);
  });
});
