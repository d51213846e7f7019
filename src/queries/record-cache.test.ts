import { describe, expect, test } from '@jest/globals';
import { dashboardWorld } from '../../test/builders/dashboard-world.ts';
import { EVERYONE_IS_ADMIN } from '../core/access/scope.ts';
import { RecordCache } from './record-cache.ts';
import { createReadModels } from './read-models.ts';

describe('what is kept', () => {
  test('is made anew where anything that it is made of is another than before', () => {
    const kept = new RecordCache<number>();
    const [workload, pod] = [{}, {}];
    let made = 0;
    const read = (...inputs: readonly unknown[]): number => kept.of(workload, inputs, () => (made += 1));
    expect([read(pod, null), read(pod, null), read(pod), read({}), read()]).toEqual([1, 1, 2, 3, 4]);
  });
});

describe('long lists', () => {
  const query = { limit: 2, sort: 'workload.name', format: 'json' } as const;

  test('of the resource audit work out the rows of the page alone, unless all are asked of their drift', () => {
    const { cluster, sources } = dashboardWorld();
    const { resourceAudit } = createReadModels(sources);
    const looked = new Set<string>();
    const podsOf = cluster.podsOf.bind(cluster);
    cluster.podsOf = (key) => {
      looked.add(key);
      return podsOf(key);
    };
    expect(resourceAudit.list(EVERYONE_IS_ADMIN, query)).toMatchObject({ kind: 'page', total: cluster.workloadList.length });
    expect(looked.size).toBe(2);
    resourceAudit.list(EVERYONE_IS_ADMIN, { ...query, drift: ['manual'] });
    expect(looked.size).toBe(cluster.workloadList.length);
  });

  test('by drift tell of the pods as they are now', () => {
    const { cluster, sources } = dashboardWorld();
    const { resourceAudit } = createReadModels(sources);
    const drifted = (): readonly string[] => {
      const page = resourceAudit.list(EVERYONE_IS_ADMIN, { ...query, limit: 100, drift: ['partial', 'manual'] });
      return page.kind === 'page' ? page.items.map(({ workload }) => workload.name) : [];
    };
    const before = drifted();
    const odd = { cpuMillicores: 1234, memoryBytes: 5678 };
    cluster.podList = cluster.podList.map((pod) =>
      pod.name === 'web-0' ? { ...pod, containers: pod.containers.map((each) => ({ ...each, requests: odd })) } : pod,
    );
    expect(drifted()).toEqual([...new Set([...before, 'web'])].sort());
  });

  test('of recommendations tell of what was published since', () => {
    const { cluster, sources } = dashboardWorld();
    const { recommendations } = createReadModels(sources);
    const stateOf = (name: string): string | undefined => recommendations.current().find((each) => each.name === name)?.state;
    expect(stateOf('checkout')).toBe('awaiting');
    cluster.recommendationList = cluster.recommendationList.map((each) =>
      each.spec.targetRef.name === 'checkout' ? { ...each, status: { ...each.status, state: 'applied' } } : each,
    );
    expect(stateOf('checkout')).toBe('applied');
  });
});
