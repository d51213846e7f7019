// An idempotency key of an earlier request: the same request is answered without being carried out again, another one is rejected.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { withExceptions } from '../../test/builders/exceptions.ts';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';

const KEY = { 'idempotency-key': 'k-1' };
const BULK = '/api/v1/overrides/bulk';
const setFloor = (cpu: string) => ({ items: [{ namespace: 'shop', name: 'web', action: 'set', floor: { app: { cpu } } }] });

let world: DashboardWorld;
let client: DashboardClient;
beforeEach(async () => {
  world = dashboardWorld();
  withExceptions(world, 'checkout', {});
  client = await startDashboard(world);
});
afterEach(() => client.close());

const floorOf = async (name: string) => (await client.get(`/api/v1/overrides/shop/${name}`)).body.data.floor;

describe('a repeated key', () => {
  test('with the same body is not carried out again, for any order of fields', async () => {
    await client.send('POST', BULK, setFloor('250m'), KEY);
    await client.send('DELETE', '/api/v1/overrides/shop/web/floor');
    const { items } = setFloor('250m');
    const turned = { items: [Object.fromEntries(Object.entries(items[0]!).reverse())] };
    expect((await client.send('POST', BULK, turned, KEY)).body.data).toEqual([{ index: 0, ok: true }]);
    expect(await floorOf('web')).toBeNull();
  });

  test('with another body is rejected and changes nothing, for each item', async () => {
    await client.send('POST', BULK, setFloor('250m'), KEY);
    const { body } = await client.send('POST', BULK, setFloor('500m'), KEY);
    expect(body.data).toMatchObject([
      { index: 0, ok: false, error: { code: 'conflict', message: expect.stringMatching(/Idempotency-Key/) } },
    ]);
    expect(await floorOf('web')).toEqual({ app: { cpu: '250m' } });
  });

  test.each<[string, string, unknown, unknown]>([
    ['a decision', '/api/v1/limit-exceptions/shop/checkout/reject', { resource: 'memory' }, {}],
    ['a roll-back', '/api/v1/recommendations/shop/cart/rollback', { reason: 'a' }, { reason: 'b' }],
    ['a reset', '/api/v1/resource-audit/shop/web/reset-to-deploy', undefined, { for: '2h' }],
  ])('%s with another body is a 409', async (_, path, first, other) => {
    const before = await client.send('POST', path, first, KEY);
    expect(before.status).toBeLessThan(300);
    const { length } = world.records.written;
    expect((await client.send('POST', path, first, KEY)).status).toBe(before.status);
    const again = await client.send('POST', path, other, KEY);
    expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);
    expect(world.records.written).toHaveLength(length);
  });

  test('on another object is a separate request', async () => {
    await client.send('POST', BULK, setFloor('250m'), KEY);
    const other = { items: [{ namespace: 'shop', name: 'cart', action: 'set', floor: { '*': { cpu: '300m' } } }] };
    expect((await client.send('POST', BULK, other, KEY)).body.meta.summary).toEqual({ succeeded: 1, failed: 0 });
    expect(await floorOf('cart')).toEqual({ '*': { cpu: '300m' } });
  });
});
