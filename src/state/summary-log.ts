// Volumes and network from the kubelets' summary pages: the newest reading of each claim and each pod.

import { DAY_MS, HOUR_MS, type DurationMs, type Instant } from '../core/model/units.ts';
import type { NetworkUsage, VolumeUsage } from '../core/model/usage.ts';
import type { SummaryReading } from '../ports/usage-source.ts';

/** Claims are not watched: one without a reading for this long is forgotten. */
const FORGET_VOLUME_AFTER_MS: DurationMs = DAY_MS;

export class SummaryLog {
  /** By `namespace/claim`. */
  readonly #volumes = new Map<string, VolumeUsage>();
  /** By `namespace/pod`. */
  readonly #network = new Map<string, NetworkUsage>();
  #sweptAt: Instant = 0;

  add({ volumes, network }: Pick<SummaryReading, 'volumes' | 'network'>, now: Instant): void {
    this.#forgetOldVolumes(now);
    for (const volume of volumes) this.#volumes.set(`${volume.namespace}/${volume.claim}`, volume);
    for (const each of network) this.#network.set(`${each.namespace}/${each.pod}`, each);
  }

  volumes(): Iterable<VolumeUsage> {
    return this.#volumes.values();
  }

  networkOf(namespace: string, pod: string): NetworkUsage | undefined {
    return this.#network.get(`${namespace}/${pod}`);
  }

  forgetPod(namespace: string, pod: string): void {
    this.#network.delete(`${namespace}/${pod}`);
  }

  #forgetOldVolumes(now: Instant): void {
    // The distance, as the clock may have been set back.
    if (Math.abs(now - this.#sweptAt) < HOUR_MS) return;
    this.#sweptAt = now;
    for (const [key, { at }] of this.#volumes) if (now - at > FORGET_VOLUME_AFTER_MS) this.#volumes.delete(key);
  }
}
