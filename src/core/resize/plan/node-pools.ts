import type { NodeRecord } from '#kube/records/node';
import { nodeClass } from '../../model/node-class.ts';
import type { Instant } from '#kube/units';
import type { NodePoolOfNode } from '../model/situation.ts';

/** The pools of `nodes`, by node name. @param all all nodes of the cluster, to find the oldest node of each pool */
export function nodePoolsOf(nodes: Iterable<NodeRecord>, all: Iterable<NodeRecord>): ReadonlyMap<string, NodePoolOfNode> {
  const some = [...nodes];
  const oldest = new Map<string, Instant>(some.map((node) => [poolName(node), node.createdAt]));
  for (const node of all) {
    const pool = poolName(node);
    const known = oldest.get(pool);
    if (known !== undefined && node.createdAt < known) oldest.set(pool, node.createdAt);
  }
  return new Map(
    some.map((node) => {
      const pool = poolName(node);
      const [size, oldestNodeAt] = [nodeClass(node.capacity), oldest.get(pool) ?? node.createdAt];
      return [node.name, { pool, size, kubeletVersion: node.kubeletVersion, oldestNodeAt }];
    }),
  );
}

/** Name of a node's pool. A node without one counts as its own pool, because no other node is known to have the same configuration. */
function poolName({ pool, name }: NodeRecord): string {
  return pool ?? name;
}
