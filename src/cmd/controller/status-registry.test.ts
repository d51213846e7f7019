import { expect, test } from '@jest/globals';
import { dashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { startDashboard } from '../../../test/fakes/clients/dashboard-client.ts';
import type { HealthSource } from '../../queries/sources.ts';
import { StatusRegistry } from './status-registry.ts';

const source = (name: string): HealthSource => ({
  name,
  status: () => ({ status: 'ok', message: 'works', since: null, latencyMs: null }),
});

test('registered health sources and features are served, also when they are registered after the dashboard has started', async () => {
  const registry = new StatusRegistry();
  registry.addHealth(source('store'));
  registry.addFeature('idleWorkloads', true);
  const world = dashboardWorld();
  const mode = { mode: () => ({ ...world.sources.mode.mode(), features: registry.features }) };
  const client = await startDashboard({ ...world, sources: { ...world.sources, health: registry.health, mode } });
  registry.addHealth(source('node-provider'));
  registry.addFeature('nodeScaling', false);
  const names = (await client.get('/api/v1/health')).body.data.map(({ name }: { readonly name: string }) => name);
  expect(names).toEqual(['node-provider', 'store']);
  expect((await client.get('/api/v1/mode')).body.data.features).toEqual({ idleWorkloads: true, nodeScaling: false });
  await client.close();
});

test('a name is registered once', () => {
  const registry = new StatusRegistry();
  registry.addHealth(source('store'));
  registry.addFeature('idleWorkloads', true);
  expect(() => registry.addHealth(source('other'), source('store'))).toThrow('the health source store is registered twice');
  expect(() => registry.addFeature('idleWorkloads', false)).toThrow('the feature idleWorkloads is registered twice');
});
