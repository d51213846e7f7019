import { describe, expect, test } from '@jest/globals';
import {
  amounts,
  anAdvice,
  aPodRecord,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  resized,
  T0,
} from '../../../../../test/builders/rightsizing.ts';
import type { PodRecord } from '#kube/records/pod';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#kube/units';
import { decideWorkload } from '../decide-workload.ts';
import { NO_MEMORY, type ResizeMemory, type WorkloadSituation } from '../../model/situation.ts';

const DEPLOYED = { requests: amounts('500m', '512Mi'), limits: amounts(null, '512Mi') };
const SMALL = { requests: amounts('100m', '128Mi'), limits: amounts(null, '256Mi') };
const workload = aWorkloadRecord({ containers: [{ name: 'main', sidecar: false, image: 'web', ...DEPLOYED }] });
const KILLED = { reason: 'Error', exitCode: 1, finishedAt: T0 - MINUTE_MS };
const lastApplied: NonNullable<ResizeMemory['lastApplied']> = {
  at: T0 - HOUR_MS,
  by: 'evenkeel',
  reason: 'over-provisioned',
  pods: 1,
  values: new Map([['main', SMALL]]),
};

/** A ready pod that was created five minutes ago with the values in force. */
function created(name: string, pod: Partial<PodRecord> = {}, container: object = {}): PodRecord {
  return {
    ...aPodRecord({ name, container: { ...SMALL, ...container } }),
    annotations: { 'evenkeel.io/size-at-creation': '{}' },
    createdAt: T0 - 5 * MINUTE_MS,
    readySince: T0 - 4 * MINUTE_MS,
    ...pod,
  };
}
const ofOld = (name: string, pod: Partial<PodRecord> = {}): PodRecord => ({
  ...aPodRecord({ name, container: DEPLOYED }),
  createdAt: T0 - DAY_MS,
  readySince: T0 - DAY_MS,
  ...pod,
});
const crashing = (name: string, pod: Partial<PodRecord> = {}): PodRecord =>
  created(name, { readySince: null, ready: false, unreadySince: T0 - MINUTE_MS, ...pod }, { record: { lastTermination: KILLED } });
const neverReady = (name: string): PodRecord =>
  created(name, { createdAt: T0 - 12 * MINUTE_MS, readySince: null, ready: false, unreadySince: T0 - 12 * MINUTE_MS });

function createdOnly(pods: readonly PodRecord[], more: Partial<WorkloadSituation> = {}): WorkloadSituation {
  return aSituation({
    workload,
    pods,
    policy: { ...autoPolicy(), apply: 'OnRestart' },
    advice: [anAdvice()],
    memory: { ...NO_MEMORY, lastApplied },
    gateState: { ...aSituation().gateState, admission: true },
    ...more,
  });
}

describe('the size at creation is rolled back', () => {
  test.each<[string, readonly PodRecord[], RegExp]>([
    ['where one of them crashes', [crashing('web-a'), ofOld('web-b')], /restarted after creation: web-a/],
    ['where all of them do', [crashing('web-a'), crashing('web-b')], /restarted after creation: web-a, web-b/],
    ['where one does not become ready for ten minutes', [neverReady('web-a'), ofOld('web-b')], /not ready since creation: web-a/],
  ])('%s', (_, pods, words) => {
    const decision = decideWorkload(createdOnly(pods));
    expect(decision.memory.rolledBack).toMatchObject({ message: expect.stringMatching(words), requestedAt: null, count: 1 });
    expect(decision.memory.lastApplied).toMatchObject({ reason: 'roll-back', values: new Map([['main', DEPLOYED]]) });
    expect(decision.events).toMatchObject([{ type: 'Warning', reason: 'RolledBack', message: expect.stringMatching(words) }]);
    const held = decideWorkload(createdOnly(pods, { memory: decision.memory, now: T0 + HOUR_MS }));
    expect(held.memory.lastApplied?.values.get('main')).toEqual(DEPLOYED);
  });

  test('and running pods are restored at once where they may be resized', () => {
    const start = createdOnly([crashing('web-a'), ofOld('web-b')], { policy: autoPolicy() });
    const decision = decideWorkload(start);
    expect(resized(start.pods, decision.steps)[0]!.containers[0]!.requests).toEqual(DEPLOYED.requests);
  });

  test('with a longer hold for each consecutive roll-back', () => {
    const rolledBack = {
      at: T0 - 2 * DAY_MS,
      reason: 'restarts',
      message: 'm',
      heldUntil: T0 - DAY_MS,
      count: 1,
      requestedAt: null,
      values: new Map(),
    };
    const again = decideWorkload(createdOnly([crashing('web-a')], { memory: { ...NO_MEMORY, lastApplied, rolledBack } }));
    expect(again.memory.rolledBack).toMatchObject({ count: 2, heldUntil: T0 + 2 * DAY_MS });
  });
});

describe('the size at creation is kept', () => {
  test.each<[string, readonly PodRecord[], Partial<WorkloadSituation>]>([
    ['where all pods become ready', [created('web-a'), ofOld('web-b')], {}],
    [
      'where another lives well with it: something else ails this one',
      [crashing('web-a'), created('web-b', { createdAt: T0 - 50 * MINUTE_MS, readySince: T0 - 49 * MINUTE_MS })],
      {},
    ],
    ['where the pod was created with its own values', [crashing('web-a', { annotations: {} })], {}],
    ['where a pod crashed long after its start', [crashing('web-a', { createdAt: T0 - 55 * MINUTE_MS })], {}],
    ['where the pod is still starting', [created('web-a', { readySince: null, ready: false, unreadySince: T0 - 30 * SECOND_MS })], {}],
    [
      'where others are not ready either',
      [neverReady('web-a'), ofOld('web-b', { readySince: null, ready: false, unreadySince: T0 - HOUR_MS })],
      {},
    ],
    [
      'where the template asks for no more',
      [crashing('web-a')],
      { workload: aWorkloadRecord({ containers: [{ name: 'main', sidecar: false, image: 'web', ...SMALL }] }) },
    ],
    ['of Jobs, whose runs fail for reasons of their own', [crashing('web-a')], { workload: { ...workload, kind: 'CronJob' } }],
    [
      'where the policy rolls nothing back',
      [crashing('web-a')],
      { policy: { ...autoPolicy(), apply: 'OnRestart', rollback: { ...autoPolicy().rollback, onRestarts: false } } },
    ],
  ])('%s', (_, pods, more) => {
    expect(decideWorkload(createdOnly(pods, more)).memory.rolledBack).toBeNull();
  });
});
