import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { aWorkloadRecord } from '../../test/builders/records.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';

const WEB = '/api/v1/resource-audit/shop/web';

let world: DashboardWorld;
let client: DashboardClient;
beforeEach(async () => {
  world = dashboardWorld();
  client = await startDashboard(world);
});
afterEach(() => client.close());

const workload = (name: string) => world.cluster.workloadList.find((each) => each.name === name)!;
const annotate = (name: string, annotations: Record<string, string>) => {
  world.cluster.workloadList = world.cluster.workloadList.map((each) => (each.name === name ? { ...each, annotations } : each));
};

describe('the audit', () => {
  test('lists template, recommendation and pods of each container, and their drift', async () => {
    const { body } = await client.get('/api/v1/resource-audit/shop/cart');
    const [container] = body.data.containers;
    expect(container).toMatchObject({ name: 'app', drift: body.data.drift });
    expect(container.pods.map(({ pod }: { pod: string }) => pod)).toEqual(['cart-0', 'cart-1', 'cart-2'].slice(0, container.pods.length));
    expect(container.template.requests).not.toEqual(container.pods[0].requests);
  });

  test('detects a manual resize', async () => {
    world.cluster.podList = world.cluster.podList.map((pod) =>
      pod.name === 'web-0'
        ? { ...pod, containers: pod.containers.map((each) => ({ ...each, requests: { cpuMillicores: 7777, memoryBytes: 1 } })) }
        : pod,
    );
    const { body } = await client.get('/api/v1/resource-audit?drift=manual');
    expect(body.data.map((item: { workload: { name: string } }) => item.workload.name)).toEqual(['web']);
    expect(body.meta.total).toBe(1);
  });

  test('shows only evenkeel.io annotations', async () => {
    annotate('web', { 'evenkeel.io/mode': 'Off', 'meta.helm.sh/release-name': 'shop' });
    expect((await client.get(WEB)).body.data.annotations).toEqual({ 'evenkeel.io/mode': 'Off' });
  });
});

test.each([
  ['an object that is no text', '{"toString":0}'],
  ['lists in lists', `${'['.repeat(7000)}${']'.repeat(7000)}`],
  ['a number', '1'],
])('an applied-values annotation with %s as an amount hides no workload', async (_, cpu) => {
  annotate('web', { 'evenkeel.io/resized': `{"to":[{"name":"app","requests":{"cpu":${cpu}}}]}` });
  const [list, one] = [await client.get('/api/v1/resource-audit?drift=none'), await client.get(WEB)];
  expect([list.status, one.status]).toEqual([200, 200]);
});

describe('reset to deploy', () => {
  test('blocks automatic changes at once and leaves the rest to the leader', async () => {
    const answer = await client.send('POST', `${WEB}/reset-to-deploy`, { for: '2h', reason: 'too small' });
    expect(answer.status).toBe(202);
    expect(answer.body.data).toMatchObject({ resetPending: true, annotations: { 'evenkeel.io/held-until': '2026-11-20T16:30:00.000Z' } });
    expect(JSON.parse(workload('web').annotations['evenkeel.io/reset-to-deploy']!)).toEqual({
      signature: expect.any(String),
      by: 'anonymous',
      at: '2026-11-20T14:30:00.000Z',
      heldUntil: '2026-11-20T16:30:00.000Z',
      reason: 'too small',
    });
    expect(world.events[0]).toMatchObject({ reason: 'ResetRequested' });
  });

  test.each([
    ['the cluster’s own namespace', 'kube-system', {}],
    ['Evenkeel’s own namespace', 'evenkeel-system', {}],
    ['a namespace that a policy excludes', 'bank', { excludeNamespaces: ['ba*'] }],
  ])('is refused in %s, and so is every other change of a workload or its Recommendation', async (_case, namespace, spec) => {
    world.cluster.workloadList = [aWorkloadRecord({ kind: 'Deployment', name: 'dns', namespace, uid: 'uid-dns' })];
    world.cluster.podList = [{ ...world.cluster.podList[0]!, name: 'single', namespace, labels: {} }];
    world.cluster.policyList = [{ apiVersion: 'evenkeel.io/v1alpha1', kind: 'PodResizePolicy', metadata: { name: 'all' }, spec }];
    const dns = `/api/v1/recommendations/${namespace}/dns`;
    const answers = [
      await client.send('POST', `/api/v1/resource-audit/${namespace}/dns/reset-to-deploy`, {}),
      await client.send('POST', `/api/v1/resource-audit/${namespace}/dns/reset-to-deploy`, { for: '91d' }),
      await client.send('POST', `/api/v1/resource-audit/${namespace}/single/reset-to-deploy`, {}),
      await client.send('DELETE', `/api/v1/resource-audit/${namespace}/dns/annotations`),
      await client.send('DELETE', `/api/v1/resource-audit/${namespace}/dns/recommendation`),
      await client.send('PATCH', `/api/v1/overrides/${namespace}/dns/floor`, { floor: { '*': { cpu: '1' } } }),
      await client.send('PUT', `${dns}/mode`, { mode: 'Off' }),
      await client.send('POST', `${dns}/approve`, { containers: [{ name: 'app', requests: { cpuMillicores: 1, memoryBytes: 1 } }] }),
      await client.send('POST', `${dns}/reject`, {}),
      await client.send('POST', `${dns}/rollback`, {}),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(answers.map(() => [403, 'forbidden']));
    for (const { body } of answers) expect(body.error.message).toContain(namespace);
    expect(world.records.written).toEqual([]);
  });

  test('no cycle is triggered where every policy selects only reserved namespaces', async () => {
    world.cluster.policyList = ['kube-system', 'evenkeel-system'].map((namespace) => ({
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'PodResizePolicy',
      metadata: { name: `only-${namespace}` },
      spec: { namespaces: [namespace] },
    }));
    const { status, body } = await client.send('POST', '/api/v1/resize-cycle/trigger', {});
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
    expect(world.records.written).toEqual([]);
  });

  test('blocks changes for 24 hours by default, and joins a pending reset', async () => {
    const first = await client.send('POST', `${WEB}/reset-to-deploy`, {});
    expect(first.body.data.annotations['evenkeel.io/held-until']).toBe('2026-11-21T14:30:00.000Z');
    world.clock.advance(1000);
    const second = await client.send('POST', `${WEB}/reset-to-deploy`);
    expect([second.status, world.records.written.length]).toEqual([202, 1]);
  });

  test('in dry-run is validated and stores nothing', async () => {
    world.mode = 'dry-run';
    const answer = await client.send('POST', `${WEB}/reset-to-deploy`, {});
    expect([answer.status, answer.body.meta.dryRun]).toEqual([202, true]);
    expect([world.records.written[0]?.dryRun, workload('web').annotations]).toEqual([true, {}]);
  });

  test('under a policy in dry run is validated and stores nothing, alone and in a bulk', async () => {
    world.cluster.policyList = world.cluster.policyList.map((policy) => ({ ...policy, spec: { ...policy.spec, dryRun: true } }));
    const one = await client.send('POST', `${WEB}/reset-to-deploy`, {});
    const items = [{ namespace: 'shop', name: 'web' }];
    const bulk = await client.send('POST', '/api/v1/resource-audit/bulk', { action: 'reset-to-deploy', items });
    expect([one.status, one.body.meta.dryRun, bulk.status, bulk.body.meta.dryRun]).toEqual([202, true, 200, true]);
    expect(bulk.body.data).toEqual([{ index: 0, ok: true, dryRun: true }]);
    expect([world.records.written.map(({ dryRun }) => dryRun), workload('web').annotations]).toEqual([[true, true], {}]);
  });

  test.each(['Job', 'CronJob', 'ReplicaSet'])('of a %s is not feasible, and the message has the alternative', async (kind) => {
    world.cluster.workloadList.push(aWorkloadRecord({ kind, name: 'thing', namespace: 'shop' }));
    const answer = await client.send('POST', '/api/v1/resource-audit/shop/thing/reset-to-deploy', {});
    expect([answer.status, answer.body.error.code]).toEqual([422, 'not_feasible']);
    expect(answer.body.error.message).toContain('thing');
  });

  test.each([
    [
      'a Rollout of Argo Rollouts',
      { kind: 'Rollout', apiVersion: 'argoproj.io/v1alpha1', plural: 'rollouts' },
      'kubectl argo rollouts restart thing -n shop',
    ],
    ['a Rollout of another group', { kind: 'Rollout', apiVersion: 'rollouts.example.com/v1', plural: 'rollouts' }, 'rollouts.example.com'],
    ['a kind with a scale subresource', { kind: 'Ox', apiVersion: 'db.example.com/v1', plural: 'oxen' }, 'as its controller provides'],
  ])('of %s is not feasible: nothing is written, and the message has the alternative', async (_, kind, words) => {
    world.cluster.workloadList.push(aWorkloadRecord({ ...kind, scalable: true, name: 'thing', namespace: 'shop' }));
    const one = await client.send('POST', '/api/v1/resource-audit/shop/thing/reset-to-deploy', {});
    const items = [{ namespace: 'shop', name: 'thing' }];
    const bulk = await client.send('POST', '/api/v1/resource-audit/bulk', { action: 'reset-to-deploy', items });
    expect([one.status, one.body.error]).toEqual([422, expect.objectContaining({ code: 'not_feasible' })]);
    expect(one.body.error.message).toContain(words);
    expect(one.body.error.message).not.toContain('does not roll out');
    expect(bulk.body.data).toEqual([{ index: 0, ok: false, error: { code: 'not_feasible', message: one.body.error.message } }]);
    expect([world.records.written, workload('thing').annotations]).toEqual([[], {}]);
  });

  test.each(['paused', 'on-delete'] as const)('of a workload whose rollouts are held (%s) is not feasible', async (rolloutHeld) => {
    world.cluster.workloadList = world.cluster.workloadList.map((each) => (each.name === 'web' ? { ...each, rolloutHeld } : each));
    expect((await client.send('POST', `${WEB}/reset-to-deploy`, {})).body.error.code).toBe('not_feasible');
  });

  test('of a bare pod is not feasible', async () => {
    world.cluster.podList.push({ ...world.cluster.podList[0]!, name: 'single', namespace: 'shop', labels: {} });
    const answer = await client.send('POST', '/api/v1/resource-audit/shop/single/reset-to-deploy', {});
    expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringContaining('bare pod')]);
  });

  test.each(['0s', 'soon', '91d', '30s'])('for %s is a 400', async (duration) => {
    const answer = await client.send('POST', `${WEB}/reset-to-deploy`, { for: duration });
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, '/for']);
  });
});

describe('removal of Evenkeel’s state', () => {
  test('size annotations are removed, protections stay', async () => {
    annotate('web', { 'evenkeel.io/floor': '{"app":{"cpu":"1"}}', 'evenkeel.io/exclude': 'true', 'evenkeel.io/do-not-disrupt': 'true' });
    const { body } = await client.send('DELETE', `${WEB}/annotations`);
    expect(body.data.annotations).toEqual({ 'evenkeel.io/do-not-disrupt': 'true' });
  });

  test('the Recommendation is deleted; a missing one is reported', async () => {
    const { body } = await client.send('DELETE', `${WEB}/recommendation`);
    expect(body.data.containers[0].recommendation).toBeNull();
    expect((await client.send('DELETE', `${WEB}/recommendation`)).status).toBe(404);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a hold that is no duration', { action: 'reset-to-deploy', for: '1y' }],
    ['a hold too short', { action: 'reset-to-deploy', for: '30s' }],
    ['a hold for what holds nothing', { action: 'strip-annotations', for: '1h' }],
    ['a hold for a deletion', { action: 'delete-recommendation', for: '1h' }],
  ])('a bulk with %s is a 400 without changes', async (_, body) => {
    const answer = await client.send('POST', '/api/v1/resource-audit/bulk', { ...body, items: [{ namespace: 'shop', name: 'web' }] });
    expect([answer.status, answer.body.error.details.map(({ path }: { path: string }) => path)]).toEqual([400, ['/for']]);
    expect(world.records.written).toEqual([]);
  });

  test('501 items are a 400 without changes; a failing one is reported and does not stop the others', async () => {
    const items = Array.from({ length: 501 }, () => ({ namespace: 'shop', name: 'web' }));
    const tooMany = await client.send('POST', '/api/v1/resource-audit/bulk', { action: 'reset-to-deploy', items });
    expect([tooMany.status, world.records.written.length]).toEqual([400, 0]);
    const { body } = await client.send('POST', '/api/v1/resource-audit/bulk', {
      action: 'reset-to-deploy',
      items: [items[0], { namespace: 'shop', name: 'nothing' }, { namespace: 'shop', name: 'cart' }],
    });
    expect(body.data.map((result: { ok: boolean }) => result.ok)).toEqual([true, false, true]);
    expect(body.meta.summary).toEqual({ succeeded: 2, failed: 1 });
  });
});
