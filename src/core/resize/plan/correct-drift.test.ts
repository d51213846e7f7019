import { describe, expect, test } from '@jest/globals';
import { APPROVE } from '../../../../test/builders/approvals.ts';
import {
  aContainer,
  amounts,
  anAdvice,
  aPodRecord,
  aSituation,
  aWorkloadRecord,
  autoPolicy,
  memory,
  T0,
} from '../../../../test/builders/rightsizing.ts';
import { DAY_MS, GiB } from '#kube/units';
import { decideWorkload } from '../layers/decide-workload.ts';
import { NO_MEMORY, NO_USER_REQUESTS, type WorkloadSituation } from '../model/situation.ts';

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

  test.each([
    ['keeps its memory where the highest usage is above them by less than the dead band', '1060Mi', '2Gi'],
    ['gets them where they are above the highest usage, and less than its margin is missing', '1000Mi', '1Gi'],
  ])('%s', (_, peak, expected) => {
    const situation = drifted({ cpu: '500m', memory: '1070Mi' });
    const advice = anAdvice({ cpu: '500m', memory: '1070Mi' });
    const { steps } = decideWorkload({
      ...situation,
      policy: autoPolicy(),
      advice: [{ ...advice, memory: advice.memory && { ...advice.memory, peak: memory(peak) } }],
    });
    expect(steps.map(({ kind, containers: [main] }) => [kind, main?.to.requests])).toEqual([['correct-drift', amounts('500m', expected)]]);
  });

  test('keeps the memory that it got after an OOM kill, where the limit in force is below the highest usage', () => {
    const limits = (memoryText: string) => amounts(null, memoryText);
    const after = { requests: amounts('500m', '2047Mi'), limits: limits('2Gi') };
    const situation = drifted({ cpu: '500m', memory: '1100Mi' });
    const inForce = { requests: amounts('500m', '1Gi'), limits: limits('1Gi') };
    const { steps } = decideWorkload({
      ...situation,
      policy: autoPolicy(),
      pods: [aPodRecord({ name: 'web-1', containers: [aContainer({ record: { ...after, actual: after } })] })],
      memory: {
        ...situation.memory,
        lastApplied: situation.memory.lastApplied && { ...situation.memory.lastApplied, values: new Map([['main', inForce]]) },
      },
    });
    expect(steps).toEqual([]);
  });

  test.each([
    ['falls', '100m'],
    ['rises', '1'],
  ])('keeps its memory while an approved change of another container %s', (_, proxyCpu) => {
    const { steps } = decideWorkload(withProxy(proxyCpu));
    const memories = steps
      .flatMap(({ containers }) => containers.filter(({ name }) => name === 'main'))
      .map(({ to }) => to.requests.memoryBytes);
    expect(steps).not.toEqual([]);
    expect(memories.filter((bytes) => bytes !== 2 * GiB)).toEqual([]);
  });
});

/** The raise of `main` is not approved, and the CPU of `proxy` is. */
function withProxy(proxyCpu: string): WorkloadSituation {
  const situation = drifted({ cpu: '500m', memory: '1536Mi' });
  const proxy = { requests: amounts('500m', '512Mi'), limits: NONE };
  const requests = amounts('1', '2Gi');
  const containers = [
    aContainer({ record: { requests, limits: NONE, actual: { requests, limits: NONE } } }),
    aContainer({ name: 'proxy', record: { ...proxy, actual: proxy } }),
  ];
  const { lastApplied, template } = situation.memory;
  return {
    ...situation,
    workload: aWorkloadRecord({
      containers: containers.map(({ name, ...each }) => ({
        name,
        requests: each.requests,
        limits: each.limits,
        sidecar: false,
        image: name,
      })),
    }),
    pods: [1, 2, 3].map((index) => aPodRecord({ name: `web-${index}`, containers })),
    advice: [...situation.advice, anAdvice({ container: 'proxy', cpu: proxyCpu, memory: '512Mi' })],
    memory: {
      ...situation.memory,
      template: new Map([...template, ['proxy', proxy]]),
      lastApplied: lastApplied && { ...lastApplied, values: new Map([...lastApplied.values, ['proxy', proxy]]) },
    },
    userRequests: {
      ...NO_USER_REQUESTS,
      approved: { at: T0, by: 'ann', values: new Map([['proxy', { requests: amounts(proxyCpu, '512Mi'), limits: NONE }]]) },
    },
  };
}
