import { describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, aWorkloadRecord, pods, resized, T0 } from '../../../../../test/builders/rightsizing.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import { decideWorkload } from '../../layers/decide-workload.ts';
import type { WorkloadSituation } from '../../model/situation.ts';

const OLD = { requests: amounts('1', '1Gi'), limits: amounts(null, '2Gi') };
const LEARNT = { requests: amounts('500m', '512Mi'), limits: amounts(null, '2Gi') };
const RAISED = { requests: amounts('2', '2Gi'), limits: amounts(null, '4Gi') };

/** Decides every five minutes and applies the steps. */
function live(start: WorkloadSituation, forMs: number): WorkloadSituation {
  let situation = start;
  while (situation.now < start.now + forMs) {
    const { memory, steps } = decideWorkload(situation);
    situation = { ...situation, memory, pods: resized(situation.pods, steps), now: situation.now + 5 * MINUTE_MS };
  }
  return situation;
}

/** Values in force of 500m and 512Mi with a template of 1 CPU and 1Gi; confidence is too low for further reductions. */
function settled(): WorkloadSituation {
  const advice = anAdvice({ cpu: '500m', memory: '512Mi', cpuAdvice: { confidence: 0 }, memoryAdvice: { confidence: 0 } });
  const start = aSituation({ workload: aWorkloadRecord({}, OLD), pods: pods(3, { container: LEARNT }), advice: [advice] });
  const lastApplied = { at: T0 - 72 * HOUR_MS, by: 'evenkeel', reason: 'x', pods: 3, values: new Map([['main', LEARNT]]) };
  return live({ ...start, memory: { ...start.memory, lastApplied } }, 10 * MINUTE_MS);
}

function deployed(template: typeof OLD, situation = settled()): WorkloadSituation {
  return { ...situation, workload: aWorkloadRecord({}, template), pods: pods(3, { container: template }) };
}

const valuesOf = ({ pods: all }: WorkloadSituation) =>
  all.map(({ containers: [main] }) => ({ requests: main?.requests, limits: main?.limits }));

describe('A template that a user has raised', () => {
  test('keeps its values in new pods until confidence and the other gates permit a reduction', () => {
    const after = live(deployed(RAISED), 4 * HOUR_MS);
    expect(valuesOf(after)).toEqual([RAISED, RAISED, RAISED]);
    expect(after.memory.lastApplied?.values.get('main')).toMatchObject(RAISED);
  });

  test('keeps its values in new pods during its roll-out, and raises no pod of the old template', () => {
    const raised = deployed(RAISED);
    const [first, second] = pods(3, { container: LEARNT });
    const mixed = [first!, second!, raised.pods[2]!];
    const after = live({ ...raised, workload: { ...raised.workload, rolloutInProgress: true }, pods: mixed }, HOUR_MS);
    expect(valuesOf(after)).toEqual([LEARNT, LEARNT, RAISED]);
  });

  test('in one amount keeps the other values in force', () => {
    const more = { requests: amounts('1', '1Gi'), limits: amounts(null, '4Gi') };
    const expected = { requests: LEARNT.requests, limits: more.limits };
    expect(valuesOf(live(deployed(more), HOUR_MS))).toEqual([expected, expected, expected]);
  });

  test('is reduced again once confidence is sufficient', () => {
    const sure = { ...deployed(RAISED), advice: [anAdvice({ cpu: '500m', memory: '512Mi' })] };
    const [first] = valuesOf(live(sure, 24 * HOUR_MS));
    expect(first?.requests).toEqual(LEARNT.requests);
  });

  test('with unchanged values does not count: new pods get the values in force', () => {
    expect(valuesOf(live(deployed(OLD), HOUR_MS))).toEqual([LEARNT, LEARNT, LEARNT]);
  });
});
