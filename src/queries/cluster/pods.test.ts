import { beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../../test/builders/dashboard-world.ts';
import type { Operations, Pod } from '../../apis/http/types.generated.ts';
import { EVERYONE_IS_ADMIN } from '../../core/access/scope.ts';
import { fieldOf, type SortValue } from '../listing.ts';
import { PodQueries } from './pods.ts';

let world: DashboardWorld;
beforeEach(() => {
  world = dashboardWorld();
});

async function list(query: Partial<Operations['listPods']['query']>, sources = world.sources): Promise<readonly Pod[]> {
  const page = await new PodQueries(sources).list(EVERYONE_IS_ADMIN, { limit: 1000, sort: 'name', format: 'json', ...query });
  if (page.kind !== 'page') throw new Error('refused');
  return page.items;
}

describe('pods are sorted', () => {
  test.each([
    'workload.name',
    'restarts',
    'requests.memoryBytes',
    'limits.cpuMillicores',
    'used.cpuMillicores',
    'resize.state',
    'createdAt',
  ])('by %s as their records have it', async (field) => {
    const values = (await list({ sort: field as 'name' })).map((pod) => fieldOf(pod, field));
    const inOrder = (a: SortValue, b: SortValue): number => (a === b ? 0 : a === null ? 1 : b === null || a < b ? -1 : 1);
    expect(values).toEqual(values.toSorted(inOrder));
  });

  test('by a field other than usage without reading the usage of pods that are not on the page', async () => {
    const read = new Set<string>();
    const { usage } = world.sources;
    const counted: typeof usage = {
      ...usage,
      containerUsage: (namespace, pod, container) => {
        read.add(`${namespace}/${pod}`);
        return usage.containerUsage(namespace, pod, container);
      },
    };
    const [pod] = await list({ sort: 'workload.name', limit: 1 }, { ...world.sources, usage: counted });
    expect([...read]).toEqual([`${pod!.namespace}/${pod!.name}`]);
  });
});
