import type { SchedulingNode } from '#kube/scheduling/scheduling-model';
import type { StorageView } from '#kube/scheduling/volumes/storage-model';
import { floats, grownBytes, grownFloats, grownInts, ints, setList } from '../columns/shared-arrays.ts';
import { CPU, MAX_INT, MEMORY, NONE, type SnapshotColumns } from '../columns/snapshot-columns.ts';

/** What nodes have, by resource and by driver of volumes. */
export class NodeTable {
  /** Numbers of resources by name. */
  readonly resources = new Map<string, number>([
    ['cpu', CPU],
    ['memory', MEMORY],
  ]);
  readonly #columns: Pick<SnapshotColumns, 'nodes' | 'volumes'>;
  readonly #storage: StorageView;
  readonly #drivers = new Map<string, number>();
  readonly #volumes = new Map<string, number>();

  constructor(columns: Pick<SnapshotColumns, 'nodes' | 'volumes'>, storage: StorageView) {
    this.#columns = columns;
    this.#storage = storage;
  }

  /** Sets what a node without pods has. */
  set(index: number, node: SchedulingNode): void {
    const { nodes } = this.#columns;
    this.#grow(index + 1);
    for (const name of node.allocatable.keys()) this.resourceOf(name);
    for (const [name, resource] of this.resources) {
      const allocatable = nodes.allocatable[resource];
      const requested = nodes.requested[resource];
      if (allocatable !== undefined) allocatable[index] = node.allocatable.get(name) ?? 0;
      if (requested !== undefined) requested[index] = 0;
    }
    nodes.maxPods[index] = node.allocatable.get('pods') ?? 0;
    nodes.podCount[index] = 0;
    nodes.firstPod[index] = NONE;
    this.#setVolumeLimits(index, node.name);
  }

  #grow(length: number): void {
    const { nodes } = this.#columns;
    nodes.present = grownBytes(nodes.present, length);
    for (const column of ['rank', 'podCount', 'leastVolumeLimit', 'volumeUses'] as const) nodes[column] = grownInts(nodes[column], length);
    nodes.firstPod = grownInts(nodes.firstPod, length, NONE);
    nodes.maxPods = grownFloats(nodes.maxPods, length);
    for (const columns of [nodes.allocatable, nodes.requested]) {
      for (const [resource, column] of columns.entries()) columns[resource] = grownFloats(column, length);
    }
    for (const [driver, column] of nodes.volumeLimits.entries()) nodes.volumeLimits[driver] = grownInts(column, length, NONE);
  }

  /** Number of a resource. */
  resourceOf(name: string): number {
    let resource = this.resources.get(name);
    if (resource === undefined) {
      this.resources.set(name, (resource = this.resources.size));
      const { nodes } = this.#columns;
      nodes.allocatable.push(floats(nodes.present.length));
      nodes.requested.push(floats(nodes.present.length));
    }
    return resource;
  }

  #driverOf(name: string): number {
    let driver = this.#drivers.get(name);
    if (driver === undefined) {
      this.#drivers.set(name, (driver = this.#drivers.size));
      const { nodes } = this.#columns;
      nodes.volumeLimits.push(ints(nodes.present.length, NONE));
    }
    return driver;
  }

  /** Number of a volume of a driver. @param id with the driver */
  volumeOf(id: string, driver: string): number {
    let volume = this.#volumes.get(id);
    if (volume === undefined) {
      this.#volumes.set(id, (volume = this.#volumes.size));
      const { volumes } = this.#columns;
      volumes.driver = grownInts(volumes.driver, volume + 1);
      volumes.driver[volume] = this.#driverOf(driver);
    }
    return volume;
  }

  #setVolumeLimits(index: number, name: string): void {
    const { nodes } = this.#columns;
    const limits = this.#storage.volumeLimits(name);
    for (const column of nodes.volumeLimits) column[index] = NONE;
    for (const [driver, limit] of limits) {
      const column = nodes.volumeLimits[this.#driverOf(driver)];
      if (column !== undefined) column[index] = limit;
    }
    nodes.leastVolumeLimit[index] = Math.min(MAX_INT, ...limits.values());
    nodes.volumeUses[index] = 0;
    const attached = limits.size === 0 ? [] : this.#storage.attachedVolumes(name);
    setList(
      nodes.attached,
      index,
      attached.map(({ driver, id }) => this.volumeOf(`${driver}/${id}`, driver)),
    );
  }
}
