// Volumes and network from the kubelets' summary pages: the newest reading of each claim and each pod.

import { DAY_MS, HOUR_MS, type DurationMs, type Instant } from '#kube/units';
import type { NetworkUsage, PodRef, VolumeUsage } from '#kube/records/usage';
import type { SummaryReading } from '../../ports/usage/usage-source.ts';

/** PersistentVolumeClaims are not watched; one without a reading for this long is deleted. */
const FORGET_VOLUME_AFTER_MS: DurationMs = DAY_MS;

/** Maximum of claims of one pod, more than a node can attach. */
const MAX_CLAIMS_OF_POD = 256;

/** The newest volume and network readings. */
export class SummaryLog {
  /** By `namespace/claim`. */
  readonly #volumes = new Map<string, VolumeUsage>();
  /** Keys of `#volumes` by `namespace/pod`, the last reported one last. */
  readonly #claims = new Map<string, Set<string>>();
  /** By `namespace/pod`. */
  readonly #network = new Map<string, NetworkUsage>();
  #sweptAt: Instant = 0;

  add({ volumes, network }: Pick<SummaryReading, 'volumes' | 'network'>, now: Instant): void {
    this.#forgetOldVolumes(now);
    for (const volume of volumes) this.#addVolume({ ...volume, at: Math.min(volume.at, now) });
    for (const usage of network) this.#network.set(keyOf(usage), { ...usage, at: Math.min(usage.at, now) });
  }

  volumes(): Iterable<VolumeUsage> {
    return this.#volumes.values();
  }

  networkOf(namespace: string, pod: string): NetworkUsage | undefined {
    return this.#network.get(`${namespace}/${pod}`);
  }

  forgetPod(namespace: string, pod: string): void {
    this.#network.delete(`${namespace}/${pod}`);
    this.#claims.delete(`${namespace}/${pod}`);
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
