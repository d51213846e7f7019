import { expect, test } from '@jest/globals';
import { dashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { aScope } from '../../../test/builders/tenants/scopes.ts';
import { EVERYONE_IS_ADMIN, type Scope } from '../../core/access/scope.ts';
import type { TimelineEntry } from '../../ports/store/timeline.ts';
import { ScalingQueries } from './scaling.ts';

const QUERY = { limit: 100, sort: '-time', duration: '24h', format: 'json' } as const;

const allNamespaces = aScope('operator', ['*']);
const onlyShop = aScope('operator', ['shop']);

/** A timeline with an entry of a node, of a workload in shop and of one in pay. */
function aTimeline() {
  const world = dashboardWorld();
  const entry = (name: string, namespace: string | null, more: Partial<TimelineEntry>): TimelineEntry => ({
    id: name,
    at: world.clock.now() - 60_000,
    kind: 'resize',
    object: { kind: 'Deployment', name },
    namespace,
    pod: null,
    container: null,
    from: null,
    to: 'restarted',
    reason: 'under-provisioned',
    actor: 'evenkeel',
    outcome: 'applied',
    message: '',
    durationMs: null,
    costDeltaPerHourUsd: null,
    ...more,
  });
  world.history.entries = [
    entry('pool-a-1', null, { kind: 'scale-down', object: { kind: 'Node', name: 'pool-a-1' }, to: null, costDeltaPerHourUsd: -0.2 }),
    entry('web', 'shop', {}),
    entry('card', 'pay', {}),
  ];
  const queries = new ScalingQueries(world.sources);
  const namesFor = async (scope: Scope, query: Partial<Parameters<ScalingQueries['list']>[1]> = {}): Promise<readonly string[]> => {
    const page = await queries.list(scope, { ...QUERY, ...query });
    if (page.kind !== 'page') throw new Error(`not a page but ${page.kind}`);
    expect(page.total).toBe(page.items.length);
    return page.items.map(({ object }) => object.name).sort();
  };
  return { queries, namesFor };
}

test.each<[string, Scope, readonly string[]]>([
  ['an administrator', EVERYONE_IS_ADMIN, ['card', 'pool-a-1', 'web']],
  ['a caller with a grant for all namespaces', allNamespaces, ['card', 'web']],
  ['a caller with a grant for one namespace', onlyShop, ['web']],
])('%s gets entries of objects without a namespace only as an administrator', async (_, scope, expected) => {
  const { namesFor } = aTimeline();
  expect(await namesFor(scope)).toEqual(expected);
});

test('no filter gives a scoped caller an entry without a namespace', async () => {
  const { namesFor } = aTimeline();
  expect(await namesFor(allNamespaces, { q: 'pool' })).toEqual([]);
  expect(await namesFor(allNamespaces, { kind: ['scale-down'] })).toEqual([]);
  expect(await namesFor(EVERYONE_IS_ADMIN, { kind: ['scale-down'] })).toEqual(['pool-a-1']);
});

test('an entry without a namespace matches no namespace of a query', async () => {
  const { namesFor } = aTimeline();
  expect(await namesFor(EVERYONE_IS_ADMIN, { namespace: ['shop'] })).toEqual(['web']);
});

test('a node is shown with its kind and cost, and without a namespace', async () => {
  const { queries } = aTimeline();
  const page = await queries.list(EVERYONE_IS_ADMIN, { ...QUERY, kind: ['scale-down'] });
  expect(page).toMatchObject({
    items: [
      { kind: 'scale-down', object: { namespace: null, kind: 'Node', name: 'pool-a-1', pod: null }, costDeltaPerHourUsd: -0.2, from: null },
    ],
  });
});
