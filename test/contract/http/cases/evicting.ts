// pods/eviction and disruption budgets. The case itself marks pods as ready, because no kubelet runs them.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import type { CaseContext } from '../contract-case.ts';
import type { Json, RawResponse } from '../raw-client.ts';
import { expectInvalid, expectStatus, inNamespace, inNamespaceForPods, type NamespaceClient } from '../namespace-client.ts';
import { aBudget, aPod, aReplicaSet } from '../objects.ts';

const BUDGETS = 'poddisruptionbudgets.policy';
const VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget.";

function evict(api: NamespaceClient, pod: string, deleteOptions?: Json, query: Record<string, string> = {}): Promise<RawResponse> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace: api.namespace } };
  return api.act('pods', pod, 'eviction', { ...eviction, ...(deleteOptions === undefined ? {} : { deleteOptions }) }, query);
}

async function setReady(api: NamespaceClient, pod: string, ready: boolean): Promise<void> {
  const condition = { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' };
  await api.patched('merge', 'pods', pod, { status: { phase: 'Running', conditions: [condition] } }, 'status');
}

/** Creates a ReplicaSet with that many running pods, of which the last `unready` are not ready. Returns their names. */
async function replicas(api: NamespaceClient, given: CaseContext, count: number, unready = 0): Promise<string[]> {
  await api.made('replicasets.apps', aReplicaSet('web', { replicas: count }));
  const names = await given.eventually(`${count} pods: the controller of the ReplicaSet creates them`, async () => {
    const { body } = await api.client.get(api.path('pods'), { labelSelector: 'app=web' });
    return body.items.length === count ? (body.items.map((pod: Json) => pod.metadata.name) as string[]) : undefined;
  });
  for (const [index, name] of names.entries()) await setReady(api, name, index < count - unready);
  return names;
}

/** A budget for these pods, after its controller has counted them. */
async function budget(api: NamespaceClient, given: CaseContext, spec: Json, counted: Json): Promise<Json> {
  await api.made(BUDGETS, aBudget('web', spec));
  return budgetReads(api, given, counted);
}

function budgetReads(api: NamespaceClient, given: CaseContext, counted: Json): Promise<Json> {
  return given.eventually(`the budget reads ${JSON.stringify(counted)}: its controller counts the pods`, async () => {
    const { status } = await api.stored(BUDGETS, 'web');
    const isMet = Object.entries(counted).every(([field, value]) => status?.[field] === value);
    if (!isMet || status.observedGeneration === undefined) throw new Error(JSON.stringify(status));
    return status;
  });
}

/** By rule: number of pods, number of unready pods, the budget, and its expected counts. */
const ARITHMETIC: Readonly<Record<string, readonly [pods: number, unready: number, spec: Json, counted: Json]>> = {
  'minAvailable is subtracted from the healthy pods': [
    3,
    0,
    { minAvailable: 2 },
    { expectedPods: 3, currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1 },
  ],
  'minAvailable in percent is rounded up': [
    3,
    0,
    { minAvailable: '50%' },
    { expectedPods: 3, currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1 },
  ],
  'maxUnavailable is subtracted from the expected pods': [
    3,
    0,
    { maxUnavailable: 1 },
    { expectedPods: 3, currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1 },
  ],
  'maxUnavailable in percent is rounded up': [
    3,
    0,
    { maxUnavailable: '50%' },
    { expectedPods: 3, currentHealthy: 3, desiredHealthy: 1, disruptionsAllowed: 2 },
  ],
  'an unready pod is not healthy': [
    3,
    1,
    { minAvailable: 2 },
    { expectedPods: 3, currentHealthy: 2, desiredHealthy: 2, disruptionsAllowed: 0 },
  ],
  'a budget without disruptions allows none': [
    2,
    0,
    { maxUnavailable: 0 },
    { expectedPods: 2, currentHealthy: 2, desiredHealthy: 2, disruptionsAllowed: 0 },
  ],
  'the allowance is never negative': [
    2,
    2,
    { minAvailable: 1 },
    { expectedPods: 2, currentHealthy: 0, desiredHealthy: 1, disruptionsAllowed: 0 },
  ],
};

const OF_PODS = inNamespaceForPods({
  ...Object.fromEntries(
    Object.entries(ARITHMETIC).map(([rule, [pods, unready, spec, counted]]) => [
      rule,
      async (api: NamespaceClient, given: CaseContext) => {
        await replicas(api, given, pods, unready);
        await budget(api, given, spec, counted);
      },
    ]),
  ),

  'a pod without a budget is evicted': async (api) => {
    await api.made('pods', aPod('free'));
    await setReady(api, 'free', true);
    const { status, body } = await evict(api, 'free');
    expect([status, body]).toEqual([201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }]);
    expect((await api.read('pods', 'free')).status).toBe(404);
  },

  'an evicted pod that terminates slowly has the condition DisruptionTarget': async (api) => {
    await api.made('pods', aPod('slow', { nodeName: 'no-such-node' }));
    await evict(api, 'slow');
    const pod = await api.stored('pods', 'slow');
    expect(pod.metadata.deletionTimestamp).toBeDefined();
    const marked = pod.status.conditions.find((condition: Json) => condition.type === 'DisruptionTarget');
    expect(marked).toMatchObject({ status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' });
    await api.remove('pods', 'slow', { gracePeriodSeconds: 0 });
  },

  'an eviction can request another grace period': async (api) => {
    await api.made('pods', aPod('slow', { nodeName: 'no-such-node' }));
    await evict(api, 'slow', { gracePeriodSeconds: 7 });
    expect((await api.stored('pods', 'slow')).metadata.deletionGracePeriodSeconds).toBe(7);
    await api.remove('pods', 'slow', { gracePeriodSeconds: 0 });
  },

  'an eviction within the budget succeeds, and decrements the allowance': async (api, given) => {
    const [first = ''] = await replicas(api, given, 3);
    await budget(api, given, { minAvailable: 2 }, { disruptionsAllowed: 1 });
    expect((await evict(api, first)).status).toBe(201);
    await budgetReads(api, given, { disruptionsAllowed: 0 });
  },

  'an eviction beyond the budget gets 429 with the reason': async (api, given) => {
    const [first = ''] = await replicas(api, given, 2);
    await budget(api, given, { minAvailable: 2 }, { disruptionsAllowed: 0, currentHealthy: 2 });
    expectStatus(await evict(api, first), 429, 'TooManyRequests', VIOLATED, {
      causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget web needs 2 healthy pods and has 2 currently' }],
    });
    expect((await api.stored('pods', first)).metadata.deletionTimestamp).toBeUndefined();
  },

  'a dry-run eviction beyond the budget gets the same response': async (api, given) => {
    const [first = ''] = await replicas(api, given, 2);
    await budget(api, given, { minAvailable: 2 }, { disruptionsAllowed: 0, currentHealthy: 2 });
    expect((await evict(api, first, undefined, { dryRun: 'All' })).status).toBe(429);
  },

  'a dry-run eviction does not decrement the allowance': async (api, given) => {
    const [first = ''] = await replicas(api, given, 3);
    await budget(api, given, { minAvailable: 2 }, { disruptionsAllowed: 1 });
    expect((await evict(api, first, { dryRun: ['All'] })).status).toBe(201);
    expect((await api.stored(BUDGETS, 'web')).status).toMatchObject({ disruptionsAllowed: 1 });
    expect((await api.read('pods', first)).status).toBe(200);
  },

  'an unready pod is evicted while the budget is met by others': async (api, given) => {
    const names = await replicas(api, given, 3, 1);
    await budget(api, given, { minAvailable: 2 }, { disruptionsAllowed: 0, currentHealthy: 2 });
    expect((await evict(api, names.at(-1) ?? '')).status).toBe(201);
  },

  'an unready pod is not evicted while the budget is not met': async (api, given) => {
    const names = await replicas(api, given, 3, 2);
    await budget(api, given, { minAvailable: 2 }, { disruptionsAllowed: 0, currentHealthy: 1 });
    expect((await evict(api, names.at(-1) ?? '')).status).toBe(429);
  },

  'with AlwaysAllow an unready pod is always evicted': async (api, given) => {
    const names = await replicas(api, given, 3, 2);
    const spec = { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    await budget(api, given, spec, { disruptionsAllowed: 0, currentHealthy: 1 });
    expect((await evict(api, names.at(-1) ?? '')).status).toBe(201);
  },

  'a Pending pod is evicted regardless of its budget': async (api, given) => {
    const [first = ''] = await replicas(api, given, 1);
    await budget(api, given, { maxUnavailable: 0 }, { disruptionsAllowed: 0, currentHealthy: 1 });
    await api.patched('merge', 'pods', first, { status: { phase: 'Pending' } }, 'status');
    expect((await evict(api, first)).status).toBe(201);
  },

  'a finished pod is evicted regardless of its budget': async (api, given) => {
    // Without an owner: a ReplicaSet would delete the surplus.
    await api.made('pods', aPod('done', {}, { labels: { app: 'web' } }));
    await budget(api, given, { minAvailable: 5 }, { disruptionsAllowed: 0, desiredHealthy: 5 });
    await api.patched('merge', 'pods', 'done', { status: { phase: 'Succeeded' } }, 'status');
    expect((await evict(api, 'done')).status).toBe(201);
  },

  'a pod with two budgets gets 500': async (api, given) => {
    const [first = ''] = await replicas(api, given, 2);
    await budget(api, given, { minAvailable: 1 }, { disruptionsAllowed: 1 });
    await api.made(BUDGETS, { ...aBudget('other'), spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } } });
    // A real server reads budgets from a cache.
    const answer = await given.eventually('it is refused: the cache of budgets follows every write', async () => {
      const response = await evict(api, first, undefined, { dryRun: 'All' });
      return response.status === 500 ? response : undefined;
    });
    expect(answer.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      code: 500,
    });
  },

  'a uid precondition that fails prevents an eviction': async (api) => {
    await api.made('pods', aPod('guarded'));
    await setReady(api, 'guarded', true);
    const answer = await evict(api, 'guarded', { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } });
    expect([answer.status, answer.body.reason, answer.body.message]).toEqual([
      409,
      'Conflict',
      expect.stringMatching(/the UID in the precondition \(00000000-0000-4000-8000-000000000000\) does not match the UID in record/),
    ]);
    expect((await api.read('pods', 'guarded')).status).toBe(200);
  },

  'the name in the eviction must equal that of the path': async (api) => {
    await api.made('pods', aPod('right'));
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'wrong' } };
    const answer = await api.act('pods', 'right', 'eviction', eviction);
    expectStatus(answer, 400, 'BadRequest', 'name in URL does not match name in Eviction object');
  },

  'an eviction of a missing pod gets 404': async (api) => {
    expectStatus(await evict(api, 'absent'), 404, 'NotFound', 'pods "absent" not found', { name: 'absent', kind: 'pods' });
  },
});

/** By rule: the spec of a budget, and the expected error. */
const PLAIN = inNamespace({
  'a budget has either minAvailable or maxUnavailable': async (api) => {
    const { status, body } = await api.create(BUDGETS, aBudget('both', { minAvailable: 1, maxUnavailable: 1 }));
    expect([status, body.details.causes.map((cause: Json) => [cause.reason, cause.field])]).toEqual([422, [['FieldValueInvalid', 'spec']]]);
    expect(body.message).toMatch(/minAvailable and maxUnavailable cannot be both set$/);
  },

  'a budget is not negative': async (api) => {
    expectInvalid(await api.create(BUDGETS, aBudget('negative', { minAvailable: -1 })), 'PodDisruptionBudget.policy', 'negative', [
      ['FieldValueInvalid', 'spec.minAvailable', 'Invalid value: -1: must be greater than or equal to 0'],
    ]);
  },

  'a budget is at most 100 %': async (api) => {
    expectInvalid(await api.create(BUDGETS, aBudget('all', { maxUnavailable: '101%' })), 'PodDisruptionBudget.policy', 'all', [
      ['FieldValueInvalid', 'spec.maxUnavailable', 'Invalid value: "101%": must not be greater than 100%'],
    ]);
  },

  'a budget in percent requires the percent sign': async (api) => {
    expectInvalid(await api.create(BUDGETS, aBudget('bare', { minAvailable: 'ten' })), 'PodDisruptionBudget.policy', 'bare', [
      [
        'FieldValueInvalid',
        'spec.minAvailable',
        "Invalid value: \"ten\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ],
    ]);
  },

  'an unhealthyPodEvictionPolicy has a supported value': async (api) => {
    expectInvalid(await api.create(BUDGETS, aBudget('odd', { unhealthyPodEvictionPolicy: 'Never' })), 'PodDisruptionBudget.policy', 'odd', [
      [
        'FieldValueNotSupported',
        'spec.unhealthyPodEvictionPolicy',
        'Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
      ],
    ]);
  },
});

export const EVICTION_CASES = area('eviction and budgets', { ...OF_PODS, ...PLAIN });
