// Volumes and network from the kubelets' summary pages: the newest reading of each claim and each pod.

import { DAY_MS, HOUR_MS, type DurationMs, type Instant } from '#kube/units';
import { NumberRows } from '#kube/number-rows';
import type { NetworkUsage, PodRef, VolumeUsage } from '#kube/records/usage';
import type { SummaryReading } from '../../ports/usage/usage-source.ts';

/** PersistentVolumeClaims are not watched; one without a reading for this long is deleted. */
const FORGET_VOLUME_AFTER_MS: DurationMs = DAY_MS;

/** Maximum of claims of one pod, more than a node can attach. */
const MAX_CLAIMS_OF_POD = 256;

/** Columns of a pod's network row. */
const AT = 0;
const RECEIVED_BYTES = 1;

/** The newest volume and network readings. */
export class SummaryLog {
  /** By `namespace/claim`. */
  readonly #volumes = new Map<string, VolumeUsage>();
  /** Keys of `#volumes` by `namespace/pod`, the last reported one last. */
  readonly #claims = new Map<string, Set<string>>();
  /** Rows by namespace and pod. */
  readonly #network = new Map<string, Map<string, number>>();
  readonly #rows = new NumberRows(2);
  #sweptAt: Instant = 0;

  add({ volumes, network }: Pick<SummaryReading, 'volumes' | 'network'>, now: Instant): void {
    this.#forgetOldVolumes(now);
    for (const volume of volumes) this.#addVolume({ ...volume, at: Math.min(volume.at, now) });
    for (const { at, receiveBytes, ...pod } of network) {
      const row = this.#rowOf(pod);
      this.#rows.set(row, AT, Math.min(at, now));
      this.#rows.set(row, RECEIVED_BYTES, receiveBytes);
    }
  }

  volumes(): Iterable<VolumeUsage> {
    return this.#volumes.values();
  }

  networkOf(namespace: string, pod: string): NetworkUsage | undefined {
    const row = this.#network.get(namespace)?.get(pod);
    if (row === undefined) return undefined;
    return { namespace, pod, at: this.#rows.get(row, AT) ?? 0, receiveBytes: this.#rows.get(row, RECEIVED_BYTES) ?? 0 };
  }

  forgetPod(namespace: string, pod: string): void {
    this.#claims.delete(`${namespace}/${pod}`);
    const pods = this.#network.get(namespace);
    const row = pods?.get(pod);
    if (pods === undefined || row === undefined) return;
    this.#rows.delete(row);
    pods.delete(pod);
    if (pods.size === 0) this.#network.delete(namespace);
  }

  #rowOf({ namespace, pod }: PodRef): number {
    let pods = this.#network.get(namespace);
    if (pods === undefined) this.#network.set(namespace, (pods = new Map<string, number>()));
    let row = pods.get(pod);
    if (row === undefined) pods.set(pod, (row = this.#rows.add()));
    return row;
  }

  #addVolume(volume: VolumeUsage): void {
    const key = `${volume.namespace}/${volume.claim}`;
    this.#volumes.set(key, volume);
    let claims = this.#claims.get(keyOf(volume));
    if (claims === undefined) this.#claims.set(keyOf(volume), (claims = new Set<string>()));
    claims.delete(key);
    claims.add(key);
    if (claims.size <= MAX_CLAIMS_OF_POD) return;
    const [oldest = key] = claims;
    claims.delete(oldest);
    if (this.#volumes.get(oldest)?.pod === volume.pod) this.#volumes.delete(oldest);
  }

  #forgetOldVolumes(now: Instant): void {
    // The absolute difference, because the clock may have been set back.
    if (Math.abs(now - this.#sweptAt) < HOUR_MS) return;
    this.#sweptAt = now;
    for (const [key, volume] of this.#volumes) {
      if (now - volume.at <= FORGET_VOLUME_AFTER_MS) continue;
      this.#volumes.delete(key);
      this.#claims.get(keyOf(volume))?.delete(key);
    }
  }
}

function keyOf({ namespace, pod }: PodRef): string {
  return `${namespace}/${pod}`;
}
