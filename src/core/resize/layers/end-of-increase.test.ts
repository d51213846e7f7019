import { describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, autoPolicy, aWorkloadRecord, pods, resized, T0 } from '../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import type { ContainerAdvice } from '../../recommender/advice.ts';
import type { WorkloadDecision } from '../model/decision.ts';
import { NO_USER_REQUESTS, type WorkloadSituation } from '../model/situation.ts';
import { decideWorkload } from './decide-workload.ts';

const cpu = (text: string) => Number(text.slice(0, -1));

/** Advice with a base of CPU and a temporary increase. */
function advised(base: string, increase: string | null = null): ContainerAdvice {
  const target = increase ?? base;
  const lowerBound = cpu(increase ?? base) - 5;
  return anAdvice({
    cpu: target,
    memory: '512Mi',
    cpuAdvice: { base: cpu(base), lowerBound, increase: increase === null ? null : { until: T0 + 30 * DAY_MS } },
  });
}

/** Decides repeatedly with one advice and applies each decision. */
function follow(
  start: WorkloadSituation,
  advice: ContainerAdvice,
  forMs: number,
): { readonly end: WorkloadSituation; readonly all: readonly WorkloadDecision[] } {
  let situation: WorkloadSituation = { ...start, advice: [advice] };
  const all: WorkloadDecision[] = [];
  for (const until = start.now + forMs; situation.now < until;) {
    const decision = decideWorkload(situation);
    all.push(decision);
    situation = {
      ...situation,
      memory: decision.memory,
      pods: resized(situation.pods, decision.steps),
      now: situation.now + 5 * MINUTE_MS,
    };
  }
  return { end: situation, all };
}

const requests = ({ pods }: WorkloadSituation) => pods.map(({ containers }) => containers[0]?.requests.cpuMillicores);
const policy = autoPolicy({ cooldownMs: 2 * HOUR_MS });

describe('a temporary increase', () => {
  const atBase = follow(aSituation({ policy }), advised('300m'), 8 * HOUR_MS).end;
  const increased = follow(atBase, advised('300m', '600m'), 10 * MINUTE_MS).end;

  test('ends on all pods at once, without confidence, cool-down or verification', () => {
    expect(requests(atBase)).toEqual([300, 300, 300]);
    expect(requests(increased)).toEqual([600, 600, 600]);
    const unsure = advised('300m');
    const over = follow(increased, { ...unsure, cpu: unsure.cpu === null ? null : { ...unsure.cpu, confidence: 0.1 } }, 10 * MINUTE_MS);
    expect(requests(over.end)).toEqual([300, 300, 300]);
    expect(over.all[0]?.memory.apply).toMatchObject({ endsIncrease: true, reason: 'temporary increase ended' });
  });

  test('is a reduction where the base fell meanwhile: canary first, a day after the last reduction', () => {
    const lowered = advised('200m');
    expect(requests(follow(increased, lowered, 10 * MINUTE_MS).end)).toEqual([600, 600, 600]);
    const later = follow(increased, lowered, DAY_MS);
    const first = later.all.find(({ steps }) => steps.length > 0);
    const { cpu = null } = increased.memory.reductions.get('main') ?? {};
    expect(first?.memory.apply?.startedAt).toBe((cpu ?? 0) + DAY_MS);
    expect(first?.memory.apply).toMatchObject({ stage: 'Canary', reason: 'over-provisioned' });
    expect(first?.steps).toHaveLength(1);
    expect(first?.memory.apply?.endsIncrease).toBeFalsy();
  });

  test('that became permanent need is no increase any more: a later decrease is a reduction', () => {
    const kept = follow(increased, advised('590m'), 10 * MINUTE_MS).end;
    expect(follow(kept, advised('400m'), 10 * MINUTE_MS).all[0]?.memory.apply).toBeNull();
  });

  test('does not revert values that a user deploys meanwhile', () => {
    const raised = amounts('800m', '512Mi');
    const deployed = { ...increased, workload: aWorkloadRecord({}, { requests: raised }) };
    const has = follow({ ...deployed, pods: pods(3, { container: { requests: raised } }) }, advised('300m', '600m'), 10 * MINUTE_MS).end;
    const over = decideWorkload({ ...has, now: has.now + DAY_MS, advice: [advised('300m')] });
    expect(over.memory.apply).toMatchObject({ stage: 'Canary', reason: 'over-provisioned' });
  });

  test('during a reduction does not hide the reduction', () => {
    const start = follow(aSituation({ policy }), advised('100m'), 5 * MINUTE_MS).end;
    const grown = follow(start, advised('100m', '140m'), 2 * HOUR_MS).end;
    expect(requests(grown)).toEqual([140, 140, 140]);
    expect(decideWorkload({ ...grown, now: grown.now + DAY_MS, advice: [advised('100m')] }).memory.apply).toMatchObject({
      stage: 'Canary',
    });
  });
});

describe('a reduction does not count as the end of an increase', () => {
  const BLIND = { confidence: 0 };
  /** Four pods that need 100m of their 500m, whose canary fails. */
  function rolledBack(): WorkloadSituation {
    const start = aSituation({ policy, pods: pods(4), advice: [advised('100m')] });
    const first = decideWorkload(start);
    const ill = resized(start.pods, first.steps).map((pod, index) =>
      index === 0 ? { ...pod, ready: false, unreadySince: T0 + MINUTE_MS } : pod,
    );
    const now = T0 + 5 * MINUTE_MS;
    const back = decideWorkload({ ...start, now, pods: ill, memory: first.memory });
    expect(back.memory.rolledBack?.reason).toBe('readiness');
    const well = resized(ill, back.steps).map((pod) => ({ ...pod, ready: true, unreadySince: null }));
    return { ...start, now, pods: well, memory: back.memory };
  }

  test('where it comes again after the hold of its roll-back: it needs confidence, canary and watch', () => {
    const held = rolledBack();
    const later = { ...held, now: held.memory.rolledBack!.heldUntil + MINUTE_MS };
    const unsure = { ...advised('100m'), cpu: { ...advised('100m').cpu!, ...BLIND } };
    expect(decideWorkload({ ...later, advice: [unsure] })).toMatchObject({ state: 'awaiting', reason: 'confidence', steps: [] });
    const again = follow(later, advised('100m'), 3 * HOUR_MS);
    expect(again.all[0]?.memory.apply).toMatchObject({ stage: 'Canary', reason: 'over-provisioned' });
    expect(again.all[0]?.steps).toHaveLength(1);
    expect(again.end.memory.observedReductions).toHaveLength(1);
  });

  test('a day after a user rolled it back', () => {
    const reduced = follow(aSituation({ policy, pods: pods(4) }), advised('100m'), 3 * HOUR_MS).end;
    const userRequests = { ...NO_USER_REQUESTS, rollback: { at: reduced.now, by: 'ann' } };
    const back = follow({ ...reduced, userRequests }, advised('100m'), 10 * MINUTE_MS).end;
    expect(requests(back)).toEqual([500, 500, 500, 500]);
    const again = decideWorkload({ ...back, now: back.now + DAY_MS });
    expect(again.memory.apply).toMatchObject({ stage: 'Canary', reason: 'over-provisioned' });
  });

  test('where a policy changes its min, its margin or its goal', () => {
    const before = follow(aSituation({ policy }), advised('1000m'), 3 * HOUR_MS).end;
    const edited = decideWorkload({ ...before, advice: [advised('100m')] });
    expect(edited.memory.apply).toMatchObject({ stage: 'Canary', reason: 'over-provisioned' });
    expect(edited.steps).toHaveLength(1);
  });

  test('and neither a raise nor the end of an increase resets the count of roll-backs', () => {
    const held = rolledBack();
    const after = { ...held, now: held.memory.rolledBack!.heldUntil + MINUTE_MS };
    const raised = follow(after, advised('500m', '900m'), 10 * MINUTE_MS).end;
    expect([requests(raised), raised.memory.rolledBack?.count]).toEqual([[900, 900, 900, 900], 1]);
    const over = follow(raised, advised('500m'), 10 * MINUTE_MS).end;
    expect([requests(over), over.memory.rolledBack?.count]).toEqual([[500, 500, 500, 500], 1]);
  });
});
