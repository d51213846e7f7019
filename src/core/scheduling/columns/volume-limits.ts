import { intAt, ints, type Lists } from './shared-arrays.ts';
import { NONE, type SnapshotColumns } from './snapshot-columns.ts';

/** Compares the volumes of a class with what each driver can attach to a node, as kube-scheduler's filter of volume limits does. */
export class VolumeLimits {
  readonly #columns: Pick<SnapshotColumns, 'classes' | 'nodes' | 'pods' | 'volumes'>;
  /** Volumes seen by the current question. */
  #seen = ints(16);
  #question = 0;
  #perDriver = ints(4);

  constructor(columns: SnapshotColumns) {
    this.#columns = columns;
  }

  /** Whether a node cannot attach the volumes of a class. Each volume of several pods counts once. */
  isExceeded(ofClass: number, node: number): boolean {
    const { classes, nodes } = this.#columns;
    const own = intAt(classes.volumes.length, ofClass);
    // At most so many volumes are attached: pods may share them.
    if (own === 0 || own + intAt(nodes.volumeUses, node) + intAt(nodes.attached.length, node) <= intAt(nodes.leastVolumeLimit, node))
      return false;
    const { driver } = this.#columns.volumes;
    if (this.#seen.length < driver.length) this.#seen = ints(driver.length);
    if (this.#perDriver.length < nodes.volumeLimits.length) this.#perDriver = ints(nodes.volumeLimits.length);
    const perDriver = this.#perDriver;
    perDriver.fill(0);
    this.#question++;
    for (let pod = intAt(nodes.firstPod, node); pod !== NONE; pod = intAt(this.#columns.pods.next, pod)) {
      this.#countVolumes(classes.volumes, intAt(this.#columns.pods.class, pod));
    }
    // The pod's own volumes are compared with those of pods; then come those that are attached without a pod.
    const added: number[] = [];
    const { start, length, pool } = classes.volumes;
    const first = intAt(start, ofClass);
    for (let at = first; at < first + intAt(length, ofClass); at++) {
      const volume = intAt(pool, at);
      if (this.#seen[volume] !== this.#question) added.push(intAt(driver, volume));
    }
    this.#countVolumes(nodes.attached, node);
    for (const each of added) {
      const limit = nodes.volumeLimits[each]?.[node] ?? NONE;
      const more = added.filter((other) => other === each).length;
      if (limit !== NONE && (perDriver[each] ?? 0) + more > limit) return true;
    }
    return false;
  }

  #countVolumes({ start, length, pool }: Lists, id: number): void {
    const first = intAt(start, id);
    const end = first + intAt(length, id);
    for (let at = first; at < end; at++) {
      const volume = intAt(pool, at);
      if (this.#seen[volume] === this.#question) continue;
      this.#seen[volume] = this.#question;
      const driver = intAt(this.#columns.volumes.driver, volume);
      this.#perDriver[driver] = (this.#perDriver[driver] ?? 0) + 1;
    }
  }
}
