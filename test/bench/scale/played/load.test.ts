import { expect, test } from '@jest/globals';
import { planCluster } from './cluster-plan.ts';
import { Load } from './load.ts';
import { PlayedCluster, PlayedReplicaSet, PlayedWorkload } from './cluster.ts';
import { type ResourceStore, Versions } from './resource-store.ts';

const NODES = 20;
const EVENTS = 5_000;

test('the load publishes as many events as it counts, and pods, ReplicaSets and workloads stay consistent', () => {
  const cluster = new PlayedCluster(planCluster(NODES), new Versions(), true);
  const stores: readonly ResourceStore[] = Object.values(cluster.stores);
  const published: Record<string, number> = {};
  for (const store of stores) {
    store.listen((line) => {
      const type = /"type":"([A-Z]+)"/.exec(line)?.[1] ?? '';
      const event = `${store.kind} ${type}`;
      published[event] = (published[event] ?? 0) + 1;
    });
  }
  const pods = cluster.stores.pods.size;
  const load = new Load(cluster);
  load.publish(EVENTS);
  const total = Object.values(published).reduce((sum, count) => sum + count, 0);
  expect(load.events).toBe(EVENTS);
  expect(total / EVENTS).toBeGreaterThan(0.9);
  expect(total / EVENTS).toBeLessThan(1.1);
  expect(Object.keys(published).sort()).toEqual(
    expect.arrayContaining(['Deployment MODIFIED', 'Node MODIFIED', 'Pod ADDED', 'Pod DELETED', 'Pod MODIFIED', 'ReplicaSet ADDED']),
  );
  expect(Math.abs(cluster.stores.pods.size - pods)).toBeLessThan(pods / 10);
  for (const store of stores) {
    for (const object of store.objects()) {
      if (!(object instanceof PlayedReplicaSet || object instanceof PlayedWorkload)) continue;
      const { desired, current, updated, ready } = object.replicas;
      expect({
        key: object.key,
        isConsistent: [desired, current, updated, ready].every((count) => count >= 0) && ready <= current,
      }).toEqual({
        key: object.key,
        isConsistent: true,
      });
    }
  }
});
