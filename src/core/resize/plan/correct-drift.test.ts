import { describe, expect, test } from '@jest/globals';
import { APPROVE } from '../../../../test/builders/approvals.ts';
import { aContainer, amounts, anAdvice, aPodRecord, aSituation, T0 } from '../../../../test/builders/rightsizing.ts';
import { DAY_MS } from '#kube/units';
import { decideWorkload } from '../layers/decide-workload.ts';
import { NO_MEMORY } from '../model/situation.ts';

const NONE = amounts(null, null);
const IN_FORCE = { requests: amounts('500m', '1Gi'), limits: NONE };

/** A pod that was created with twice the requests in force, while a raise waits for its approval. */
function drifted(recommended: { readonly cpu: string; readonly memory: string }) {
  const requests = amounts('1', '2Gi');
  return aSituation({
    policy: APPROVE,
    pods: [
      aPodRecord({ name: 'web-1', containers: [aContainer({ record: { requests, limits: NONE, actual: { requests, limits: NONE } } })] }),
    ],
    advice: [anAdvice(recommended)],
    memory: {
      ...NO_MEMORY,
      template: new Map([['main', { requests, limits: NONE }]]),
      lastApplied: { at: T0 - DAY_MS, by: 'evenkeel', reason: 'lower recommendation', pods: 1, values: new Map([['main', IN_FORCE]]) },
    },
  });
}

describe('a pod above the values in force', () => {
  test('gets them where they suffice', () => {
    const { steps } = decideWorkload(drifted({ cpu: '500m', memory: '1Gi' }));
    expect(steps.map(({ kind, containers: [main] }) => [kind, main?.to.requests])).toEqual([['correct-drift', IN_FORCE.requests]]);
  });

  test('keeps its memory while a raise of memory waits', () => {
    const { state, reason, steps } = decideWorkload(drifted({ cpu: '500m', memory: '1536Mi' }));
    expect([state, reason]).toEqual(['awaiting', 'approval']);
    expect(steps.map(({ containers: [main] }) => main?.to.requests)).toEqual([amounts('500m', '2Gi')]);
  });
});
