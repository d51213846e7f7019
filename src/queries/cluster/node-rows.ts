import type { OptionalResources, Resources } from '#kube/records/resources';
import type { NodeRecord } from '#kube/records/node';
import { HOURS_PER_MONTH, type Instant, type Usd } from '#kube/units';
import type { Cluster, Node } from '../../apis/http/types.generated.ts';
import { billNodes, type NodeBill } from '../../core/cost/run-rate.ts';
import type { NodePrice } from '../../ports/price-source.ts';
import { ChangedKeys } from '../lists/changed-keys.ts';
import { KeptRows } from '../lists/kept-rows.ts';
import { wholeResources } from '../ratios.ts';
import type { ReadSources } from '../sources.ts';
import { nodePhase, phaseUntil } from './node-phase.ts';
import { cpuParts, memoryParts, millicoresOfParts, usdOfParts, usdParts } from './totals/exact-sums.ts';

/** The values of a node that sums over the cluster contain. */
interface NodeRow extends Pick<NodeRecord, 'name' | 'providerId' | 'ready' | 'capacityType' | 'machineType' | 'capacity' | 'allocatable'> {
  readonly phase: Node['phase'];
  /** null where it is unknown, so that the usage of the pods counts. */
  readonly used: OptionalResources | null;
  readonly price: NodePrice;
  /** What the node costs less than on demand. */
  readonly spotSavingsPerMonthUsd: Usd;
  readonly until: Instant;
}

type Counts = { -readonly [Field in keyof Cluster['nodes']]: Cluster['nodes'][Field] };

/** Sums over the nodes, kept by adding and subtracting whole numbers. */
export class NodeRows {
  readonly #sources: Pick<ReadSources, 'cluster' | 'usage' | 'prices' | 'clock'>;
  readonly #rows: KeptRows<NodeRecord, NodeRow>;
  readonly #counts: Counts = { total: 0, ready: 0, spot: 0, onDemand: 0, bootstrapping: 0, draining: 0 };
  readonly #capacity = new ResourceSum();
  readonly #allocatable = new ResourceSum();
  readonly #used = new ResourceSum();
  readonly #withoutUsage = new Set<string>();
  #spotSavings = 0;
  /** null: nodes or their prices have changed. */
  #bill: NodeBill | null = null;

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
      replace: (before, after) => this.#replace(before, after),
      // A problem of the source makes all usage unknown.
      shared: () => [usage.problem()],
      now: () => clock.now(),
      changed,
    });
  }

  /** Applies all changes. The other members are as of the last update. */
  update(): void {
    this.#rows.update();
  }

  get counts(): Cluster['nodes'] {
    return { ...this.#counts };
  }

  get capacity(): Resources {
    return this.#capacity.sum();
  }

  get allocatable(): Resources {
    return this.#allocatable.sum();
  }

  get spotSavingsPerMonthUsd(): Usd {
    return usdOfParts(this.#spotSavings);
  }

  /** Sum of the nodes' usage; null where no node's is known. @param usedByPods usage of a node's pods, for nodes whose own is unknown */
  used(usedByPods: (node: string) => OptionalResources): OptionalResources {
    const used = this.#used.copy();
    for (const node of this.#withoutUsage) used.add(wholeResources(usedByPods(node)), 1);
    return used.known();
  }

  /** Lines of the nodes by machine type and price. */
  bill(): NodeBill {
    this.#bill ??= billNodes([...this.#rows.rows()]);
    return this.#bill;
  }

  /** `spec.providerID` of the nodes. */
  *providerIds(): Iterable<string> {
    for (const { providerId } of this.#rows.rows()) yield providerId;
  }

  #replace(before: NodeRow | null, after: NodeRow | null): void {
    if (before !== null) this.#add(before, -1);
    if (after !== null) this.#add(after, 1);
    const isSamePrice = before?.price.perHourUsd === after?.price.perHourUsd && before?.price.source === after?.price.source;
    if (!isSamePrice || before?.machineType !== after?.machineType || before?.capacityType !== after?.capacityType) this.#bill = null;
  }

  #add(row: NodeRow, sign: 1 | -1): void {
    this.#counts.total += sign;
    if (row.ready) this.#counts.ready += sign;
    if (row.capacityType === 'spot') this.#counts.spot += sign;
    if (row.capacityType === 'on-demand') this.#counts.onDemand += sign;
    if (row.phase === 'bootstrapping') this.#counts.bootstrapping += sign;
    if (row.phase === 'draining') this.#counts.draining += sign;
    this.#capacity.add(row.capacity, sign);
    this.#allocatable.add(row.allocatable, sign);
    this.#spotSavings += sign * usdParts(row.spotSavingsPerMonthUsd);
    if (row.used !== null) this.#used.add(row.used, sign);
    else if (sign === 1) this.#withoutUsage.add(row.name);
    else this.#withoutUsage.delete(row.name);
  }

  #rowOf(node: NodeRecord): NodeRow {
    const { usage, prices, clock } = this.#sources;
    const used = usage.nodeUsage(node.name);
    const price = prices.priceOf(node);
    const { name, providerId, ready, capacityType, machineType, capacity, allocatable } = node;
    const savings = capacityType === 'spot' ? prices.priceOf({ ...node, capacityType: 'on-demand' }).perHourUsd - price.perHourUsd : 0;
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
      price,
      spotSavingsPerMonthUsd: savings * HOURS_PER_MONTH,
      until: Math.min(phaseUntil(node, clock.now()), used?.until ?? Number.POSITIVE_INFINITY),
    };
  }
}

/** An exact sum of resources, with the numbers of known amounts. */
class ResourceSum {
  #cpu = 0;
  #memory = 0;
  #cpuKnown = 0;
  #memoryKnown = 0;

  add({ cpuMillicores, memoryBytes }: OptionalResources, sign: 1 | -1): void {
    if (cpuMillicores !== null) {
      this.#cpu += sign * cpuParts(cpuMillicores);
      this.#cpuKnown += sign;
    }
    if (memoryBytes !== null) {
      this.#memory += sign * memoryParts(memoryBytes);
      this.#memoryKnown += sign;
    }
  }

  sum(): Resources {
    return { cpuMillicores: millicoresOfParts(this.#cpu), memoryBytes: this.#memory };
  }

  /** The sum; null for a resource without a known amount. */
  known(): OptionalResources {
    const { cpuMillicores, memoryBytes } = this.sum();
    return { cpuMillicores: this.#cpuKnown === 0 ? null : cpuMillicores, memoryBytes: this.#memoryKnown === 0 ? null : memoryBytes };
  }

  copy(): ResourceSum {
    const copy = new ResourceSum();
    copy.#cpu = this.#cpu;
    copy.#memory = this.#memory;
    copy.#cpuKnown = this.#cpuKnown;
    copy.#memoryKnown = this.#memoryKnown;
    return copy;
  }
}
