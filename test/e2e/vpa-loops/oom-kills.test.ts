// What users of VPA report of OOM kills, each lived through on the embedded cluster with default settings.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aPolicyFor, LoopScene, resources, type LoopWorkload } from './scene.ts';
import { HANG_TEST_MS } from '../../eventually.ts';

/** Hours after Evenkeel came. */
const GROWS = 26;
const SETTLED = 36;
const ENDS = 44;
const NEEDED_MIB = 450;
/** The first kill, with a working set far below the limit, may be the node's and counts for nothing; then come three bumps. */
const MAX_RESTARTS = 4;
const CAP_MIB = 300;

const growing = (name: string): LoopWorkload => ({
  kind: 'Deployment',
  name,
  replicas: 2,
  resources: resources(['200m', '400Mi'], [null, '512Mi']),
  uses: (hour) => ({ cpuMillicores: 60, memoryMib: hour < GROWS ? 100 : NEEDED_MIB - 10 }),
});

const capped: LoopWorkload = {
  kind: 'Deployment',
  name: 'capped',
  replicas: 1,
  resources: resources(['100m', `${CAP_MIB}Mi`], [null, `${CAP_MIB}Mi`]),
  uses: (hour) => ({ cpuMillicores: 30, memoryMib: hour < 2 ? 200 : 400 }),
};

/** Takes whatever it is given. */
const endless: LoopWorkload = {
  kind: 'Deployment',
  name: 'endless',
  replicas: 1,
  resources: resources(['100m', '200Mi'], [null, '256Mi']),
  uses: (hour) => ({ cpuMillicores: 30, memoryMib: hour < 2 ? 150 : 50_000 }),
};

const RATIO = { memory: { limit: { rule: 'Ratio', ratio: 1.25 } } } as const;

describe('OOM kills', () => {
  let scene: LoopScene | undefined;
  const uids = new Map<string, readonly string[]>();
  const limits = new Map<string, readonly number[]>();
  const killsWhenSettled = new Map<string, number>();
  const uidsOf = (name: string): readonly string[] => scene!.pods(name).map(({ metadata }) => metadata.uid);
  const limitsOf = (name: string): readonly number[] => scene!.inForce(name).map(({ memoryLimit }) => memoryLimit ?? Infinity);

  beforeAll(async () => {
    scene = await LoopScene.start({
      workloads: [growing('grown'), growing('rolled'), capped, endless],
      policies: [aPolicyFor('capped', { memory: { max: `${CAP_MIB}Mi` } }), aPolicyFor('grown', RATIO), aPolicyFor('rolled', RATIO)],
      mostDays: 3,
    });
    await scene.hours(GROWS - 0.5);
    for (const name of ['grown', 'rolled']) limits.set(name, limitsOf(name));
    uids.set('grown', uidsOf('grown'));
    await scene.hours(0.6);
    // Killed just now, and at once replaced by pods of the manifest's size: the dead pod can no longer be read.
    scene.rollOut('rolled');
    await scene.hours(SETTLED - GROWS - 0.1);
    for (const name of ['grown', 'rolled', 'capped']) killsWhenSettled.set(name, scene.tally(name).oomKills);
    await scene.hours(ENDS - SETTLED);
  }, HANG_TEST_MS);
  afterAll(() => scene?.end());

  // kubernetes/autoscaler#1574, #4152, #4981: shrank memory, then could not recover.
  // kubernetes/autoscaler#6705: the pod that was killed is gone when the kill is reported.
  test.each(['grown', 'rolled'])(
    '%s: a container that outgrows what it was shrunk to recovers after at most four restarts and is not shrunk under its need again',
    (name) => {
      expect(limits.get(name)).toEqual([expect.any(Number), expect.any(Number)]);
      for (const limit of limits.get(name) ?? []) expect(limit).toBeLessThan(NEEDED_MIB);
      const { oomKills } = scene!.tally(name);
      expect(oomKills).toBeGreaterThan(0);
      expect(oomKills).toBeLessThanOrEqual(2 * MAX_RESTARTS);
      expect(oomKills).toBe(killsWhenSettled.get(name));
      for (const limit of limitsOf(name)) expect(limit).toBeGreaterThan(NEEDED_MIB);
      expect(scene!.pods(name).every(({ status }) => status.containerStatuses?.[0]?.ready)).toBe(true);
    },
  );

  // kubernetes/kubernetes#138760: resized while it lies OOMKilled.
  test('a pod that was killed is resized where it is, and runs on as the same pod', () => {
    expect(uidsOf('grown')).toEqual(uids.get('grown'));
    expect(scene!.evictions()).toBe(0);
  });

  // kubernetes/autoscaler#9521: the bump feeds itself while maxAllowed is under the real peak.
  test('under a maximum that is too low the request does not grow past it, and nothing inflates', () => {
    const [size] = scene!.sizes('capped');
    expect(size?.memory).toBeLessThanOrEqual(CAP_MIB);
    expect(size?.memoryLimit).toBeLessThan(700);
    const [container] = scene!.recommendation('capped').containers ?? [];
    expect(container?.recommended?.requests?.memory).toBe(`${CAP_MIB}Mi`);
  });

  test('of a container that takes whatever it is given end at three bumps of its limit and an exception', () => {
    const { oomBumps = [], limitExceptions = [], state } = scene!.recommendation('endless');
    const given = new Set(oomBumps.map(({ limit }) => limit));
    expect(given.size).toBeGreaterThan(0);
    expect(given.size).toBeLessThanOrEqual(3);
    expect(limitExceptions).toMatchObject([{ type: 'oom-killed', state: 'open', container: 'app' }]);
    expect(state).toBe('exception');
    // 256 MiB, three times 100 MiB or 20 % more.
    expect(limitsOf('endless').every((limit) => limit <= 672)).toBe(true);
  });
});
