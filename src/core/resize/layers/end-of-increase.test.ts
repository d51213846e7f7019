import { describe, expect, test } from '@jest/globals';
import { anAdvice, aSituation, autoPolicy, resized, T0 } from '../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Instant } from '../../model/units.ts';
import type { ContainerAdvice } from '../../recommender/advice.ts';
import type { WorkloadDecision } from '../model/decision.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { decideWorkload } from './decide-workload.ts';

const cpu = (text: string) => Number(text.slice(0, -1));

/** CPU advice: a base, and a temporary increase on top. */
function advised(base: string, increase: string | null, baseLoweredAt: Instant): ContainerAdvice {
  const target = increase ?? base;
  const lowerBound = cpu(increase ?? base) - 5;
  return anAdvice({
    cpu: target,
    memory: '512Mi',
    cpuAdvice: { base: cpu(base), baseLoweredAt, lowerBound, increase: increase === null ? null : { until: T0 + 30 * DAY_MS } },
  });
}

/** Follows one advice for a while; each decision is carried out. */
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
  const atBase = follow(aSituation({ policy }), advised('300m', null, T0 - DAY_MS), 8 * HOUR_MS).end;
  const increased = follow(atBase, advised('300m', '600m', T0 - DAY_MS), 10 * MINUTE_MS).end;

  test('ends on all pods at once, without confidence, cool-down or verification', () => {
    expect(requests(atBase)).toEqual([300, 300, 300]);
    expect(requests(increased)).toEqual([600, 600, 600]);
    const unsure = advised('300m', null, T0 - DAY_MS);
    const over = follow(increased, { ...unsure, cpu: unsure.cpu === null ? null : { ...unsure.cpu, confidence: 0.1 } }, 10 * MINUTE_MS);
    expect(requests(over.end)).toEqual([300, 300, 300]);
    expect(over.all[0]?.memory.apply).toMatchObject({ endsIncrease: true, reason: 'temporary increase over' });
  });

  test('is a reduction where the base fell meanwhile: one pod first, after the cool-down', () => {
    const lowered = advised('200m', null, increased.now);
    expect(requests(follow(increased, lowered, 10 * MINUTE_MS).end)).toEqual([600, 600, 600]);
    const later = follow(increased, lowered, 2 * HOUR_MS + 10 * MINUTE_MS);
    const first = later.all.find(({ steps }) => steps.length > 0);
    expect(first?.memory.apply).toMatchObject({ stage: 'Canary', reason: 'less is enough' });
    expect(first?.steps).toHaveLength(1);
    expect(first?.memory.apply?.endsIncrease).toBeFalsy();
  });
});
