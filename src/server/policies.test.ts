import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';

let world: DashboardWorld;
let client: DashboardClient;
beforeEach(async () => {
  world = dashboardWorld();
  world.cluster.own.set('rebalancepolicies', [
    { apiVersion: 'evenkeel.io/v1alpha1', kind: 'RebalancePolicy', metadata: { name: 'night', uid: 'rb' }, spec: { maxParallel: 2 } },
  ]);
  world.cluster.own.set('scheduledscalepolicies', [
    {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'ScheduledScalePolicy',
      metadata: { name: 'office-hours', namespace: 'shop', uid: 'ss' },
      spec: { windows: [] },
    },
  ]);
  client = await startDashboard(world);
});
afterEach(() => client.close());

const set = (path: string, body: unknown, query = '') => client.send('PUT', `/api/v1/policy-overrides/${path}${query}`, body);
const mode = { field: 'mode', value: 'Recommend', reason: 'month end' };

describe('one policy', () => {
  test.each(['PodResizePolicy', 'podresizepolicies'])('is read by kind or plural in any case: %s', async (kind) => {
    const { status, body } = await client.get(`/api/v1/policies/${kind}/shop`);
    const [listed] = (await client.get('/api/v1/policies?kind=PodResizePolicy')).body.data;
    expect([status, body.data]).toEqual([200, listed]);
  });

  test.each([
    ['rebalancepolicies/night', 200, undefined],
    ['podresizepolicies/none', 404, 'not_found'],
    ['deployments/web', 400, 'invalid_request'],
    ['scheduledscalepolicies/office-hours?namespace=shop', 200, undefined],
    ['ScheduledScalePolicy/office-hours?namespace=pay', 404, 'not_found'],
    ['ScheduledScalePolicy/office-hours', 400, 'invalid_request'],
    ['podresizepolicies/shop?namespace=shop', 400, 'invalid_request'],
  ])('%s', async (path, status, code) => {
    const answer = await client.get(`/api/v1/policies/${path}`);
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });
});

describe('policy overrides', () => {
  test.each(['PodResizePolicy', 'podresizepolicies', 'PODRESIZEPOLICIES'])('are set by kind or plural in any case: %s', async (kind) => {
    const { body } = await set(`${kind}/shop`, { ...mode, expiresIn: '2h' });
    expect(body.data.effective.mode).toEqual({ value: 'Recommend', source: 'override' });
    expect(body.data.spec.mode).toBe('Auto');
    expect((await client.get('/api/v1/policy-overrides')).body.data).toEqual([
      {
        kind: 'PodResizePolicy',
        name: 'shop',
        field: 'mode',
        value: 'Recommend',
        specValue: 'Auto',
        setBy: 'anonymous',
        setAt: '2026-11-20T14:30:00.000Z',
        expiresAt: '2026-11-20T16:30:00.000Z',
        reason: 'month end',
      },
    ]);
    expect(world.events[0]).toMatchObject({ reason: 'OverrideSet', subject: { kind: 'PodResizePolicy', name: 'shop' } });
  });

  test('are validated by the API server on the resulting spec, and its message is returned', async () => {
    await set('podresizepolicies/shop', mode);
    expect(world.records.written[0]).toMatchObject({ patch: { spec: { mode: 'Recommend' } }, dryRun: true });
    world.records.refuseWith = { kind: 'refused', status: 422, message: 'maxParallel must not be greater than maxMovements' };
    const refused = await set('RebalancePolicy/night', { field: 'maxMovements', value: 1, reason: 'x' });
    expect([refused.status, refused.body.error.code, refused.body.error.message]).toEqual([
      422,
      'rejected_by_cluster',
      'maxParallel must not be greater than maxMovements',
    ]);
  });

  test.each(['', '1', '1y', '0s'])('with duration %j are a 400 with the duration format', async (expiresIn) => {
    const { status, body } = await set('podresizepolicies/shop', { ...mode, expiresIn });
    expect([status, body.error.details[0].path]).toEqual([400, '/expiresIn']);
    expect(body.error.details[0].message).toMatch(/such as 90s or 1h30m/);
  });

  test('are removed by null, or when they expire', async () => {
    await set('podresizepolicies/shop', { ...mode, expiresIn: '1h' });
    world.clock.advance(3_600_000);
    expect((await client.get('/api/v1/policy-overrides')).body.data).toEqual([]);
    expect((await client.get('/api/v1/policies?kind=PodResizePolicy')).body.data[0].effective.mode.source).not.toBe('override');
    await set('podresizepolicies/shop', mode);
    const { body } = await set('podresizepolicies/shop', { field: 'mode', value: null, reason: 'over' });
    expect(body.data.effective.mode).toEqual({ value: 'Auto', source: 'policy' });
    expect(world.cluster.policyList[0]!.metadata.annotations ?? {}).toEqual({});
  });

  test('that are invalid are reported in a warning', async () => {
    world.cluster.policyList = world.cluster.policyList.map((policy) => ({
      ...policy,
      metadata: { ...policy.metadata, annotations: { 'evenkeel.io/overrides': '{"mode":{"value":"Sometimes"}}' } },
    }));
    const { body } = await client.get('/api/v1/policy-overrides');
    expect([body.data, body.meta.warnings[0].code]).toEqual([[], 'invalid_override']);
  });

  test.each([
    ['an unknown field', 'podresizepolicies/shop', { ...mode, field: 'moed' }, 400, '/field'],
    ['a wrong value', 'podresizepolicies/shop', { ...mode, value: 'Sometimes' }, 400, '/value'],
    [
      'a value inside of a list',
      'podresizepolicies/shop',
      { field: 'windows', value: [{ start: '0 2 * * *', duration: 4 }], reason: 'x' },
      400,
      '/value/0/duration',
    ],
    ['what makes the spec invalid', 'podresizepolicies/shop', { field: 'interval', value: '10ms', reason: 'x' }, 400, '/value'],
    ['a brake to be let go', 'podresizepolicies/shop', { field: 'paused', value: false, reason: 'x' }, 400, '/value'],
    ['disruption budgets', 'rebalancepolicies/night', { field: 'respectPDB', value: false, reason: 'x' }, 400, '/field'],
    ['a duration that is none', 'podresizepolicies/shop', { ...mode, expiresIn: 'soon' }, 400, '/expiresIn'],
    ['an end that no calendar has', 'podresizepolicies/shop', { ...mode, expiresIn: '14800000w' }, 400, '/expiresIn'],
    ['a slip of the pen to take away', 'podresizepolicies/shop', { ...mode, field: 'moed', value: null }, 400, '/field'],
    ['no reason', 'podresizepolicies/shop', { field: 'mode', value: 'Auto' }, 400, '/reason'],
    ['another kind', 'scheduledscalepolicies/x', mode, 400, 'path.kind'],
    ['no such policy', 'podresizepolicies/none', mode, 404, undefined],
  ])('%s', async (_, path, body, status, field) => {
    const answer = await set(path, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error.details?.[0]?.path).toBe(field);
    expect(world.events).toEqual([]);
  });

  test('check If-Match against the policy’s ETag, and are rejected where it has changed since', async () => {
    const etag = async () => (await client.get('/api/v1/policies/PodResizePolicy/shop')).headers.get('etag')!;
    const seen = await etag();
    const put = (tag: string, value: string) =>
      client.send('PUT', '/api/v1/policy-overrides/podresizepolicies/shop', { ...mode, value }, { 'if-match': tag });
    expect((await put(seen, 'Recommend')).status).toBe(200);
    const stale = await put(seen, 'Observe');
    expect([stale.status, stale.body.error.code]).toEqual([409, 'conflict']);
    expect((await put(await etag(), 'Observe')).body.data.effective.mode.value).toBe('Observe');
    expect((await put('*', 'Approve')).status).toBe(200);
  });

  test('with an outdated If-Match are rejected before the informers deliver the change', async () => {
    const path = '/apis/evenkeel.io/v1alpha1/podresizepolicies/shop';
    const annotations = { 'evenkeel.io/overrides': '{"cooldown":{"value":"2h"}}' };
    world.records.ahead.set(path, { uid: 'policy-shop', resourceVersion: '2', annotations });
    const { headers } = await client.get('/api/v1/policies/podresizepolicies/shop');
    const answer = await client.send('PUT', '/api/v1/policy-overrides/podresizepolicies/shop', mode, { 'if-match': headers.get('etag')! });
    expect([answer.status, answer.body.error?.code]).toEqual([409, 'conflict']);
  });

  test('change nothing in a dry run', async () => {
    const { body } = await set('podresizepolicies/shop', mode, '?dryRun=true');
    expect([body.meta.dryRun, body.data.effective.mode.source]).toEqual([true, 'override']);
    expect((await client.get('/api/v1/policy-overrides')).body.data).toEqual([]);
  });
});
