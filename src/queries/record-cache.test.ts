import { describe, expect, test } from '@jest/globals';
import { dashboardWorld } from '../../test/builders/dashboard-world.ts';
import { EVERYONE_IS_ADMIN } from '../core/access/scope.ts';
import { RecordCache } from './record-cache.ts';
import { createReadModels } from './read-models.ts';

describe('a cached value', () => {
  test('is computed again where one of its inputs is another object', () => {
    const cache = new RecordCache<number>();
    const [workload, pod] = [{}, {}];
    let computed = 0;
    const read = (...inputs: readonly unknown[]): number => cache.of(workload, inputs, () => (computed += 1));
    expect([read(pod, null), read(pod, null), read(pod), read({}), read()]).toEqual([1, 1, 2, 3, 4]);
  });
});

describe('long lists', () => {
  const query = { limit: 2, sort: 'workload.name', format: 'json' } as const;

  test('of the resource audit compute only the rows of the page, unless they are filtered by drift', async () => {
    const { cluster, sources } = dashboardWorld();
    const { resourceAudit } = createReadModels(sources);
    const reads = new Set<string>();
    const podsOf = cluster.podsOf.bind(cluster);
    cluster.podsOf = (key) => {
      reads.add(key);
      return podsOf(key);
    };
    expect(await resourceAudit.list(EVERYONE_IS_ADMIN, query)).toMatchObject({ kind: 'page', total: cluster.workloadList.length });
    expect(reads.size).toBe(2);
    await resourceAudit.list(EVERYONE_IS_ADMIN, { ...query, drift: ['manual'] });
    expect(reads.size).toBe(cluster.workloadList.length);
  });

  test('filtered by drift use the present pods', async () => {
    const { cluster, sources } = dashboardWorld();
    const { resourceAudit } = createReadModels(sources);
    const drifted = async (): Promise<readonly string[]> => {
      const page = await resourceAudit.list(EVERYONE_IS_ADMIN, { ...query, limit: 100, drift: ['partial', 'manual'] });
      return page.kind === 'page' ? page.items.map(({ workload }) => workload.name) : [];
    };
    const before = await drifted();
    const odd = { cpuMillicores: 1234, memoryBytes: 5678 };
    cluster.podList = cluster.podList.map((pod) =>
      pod.name === 'web-0' ? { ...pod, containers: pod.containers.map((each) => ({ ...each, requests: odd })) } : pod,
    );
    expect(await drifted()).toEqual([...new Set([...before, 'web'])].sort());
  });

  test.each([
    ['after a minute', 60_000],
    ['after the clock was set back', -600_000],
  ])('of recommendations use the latest published status %s', async (_, milliseconds) => {
    const { cluster, sources } = dashboardWorld();
    let now = sources.clock.now();
    const clock = { ...sources.clock, now: () => now };
    const { recommendations } = createReadModels({ ...sources, clock });
    const stateOf = async (name: string): Promise<string | undefined> =>
      (await recommendations.records()).items.find((each) => each.name === name)?.state;
    expect(await stateOf('checkout')).toBe('awaiting');
    cluster.recommendationList = cluster.recommendationList.map((each) =>
      each.spec.targetRef.name === 'checkout' ? { ...each, status: { ...each.status, state: 'applied' } } : each,
    );
    now += milliseconds;
    expect(await stateOf('checkout')).toBe('applied');
  });
});
