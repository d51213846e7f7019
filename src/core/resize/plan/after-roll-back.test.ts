// While a roll-back is held, what is too small is raised all the same: safety writes never wait behind savings.

import { describe, expect, test } from '@jest/globals';
import { anAdvice, aSituation, memory, NO_OVERRIDES, pods, resized, T0 } from '../../../../test/builders/rightsizing.ts';
import { formatMemory } from '../../model/quantity.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../model/units.ts';
import { decideWorkload } from '../layers/decide-workload.ts';
import type { WorkloadDecision } from '../model/decision.ts';
import { NO_USER_REQUESTS, type WorkloadSituation } from '../model/situation.ts';

const lessCpu = anAdvice({ cpu: '100m', memory: '512Mi' });
const shortOfCpu = anAdvice({ cpu: '2', memory: '512Mi', cpuAdvice: { lowerBound: 1900, latest: 1900 } });
const shortOfMemory = anAdvice({ cpu: '500m', memory: '3Gi', memoryAdvice: { lowerBound: memory('2900Mi'), latest: memory('2900Mi') } });

function after(situation: WorkloadSituation, decision: WorkloadDecision, ms: number): WorkloadSituation {
  return { ...situation, memory: decision.memory, pods: resized(situation.pods, decision.steps), now: situation.now + ms };
}

/** The first pod is not ready for a while. */
function ill(situation: WorkloadSituation): WorkloadSituation {
  const unreadySince = situation.now - 3 * MINUTE_MS;
  return { ...situation, pods: situation.pods.map((pod, index) => (index === 0 ? { ...pod, ready: false, unreadySince } : pod)) };
}

function well(situation: WorkloadSituation): WorkloadSituation {
  return { ...situation, pods: situation.pods.map((pod) => ({ ...pod, ready: true, unreadySince: null })) };
}

/** Four pods of 500m and 512Mi whose canary failed with less; an hour later. */
function rolledBack(advice = lessCpu): WorkloadSituation {
  const start = aSituation({ pods: pods(4), advice: [advice] });
  const harmed = ill(after(start, decideWorkload(start), 5 * MINUTE_MS));
  return well(after(harmed, decideWorkload(harmed), HOUR_MS));
}

const requests = ({ pods: all }: WorkloadSituation) =>
  all.map(({ containers }) => `${containers[0]?.requests.cpuMillicores}m ${formatMemory(containers[0]?.requests.memoryBytes ?? 0)}`);
const alike = (text: string) => [text, text, text, text];

describe('while an automatic roll-back is held', () => {
  test.each([
    ['CPU', shortOfCpu, '2000m 512Mi'],
    ['memory', shortOfMemory, '500m 3Gi'],
  ])('what is short of %s is raised at once, on all pods; nothing is reduced, and the next hold is longer', (_case, short, has) => {
    const held = rolledBack();
    expect(requests(held)).toEqual(alike('500m 512Mi'));
    const raised = after(held, decideWorkload({ ...held, advice: [short] }), MINUTE_MS);
    expect(requests(raised)).toEqual(alike(has));
    const settled = decideWorkload({ ...raised, advice: [short] });
    expect(settled.memory.rolledBack).toMatchObject({ count: 1, heldUntil: held.memory.rolledBack!.heldUntil });
    const later = decideWorkload({ ...after(raised, settled, 8 * HOUR_MS), advice: [lessCpu] });
    expect([later.reason, later.steps]).toEqual(['rolled-back', []]);
  });

  test('what would be a little more comfortable waits', () => {
    const held = rolledBack();
    const more = anAdvice({ cpu: '700m', memory: '512Mi', cpuAdvice: { lowerBound: 400 } });
    expect(decideWorkload({ ...held, advice: [more] })).toMatchObject({ reason: 'rolled-back', steps: [] });
  });
});

test.each<[string, (situation: WorkloadSituation) => WorkloadSituation]>([
  ['a roll-back', (held) => ({ ...held, userRequests: { ...NO_USER_REQUESTS, rollback: { at: T0, by: 'ann' } } })],
  ['a hold', (held) => ({ ...held, overrides: { ...NO_OVERRIDES, heldUntil: held.now + DAY_MS } })],
])('%s that a person asked for holds raises, too', (_case, asked) => {
  const start = asked(aSituation({ pods: pods(4), advice: [shortOfCpu] }));
  expect(decideWorkload(start)).toMatchObject({ state: 'awaiting', reason: 'hold', steps: [] });
});

describe('a roll-back', () => {
  /** Memory falls on the canary; meanwhile more CPU is needed, and then the canary fails. */
  function raisedMeanwhile(): WorkloadSituation {
    const start = aSituation({ pods: pods(4), advice: [anAdvice({ cpu: '500m', memory: '128Mi' })] });
    const reduced = after(start, decideWorkload(start), 2 * MINUTE_MS);
    const short = { ...reduced, advice: [anAdvice({ cpu: '2', memory: '128Mi', cpuAdvice: { lowerBound: 1900, latest: 1900 } })] };
    return after(short, decideWorkload(short), 4 * MINUTE_MS);
  }

  test('for harm takes back what was reduced, and nothing that was raised meanwhile', () => {
    const harmed = ill(raisedMeanwhile());
    const decision = decideWorkload(harmed);
    expect(decision.memory.rolledBack?.reason).toBe('readiness');
    expect(requests(after(harmed, decision, MINUTE_MS))).toEqual(alike('2000m 512Mi'));
  });

  test('that a person asks for takes back both', () => {
    const asked = { ...raisedMeanwhile(), userRequests: { ...NO_USER_REQUESTS, rollback: { at: T0, by: 'ann' } } };
    const back = after(asked, decideWorkload(asked), MINUTE_MS);
    expect(requests(after(back, decideWorkload(back), MINUTE_MS))).toEqual(alike('500m 512Mi'));
  });
});

test('a change under way that began after a roll-back is held, not taken back, while usage is stale', () => {
  const start = { ...rolledBack(), now: T0 + 2 * DAY_MS };
  const begun = after(start, decideWorkload(start), 2 * MINUTE_MS);
  expect(requests(begun)).toContain('100m 512Mi');
  const stale: WorkloadSituation = {
    ...begun,
    standing: { ...begun.standing, stale: { source: 'usage', message: 'usage: last confirmed 5 minutes ago' } },
  };
  const held = decideWorkload(stale);
  expect([held.reason, held.steps]).toEqual(['stale-data', []]);
});
