import { expect, test } from '@jest/globals';
import { dashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { startDashboard } from '../../../test/fakes/dashboard-client.ts';
import type { HealthSource } from '../../queries/sources.ts';
import { PartRegistry } from './part-registry.ts';

const source = (name: string): HealthSource => ({
  name,
  status: () => ({ status: 'ok', message: 'works', since: null, latencyMs: null }),
});

test('what a part registers is served, also after the dashboard has started', async () => {
  const parts = new PartRegistry();
  parts.addHealth(source('store'));
  parts.addFeature('idleWorkloads', true);
  const world = dashboardWorld();
  const mode = { mode: () => ({ ...world.sources.mode.mode(), features: parts.features }) };
  const client = await startDashboard({ ...world, sources: { ...world.sources, health: parts.health, mode } });
  parts.addHealth(source('node-provider'));
  parts.addFeature('nodeScaling', false);
  const names = (await client.get('/api/v1/health')).body.data.map(({ name }: { readonly name: string }) => name);
  expect(names).toEqual(['node-provider', 'store']);
  expect((await client.get('/api/v1/mode')).body.data.features).toEqual({ idleWorkloads: true, nodeScaling: false });
  await client.close();
});

test('a name is registered once', () => {
  const parts = new PartRegistry();
  parts.addHealth(source('store'));
  parts.addFeature('idleWorkloads', true);
  expect(() => parts.addHealth(source('other'), source('store'))).toThrow('the health source store is registered twice');
  expect(() => parts.addFeature('idleWorkloads', false)).toThrow('the feature idleWorkloads is registered twice');
});
