import type { OptionalResources } from '#kube/records/resources';
import type { NodeRecord } from '#kube/records/node';
import type { Instant, Usd } from '#kube/units';
import type { Node } from '../../apis/http/types.generated.ts';
import { ChangedKeys } from '../lists/changed-keys.ts';
import { KeptRows } from '../lists/kept-rows.ts';
import { wholeResources } from '../ratios.ts';
import type { ReadSources } from '../sources.ts';
import { nodePhase, phaseUntil } from './node-phase.ts';

/** The values of a node that sums over the cluster contain. */
export interface NodeRow extends Pick<
  NodeRecord,
  'name' | 'providerId' | 'ready' | 'capacityType' | 'machineType' | 'capacity' | 'allocatable'
> {
  readonly phase: Node['phase'];
  /** null where it is unknown, so that the usage of the pods counts. */
  readonly used: OptionalResources | null;
  /** What the node costs less than on demand. */
  readonly spotSavingsPerHourUsd: Usd;
  readonly until: Instant;
}

/** A row for each node. */
export class NodeRows {
  readonly #sources: Pick<ReadSources, 'cluster' | 'usage' | 'prices' | 'clock'>;
  readonly #rows: KeptRows<NodeRecord, NodeRow>;
  #billedVersion = 0;

  constructor(sources: Pick<ReadSources, 'cluster' | 'usage' | 'prices' | 'clock'>) {
    this.#sources = sources;
    const { cluster, usage, clock } = sources;
    const changed = new ChangedKeys();
    changed.follow(cluster, (change) => (change.kind === 'node' ? change.key : null));
    changed.follow(usage.changes, (change) => (change.kind === 'node' ? change.key : null));
    this.#rows = new KeptRows({
      all: () => cluster.nodes(),
      find: (name) => cluster.findNode(name),
      keyOf: ({ name }) => name,
      rowOf: (node) => this.#rowOf(node),
      until: ({ until }) => until,
      replace: (before, after) => {
        if (before?.machineType !== after?.machineType || before?.capacityType !== after?.capacityType) this.#billedVersion += 1;
      },
      // A problem of the source makes all usage unknown.
      shared: () => [usage.problem()],
      now: () => clock.now(),
      changed,
    });
  }

  rows(): readonly NodeRow[] {
    return [...this.#rows.rows()];
  }

  /** Changes with the nodes and their machine and capacity types, as of the last read. */
  get billedVersion(): number {
    return this.#billedVersion;
  }

  #rowOf(node: NodeRecord): NodeRow {
    const { usage, prices, clock } = this.#sources;
    const used = usage.nodeUsage(node.name);
    const { name, providerId, ready, capacityType, machineType, capacity, allocatable } = node;
    return {
      name,
      providerId,
      ready,
      capacityType,
      machineType,
      capacity,
      allocatable,
      phase: nodePhase(node, clock.now()),
      used: used === null ? null : wholeResources(used),
      spotSavingsPerHourUsd:
        capacityType === 'spot' ? prices.priceOf({ ...node, capacityType: 'on-demand' }).perHourUsd - prices.priceOf(node).perHourUsd : 0,
      until: Math.min(phaseUntil(node, clock.now()), used?.until ?? Number.POSITIVE_INFINITY),
    };
  }
}
