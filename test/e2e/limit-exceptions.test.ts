// Demand beyond a memory limit that Evenkeel does not control: reported, limit increased in place before an OOM kill, reverted
// when demand is back to normal; the increase approved or rejected by a user; a restart in the middle.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LimitException } from '../../src/apis/http/types.generated.ts';
import { MiB } from '#kube/units';
import { read, send } from './dashboard.ts';
import { HANG_TEST_MS } from '../eventually.ts';
import { aPolicyFor, LoopScene, NAMESPACE, resources, type LoopWorkload } from './vpa-loops/scene.ts';

const LIMIT_MIB = 256;
const NORMAL_MIB = 100;
/** Hours since Evenkeel started. */
const RISES = 1;
const RISEN = 4;
const FALLS = 6;
const GROWS_AGAIN = 9;
const GROWN = 11;
const RESOLVED = FALLS + 26;

/** Rises from normal demand to a peak within hours, then follows `after`. */
function swelling(name: string, peakMib: number, after: (hour: number) => number): LoopWorkload {
  const rise = (hour: number): number => NORMAL_MIB + ((peakMib - NORMAL_MIB) * (hour - RISES)) / (RISEN - RISES);
  const memoryMib = (hour: number): number => (hour < RISES ? NORMAL_MIB : hour < RISEN ? rise(hour) : after(hour));
  return {
    kind: 'Deployment',
    name,
    replicas: 2,
    resources: resources(['200m', '200Mi'], [null, `${LIMIT_MIB}Mi`]),
    uses: (hour) => ({ cpuMillicores: 60, memoryMib: memoryMib(hour) }),
  };
}

const TEMPORARY = { containers: [{ name: '*', controlled: 'requests' }], limitOverage: { mode: 'Temporary' } } as const;

describe('a memory limit that Evenkeel does not control', () => {
  let scene: LoopScene | undefined;
  /** Limits and exceptions by workload and sample. */
  const samples = new Map<
    string,
    { readonly limits: readonly number[]; readonly exception: LimitException | undefined; readonly state: string }
  >();
  const at = (moment: string) => samples.get(moment)!;

  const look = async (moment: string, workload: string): Promise<void> => {
    const exceptions = await read<readonly LimitException[]>(scene!.dashboard, `limit-exceptions?resource=memory&q=${workload}`);
    const limits = scene!.inForce(workload).map(({ memoryLimit }) => memoryLimit ?? 0);
    samples.set(moment, { limits, exception: exceptions[0], state: scene!.recommendation(workload).state ?? '' });
  };
  const decide = async (workload: string, verdict: string, body: object): Promise<void> => {
    const { status, envelope } = await send(scene!.dashboard, 'POST', `limit-exceptions/${NAMESPACE}/${workload}/${verdict}`, body);
    if (status !== 200) throw new Error(`${verdict} ${workload}: HTTP ${status}: ${envelope.error?.message ?? ''}`);
  };

  beforeAll(async () => {
    scene = await LoopScene.start({
      workloads: [
        swelling('passing', 330, (hour) => (hour < FALLS ? 330 : NORMAL_MIB)),
        swelling('grown', 330, () => 330),
        swelling('unwanted', 244, (hour) => (hour < FALLS ? 244 : hour < GROWS_AGAIN ? NORMAL_MIB : 300)),
      ],
      policies: [aPolicyFor('passing', TEMPORARY), aPolicyFor('grown', TEMPORARY), aPolicyFor('unwanted', TEMPORARY)],
      nodes: 1,
      maxDays: 2,
    });
    await scene.hours(RISES);
    await look('before', 'passing');
    await scene.hours(RISEN + 0.5 - RISES);
    await look('risen', 'passing');
    await look('unwanted, risen', 'unwanted');
    await decide('grown', 'approve', { container: 'app', resource: 'memory', value: '448Mi', reason: 'it is what it needs' });
    await decide('unwanted', 'reject', { reason: 'it leaks' });
    await scene.restartEvenkeel();
    await scene.hours(1);
    await look('restarted', 'passing');
    await look('approved', 'grown');
    await look('rejected', 'unwanted');
    scene.rollOut('grown');
    await scene.hours(GROWS_AGAIN - RISEN - 1.6);
    await look('reverted', 'unwanted');
    await scene.hours(GROWN - GROWS_AGAIN);
    await look('grown again', 'unwanted');
    await scene.hours(RESOLVED - GROWN);
    await look('over', 'passing');
    await look('new normal', 'grown');
  }, HANG_TEST_MS);
  afterAll(() => scene?.end());

  test('before demand rises there is no exception and no change', () => {
    expect(at('before')).toMatchObject({ limits: [LIMIT_MIB, LIMIT_MIB], exception: undefined });
  });

  test('demand near it opens an exception, and a temporary increase in place prevents OOM kills', () => {
    const { limits, exception, state } = at('risen');
    expect(state).toBe('exception');
    expect(exception).toMatchObject({ state: 'open', type: 'usage-over-limit', limit: LIMIT_MIB * MiB, applied: true });
    for (const limit of limits) expect(limit).toBeGreaterThan(330);
    for (const limit of limits) expect(limit).toBeLessThanOrEqual(2 * LIMIT_MIB);
    expect(scene!.tally('passing').oomKills).toBe(0);
    expect(scene!.evictions()).toBe(0);
  });

  test('a restart in between loses nothing', () => {
    const { openedAt, occurrences, appliedUntil } = at('risen').exception!;
    expect(at('restarted').exception).toMatchObject({ state: 'open', applied: true, openedAt, occurrences, appliedUntil });
    for (const limit of at('restarted').limits) expect(limit).toBeGreaterThan(330);
  });

  test('after a day of normal demand the exception is resolved, and the earlier limit is restored', () => {
    const { limits, exception, state } = at('over');
    expect(exception).toMatchObject({ state: 'resolved', applied: false, occurrences: 1 });
    expect(limits).toEqual([LIMIT_MIB, LIMIT_MIB]);
    expect(state).not.toBe('exception');
  });

  test('an approved increase is permanent, also for pods of the next rollout', () => {
    expect(at('approved')).toMatchObject({ limits: [448, 448], exception: { state: 'approved', settled: true, approvedValue: 448 * MiB } });
    expect(at('new normal').limits).toEqual([448, 448]);
  });

  test('a rejected increase is reverted, and the exception reopens when demand grows', () => {
    expect(at('unwanted, risen')).toMatchObject({ exception: { state: 'open', applied: true } });
    expect(at('rejected').exception).toMatchObject({ state: 'rejected', decidedBy: 'anonymous' });
    expect(at('reverted')).toMatchObject({
      limits: [LIMIT_MIB, LIMIT_MIB],
      exception: { state: 'rejected', applied: false, settled: true },
    });
    const { limits, exception } = at('grown again');
    expect(exception).toMatchObject({ state: 'open', type: 'oom-killed', applied: true });
    for (const limit of limits) expect(limit).toBeGreaterThan(300);
  });
});
