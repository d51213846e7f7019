import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { withExceptions } from '../../test/builders/exceptions.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';

const LIST = '/api/v1/limit-exceptions';
const CHECKOUT = `${LIST}/shop/checkout`;
const closed = { closedAt: '2026-11-20T14:00:00.000Z' };

let world: DashboardWorld;
let client: DashboardClient;
beforeEach(async () => {
  world = dashboardWorld();
  withExceptions(
    world,
    'checkout',
    { applied: true, overage: { before: '256Mi', value: '320Mi', since: '2026-11-20T13:30:00Z', until: '2026-11-21T13:30:00Z' } },
    { resource: 'cpu', type: 'cpu-throttled', limit: '500m', observed: '500m', proposed: '750m', openedAt: '2026-11-20T14:29:00Z' },
  );
  withExceptions(world, 'cart', { state: 'resolved', type: 'oom-killed', ...closed });
  client = await startDashboard(world);
});
afterEach(() => client.close());

const decisions = () =>
  world.cluster.recommendationList.find(({ spec }) => spec.targetRef.name === 'checkout')?.spec.exceptionDecisions ?? [];

describe('limit exceptions', () => {
  test('are listed in every state, newest first, with counts', async () => {
    const { body } = await client.get(LIST);
    expect(body.data.map((item: { name: string; resource: string; state: string }) => [item.name, item.resource, item.state])).toEqual([
      ['checkout', 'cpu', 'open'],
      ['checkout', 'memory', 'open'],
      ['cart', 'memory', 'resolved'],
    ]);
    expect(body.data[1]).toMatchObject({
      namespace: 'shop',
      kind: 'Deployment',
      container: 'app',
      type: 'usage-over-limit',
      unit: 'bytes',
      limit: 256 * 2 ** 20,
      observed: 244 * 2 ** 20,
      proposed: 320 * 2 ** 20,
      applied: true,
      appliedUntil: '2026-11-21T13:30:00.000Z',
      occurrences: 1,
    });
    expect(body.meta.summary).toMatchObject({ open: 2, resolved: 1, applied: 1, byType: { 'cpu-throttled': 1 } });
  });

  test.each([
    ['state=open&resource=cpu', 1],
    ['type=oom-killed', 1],
    ['container=other', 0],
    ['namespace=pay', 0],
    ['q=CART', 1],
    ['kind=StatefulSet', 1],
    ['bound=ceiling', 0],
    ['bound=limit', 3],
  ])('are filtered: %s', async (query, count) => {
    expect((await client.get(`${LIST}?${query}`)).body.meta.total).toBe(count);
  });

  test('are paged, exported as CSV, and 304 where unchanged', async () => {
    const first = await client.get(`${LIST}?limit=1&sort=occurrences`);
    expect(first.body.meta.nextCursor).toBeDefined();
    const all = await client.get(LIST);
    expect((await client.get(LIST, { 'if-none-match': all.headers.get('etag') ?? '' })).status).toBe(304);
    expect((await client.get(`${LIST}?format=csv`)).text).toMatch(/^namespace,name,kind,container,resource,type/);
    expect((await client.get(`${LIST}?colour=red`)).status).toBe(400);
  });

  test('are approved together: the intent is stored for the leader and applies at once', async () => {
    const { status, body } = await client.send('POST', `${CHECKOUT}/approve`, { reason: 'it grew' });
    expect([status, body.meta.total]).toEqual([200, 2]);
    expect(body.data).toMatchObject([
      { resource: 'memory', state: 'approved', approvedValue: 320 * 2 ** 20, decidedBy: 'anonymous', settled: false },
      { resource: 'cpu', state: 'approved', approvedValue: 750 },
    ]);
    expect(decisions()).toMatchObject([
      { resource: 'memory', decision: 'approve', by: 'anonymous', at: '2026-11-20T14:30:00.000Z', reason: 'it grew' },
      { resource: 'cpu', decision: 'approve' },
    ]);
    expect(world.events[0]).toMatchObject({ reason: 'Approved' });
    expect(world.logger.lines.find(({ message }) => message === 'audit')?.fields).toMatchObject({ outcome: 'allowed' });
  });

  test('one is approved with an explicit value, and a later decision on another is added', async () => {
    const one = { container: 'app', resource: 'memory', value: '300Mi' };
    expect((await client.send('POST', `${CHECKOUT}/approve`, one)).status).toBe(200);
    expect((await client.send('POST', `${CHECKOUT}/reject`, { resource: 'cpu' })).status).toBe(200);
    expect(decisions()).toMatchObject([
      { resource: 'memory', decision: 'approve', value: '300Mi' },
      { resource: 'cpu', decision: 'reject' },
    ]);
    // Repeating the decision changes nothing; a different decision is too late.
    const { length } = world.records.written;
    expect((await client.send('POST', `${CHECKOUT}/approve`, { ...one, value: 300 * 2 ** 20 })).status).toBe(200);
    expect(world.records.written).toHaveLength(length);
    expect((await client.send('POST', `${CHECKOUT}/approve`, { ...one, value: '310Mi' })).status).toBe(409);
    expect((await client.send('POST', `${CHECKOUT}/reject`, { resource: 'memory' })).status).toBe(409);
  });

  test('a concurrent decision is kept before the informers deliver it', async () => {
    const known = world.cluster.recommendationList.find(({ spec }) => spec.targetRef.name === 'checkout')!;
    const theirs = { container: 'app', resource: 'memory', decision: 'reject', by: 'ann', at: '2026-11-20T14:29:59.000Z' } as const;
    const ahead = {
      ...known,
      metadata: { ...known.metadata, resourceVersion: '9' },
      spec: { ...known.spec, exceptionDecisions: [theirs] },
    };
    world.records.recommendationsAhead.set(`shop/${known.metadata.name}`, ahead);
    const tag = (await client.get('/api/v1/recommendations/shop/checkout')).headers.get('etag')!;
    const seen = await client.send('POST', `${CHECKOUT}/approve`, { resource: 'cpu' }, { 'if-match': tag });
    expect([seen.status, decisions()]).toEqual([409, []]);
    expect((await client.send('POST', `${CHECKOUT}/approve`, { resource: 'memory' })).status).toBe(409);
    expect((await client.send('POST', `${CHECKOUT}/approve`, { resource: 'cpu' })).status).toBe(200);
    expect(decisions()).toMatchObject([theirs, { resource: 'cpu', decision: 'approve' }]);
  });

  test.each<[string, string, unknown, number, string]>([
    ['one that is no longer open', `${LIST}/shop/cart/reject`, {}, 409, 'conflict'],
    ['a container without any', `${CHECKOUT}/approve`, { container: 'other' }, 404, 'not_found'],
    ['a workload without any', `${LIST}/shop/web/approve`, {}, 404, 'not_found'],
    ['no such workload', `${LIST}/shop/nothing/approve`, {}, 404, 'not_found'],
    ['no quantity', `${CHECKOUT}/approve`, { resource: 'memory', value: 'much' }, 400, 'invalid_request'],
    ['less than there is', `${CHECKOUT}/approve`, { resource: 'memory', value: '200Mi' }, 400, 'invalid_request'],
    ['one value for two', `${CHECKOUT}/approve`, { value: '1Gi' }, 400, 'invalid_request'],
    ['a value to reject', `${CHECKOUT}/reject`, { resource: 'memory', value: '1Gi' }, 400, 'invalid_request'],
    ['more than any node has', `${CHECKOUT}/approve`, { resource: 'memory', value: '9Ti' }, 422, 'not_feasible'],
    ['an unknown field', `${CHECKOUT}/approve`, { amount: 1 }, 400, 'invalid_request'],
  ])('rejected: %s', async (_, path, body, status, code) => {
    const answer = await client.send('POST', path, body);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(world.records.written).toEqual([]);
  });

  test('in a mode that applies nothing they are listed and can be rejected, not approved', async () => {
    withExceptions(world, 'web', {});
    world.cluster.workloadList = world.cluster.workloadList.map((each) =>
      each.name === 'web' ? { ...each, annotations: { 'evenkeel.io/mode': 'Recommend' } } : each,
    );
    expect((await client.send('POST', `${LIST}/shop/web/approve`, {})).body.error.message).toMatch(/this mode applies nothing/);
    expect((await client.send('POST', `${LIST}/shop/web/reject`, {})).body.data[0].state).toBe('rejected');
  });

  test('under a policy in dry run an approval is only validated; a rejection without a revert is stored', async () => {
    world.cluster.policyList = world.cluster.policyList.map((policy) => ({ ...policy, spec: { ...policy.spec, dryRun: true } }));
    const approved = await client.send('POST', `${CHECKOUT}/approve`, {});
    expect([approved.body.meta.dryRun, decisions()]).toEqual([true, []]);
    const rejected = await client.send('POST', `${CHECKOUT}/reject`, { resource: 'cpu' });
    expect([rejected.body.meta.dryRun, decisions().length]).toEqual([undefined, 1]);
  });

  test('a dry run changes nothing, an outdated If-Match is rejected, a repeated key is carried out once', async () => {
    const dry = await client.send('POST', `${CHECKOUT}/approve?dryRun=true`, {});
    expect([dry.body.meta.dryRun, dry.body.data[0].state, decisions()]).toEqual([true, 'approved', []]);
    expect((await client.send('POST', `${CHECKOUT}/approve`, {}, { 'if-match': '"old"' })).status).toBe(409);
    const key = { 'idempotency-key': 'k-1' };
    await client.send('POST', `${CHECKOUT}/reject`, { resource: 'cpu' }, key);
    const { length } = world.records.written;
    expect((await client.send('POST', `${CHECKOUT}/reject`, { resource: 'cpu' }, key)).status).toBe(200);
    expect(world.records.written).toHaveLength(length);
  });
});
