import { ADMIN } from '../../core/access/requirement.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Scope } from '../../core/access/scope.ts';
import { notAvailableYet } from '../not-served-yet.ts';
import type { Found } from '../outcome.ts';
import { defineQuery } from '../query.ts';
import type { NodeQueries } from './nodes.ts';

/** State of node scaling. Only the bootstrapping nodes are known without the node autoscaler. */
export interface ScalingStatus {
  readonly suppression: null;
  readonly bootstrapping: readonly {
    readonly node: string;
    readonly pool: string | null;
    readonly since: string;
    readonly expectedReadyAt: null;
    readonly covers: readonly never[];
  }[];
  readonly decisions: readonly never[];
  readonly lifecycle: readonly never[];
}

/** Nodes that can start at once; more are left out of the answer. */
const MAX_BOOTSTRAPPING = 1000;

async function scalingStatus(nodes: Pick<NodeQueries, 'list'>, scope: Scope): Promise<Found<ScalingStatus> | Refusal> {
  const page = await nodes.list(scope, { limit: MAX_BOOTSTRAPPING, sort: '-createdAt', phase: ['bootstrapping'] });
  if (page.kind !== 'page') return page;
  const bootstrapping = page.items.map(({ name, pool, createdAt }) => ({
    node: name,
    pool,
    since: createdAt,
    expectedReadyAt: null,
    covers: [],
  }));
  return {
    kind: 'found',
    item: { suppression: null, bootstrapping, decisions: [], lifecycle: [] },
    warnings: [notAvailableYet('Scale-up suppression, decisions and node lifecycles')],
  };
}

export const getScalingStatus = defineQuery({
  requires: ADMIN,
  answer: ({ nodes }: { readonly nodes: Pick<NodeQueries, 'list'> }, scope) => scalingStatus(nodes, scope),
});
