import { UNSET_RESOURCES, type OptionalResources, type RequestsAndLimits } from '../../core/model/resources.ts';
import type { OwnerRef } from '../../core/model/workload.ts';

/** Past this many entries the tables begin anew: what exists keeps its strings, only sharing with the future is lost. */
const MAX_ENTRIES = 200_000;

/**
 * One copy of equal strings and label maps. Parsed JSON makes a new string for every namespace, node and owner of every
 * pod; pods of one ReplicaSet bear the same labels. Sharing them is most of what makes a record small.
 */
export class Interner {
  readonly #texts = new Map<string, string>();
  readonly #maps = new Map<string, Readonly<Record<string, string>>>();
  readonly #owners = new Map<string, OwnerRef>();
  readonly #resources = new Map<string, OptionalResources>();
  readonly #pairs = new Map<OptionalResources, Map<OptionalResources, RequestsAndLimits>>();

  text(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MAX_ENTRIES) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }

  /** A shared map with the same entries in the same order. */
  map(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    let fingerprint = '';
    for (const key in map) fingerprint += `${key}\0${map[key] ?? ''}\0`;
    const known = this.#maps.get(fingerprint);
    if (known !== undefined) return known;
    if (this.#maps.size >= MAX_ENTRIES) this.#maps.clear();
    // From entries, so that a key like __proto__ is a key and nothing else.
    const copy = Object.fromEntries(Object.entries(map).map(([key, value]) => [this.text(key), this.text(value)]));
    this.#maps.set(fingerprint, copy);
    return copy;
  }

  /** One reference for all that the same owner controls. */
  owner(given: OwnerRef): OwnerRef {
    const known = this.#owners.get(given.uid);
    if (known?.name === given.name && known.kind === given.kind && known.apiVersion === given.apiVersion) return known;
    if (this.#owners.size >= MAX_ENTRIES) this.#owners.clear();
    this.#owners.set(given.uid, given);
    return given;
  }

  /** A shared record: a cluster has a few hundred different sizes, and each container states its own four times. */
  resources(given: OptionalResources): OptionalResources {
    const { cpuMillicores, memoryBytes } = given;
    if (cpuMillicores === null && memoryBytes === null) return UNSET_RESOURCES;
    const fingerprint = `${cpuMillicores ?? ''}/${memoryBytes ?? ''}`;
    const known = this.#resources.get(fingerprint);
    if (known !== undefined) return known;
    if (this.#resources.size >= MAX_ENTRIES) {
      this.#resources.clear();
      this.#pairs.clear();
    }
    this.#resources.set(fingerprint, given);
    return given;
  }

  /** A shared pair of shared records. */
  requestsAndLimits(given: RequestsAndLimits): RequestsAndLimits {
    const requests = this.resources(given.requests);
    const limits = this.resources(given.limits);
    let byLimits = this.#pairs.get(requests);
    if (byLimits === undefined) this.#pairs.set(requests, (byLimits = new Map<OptionalResources, RequestsAndLimits>()));
    let pair = byLimits.get(limits);
    if (pair === undefined) byLimits.set(limits, (pair = { requests, limits }));
    return pair;
  }
}
