import { hash } from 'node:crypto';
import { NO_SCHEDULING_FACTS, type SchedulingFacts } from '#kube/pod-spec/scheduling-facts';
import { UNSET_RESOURCES, type OptionalResources, type RequestsAndLimits } from '#kube/records/resources';
import type { OwnerRef } from '#kube/records/workload';
import type { SharedContainerFields } from './compact/compact-container.ts';
import type { SharedPodFields } from './compact/compact-pod.ts';
import { WeakTable } from './weak-table.ts';

/** Maximum length of Kubernetes names. Longer texts are rarely equal and are not shared. */
const MAX_TEXT = 253;
/** Maximum length of label values. Longer annotation values are rarely equal. */
const MAX_VALUE = 63;
/** Maximum total length of a shared map's keys and values, far above most pods' labels. */
const MAX_MAP = 2_048;
/** Maximum total key length of one generation of a table. */
const MAX_CHARS = 8 * 1024 * 1024;
const MAX_ENTRIES = 100_000;
/** Maximum JSON length of a pod's scheduling facts. Handwritten templates have a tenth of it; a pod may have a megabyte. */
const MAX_FACTS = 16_384;
/** A pod with longer facts fits no node, like one with unsupported rules. */
const OVERLONG_FACTS: SchedulingFacts = { ...NO_SCHEDULING_FACTS, unmodelled: [`more than ${MAX_FACTS} characters of scheduling rules`] };

/** A bounded map in two generations: entries unused while one generation fills up are dropped with the next. */
class Table<V> {
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  #chars = 0;

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Stores and returns the value. */
  set(key: string, value: V): V {
    if (this.#young.size >= MAX_ENTRIES || this.#chars >= MAX_CHARS) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#chars = 0;
    }
    this.#young.set(key, value);
    this.#chars += key.length;
    return value;
  }
}

/**
 * Shares one copy of equal strings and label maps, which is most of what keeps records small: parsed JSON has a new string for every
 * namespace, node and owner of every pod. Memory is bounded: dropped entries stay valid in their records and are only no longer shared.
 */
export class Interner {
  readonly #texts = new Table<string>();
  readonly #maps = new Table<Readonly<Record<string, string>>>();
  readonly #owners = new Table<OwnerRef>();
  readonly #resources = new Table<OptionalResources>();
  readonly #pairs = new Table<RequestsAndLimits>();
  readonly #facts = new WeakTable<SchedulingFacts>();
  readonly #podFields = new Table<SharedPodFields>();
  readonly #containerFields = new Table<SharedContainerFields>();

  text(text: string): string {
    if (text.length > MAX_TEXT) return text;
    return this.#texts.get(text) ?? this.#texts.set(text, text);
  }

  /** A shared map with the same entries in the same order; maps with long or very many entries are copied instead. */
  map(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (!isShort(map)) return this.#copyOf(map);
    let fingerprint = '';
    for (const key in map) fingerprint += `${key}\0${map[key] ?? ''}\0`;
    return this.#maps.get(fingerprint) ?? this.#maps.set(fingerprint, this.#copyOf(map));
  }

  /** One shared reference per controlling owner. */
  owner(given: OwnerRef): OwnerRef {
    if (given.uid.length > MAX_TEXT) return given;
    const known = this.#owners.get(given.uid);
    if (known?.name === given.name && known.kind === given.kind && known.apiVersion === given.apiVersion) return known;
    return given.name.length > MAX_TEXT ? given : this.#owners.set(given.uid, given);
  }

  /** A shared record: a cluster has a few hundred distinct sizes, and each container has four. */
  resources(given: OptionalResources): OptionalResources {
    const { cpuMillicores, memoryBytes } = given;
    if (cpuMillicores === null && memoryBytes === null) return UNSET_RESOURCES;
    const fingerprint = fingerprintOf(given);
    return this.#resources.get(fingerprint) ?? this.#resources.set(fingerprint, given);
  }

  /** A shared pair of shared records. */
  requestsAndLimits(given: RequestsAndLimits): RequestsAndLimits {
    const fingerprint = `${fingerprintOf(given.requests)}|${fingerprintOf(given.limits)}`;
    const known = this.#pairs.get(fingerprint);
    if (known !== undefined) return known;
    return this.#pairs.set(fingerprint, { requests: this.resources(given.requests), limits: this.resources(given.limits) });
  }

  /** Shared facts of all pods of a template, held weakly; very long ones become `OVERLONG_FACTS`. */
  schedulingFacts(given: SchedulingFacts): SchedulingFacts {
    const text = JSON.stringify(given);
    if (text.length > MAX_FACTS) return OVERLONG_FACTS;
    // Keyed by digest, since the JSON of thousands of templates would take more memory than their facts.
    return this.#facts.share(hash('sha256', text, 'base64'), given);
  }

  /** Shared values of the pods of an owner. Their objects have to be shared ones: they are compared by identity. */
  podFields(given: SharedPodFields): SharedPodFields {
    const { namespace, phase, ready, schedulable, owner } = given;
    if (owner === null) return given;
    const key = `${owner.uid}|${namespace}|${phase}|${ready}|${schedulable}`;
    const known = this.#podFields.get(key);
    return known !== undefined && hasSameValues(known, given) ? known : this.#podFields.set(key, given);
  }

  /** Shared values of running containers that have not ended before; the others are rarely equal. */
  containerFields(given: SharedContainerFields): SharedContainerFields {
    const { name, sidecar, requests, limits, actual, allocated, state, ready, restarts, lastTermination } = given;
    if (state !== 'running' || restarts > 0 || lastTermination !== null) return given;
    const sizes = [requests, limits, actual?.requests, actual?.limits, allocated ?? undefined];
    const key = `${name}|${sidecar}|${ready}|${sizes.map((size) => (size === undefined ? '-' : fingerprintOf(size))).join('|')}`;
    const known = this.#containerFields.get(key);
    return known !== undefined && hasSameValues(known, given) ? known : this.#containerFields.set(key, given);
  }

  #copyOf(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    // From entries, so that a key like __proto__ is an ordinary key.
    return Object.fromEntries(
      Object.entries(map).map(([key, value]) => [this.text(key), value.length > MAX_VALUE ? value : this.text(value)]),
    );
  }
}

function isShort(map: Readonly<Record<string, string>>): boolean {
  let length = 0;
  for (const key in map) {
    const value = map[key] ?? '';
    length += key.length + value.length;
    if (value.length > MAX_VALUE || length > MAX_MAP) return false;
  }
  return true;
}

function hasSameValues<T extends object>(a: T, b: T): boolean {
  for (const key in a) if (a[key] !== b[key]) return false;
  return true;
}

function fingerprintOf({ cpuMillicores, memoryBytes }: OptionalResources): string {
  return `${cpuMillicores ?? ''}/${memoryBytes ?? ''}`;
}
