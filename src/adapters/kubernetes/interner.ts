import { hash } from 'node:crypto';
import { NO_SCHEDULING_FACTS, type SchedulingFacts } from '#kube/pod-spec/scheduling-facts';
import { UNSET_RESOURCES, type OptionalResources, type RequestsAndLimits } from '#kube/records/resources';
import type { OwnerRef } from '#kube/records/workload';
import { WeakTable } from './weak-table.ts';

/** The longest name that Kubernetes allows. A longer text is the record's alone: few objects have the same. */
const MAX_TEXT = 253;
/** The longest value of a label; values of annotations may be longer, and are then hardly ever shared. */
const MAX_VALUE = 63;
/** All keys and values of a map together: far more than the labels of most pods. */
const MAX_MAP = 2_048;
/** Of the keys of one generation of a table. */
const MAX_CHARS = 8 * 1024 * 1024;
const MAX_ENTRIES = 100_000;
/** Of the scheduling facts of one pod as JSON. Templates written by people have a tenth of it; a pod may have a megabyte. */
const MAX_FACTS = 16_384;
/** A pod with more fits nowhere: nothing plans with it, as nothing plans with rules that are not implemented. */
const OVERLONG_FACTS: SchedulingFacts = { ...NO_SCHEDULING_FACTS, unmodelled: [`more than ${MAX_FACTS} characters of scheduling rules`] };

/** A bounded map in two generations: what was not asked for while one generation filled up is dropped with the next. */
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

  /** Answers the value. */
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
 * One copy of equal strings and label maps. Parsed JSON makes a new string for every namespace, node and owner of every
 * pod; pods of one ReplicaSet bear the same labels. Sharing them is most of what makes a record small. Bounded whatever the
 * objects hold: what is dropped here stays with the records that have it, only sharing with the future is lost.
 */
export class Interner {
  readonly #texts = new Table<string>();
  readonly #maps = new Table<Readonly<Record<string, string>>>();
  readonly #owners = new Table<OwnerRef>();
  readonly #resources = new Table<OptionalResources>();
  readonly #pairs = new Table<RequestsAndLimits>();
  readonly #facts = new WeakTable<SchedulingFacts>();

  text(text: string): string {
    if (text.length > MAX_TEXT) return text;
    return this.#texts.get(text) ?? this.#texts.set(text, text);
  }

  /** A shared map with the same entries in the same order; one with long entries, or very many, is a copy. */
  map(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (!isShort(map)) return this.#copyOf(map);
    let fingerprint = '';
    for (const key in map) fingerprint += `${key}\0${map[key] ?? ''}\0`;
    return this.#maps.get(fingerprint) ?? this.#maps.set(fingerprint, this.#copyOf(map));
  }

  /** One reference for all that the same owner controls. */
  owner(given: OwnerRef): OwnerRef {
    if (given.uid.length > MAX_TEXT) return given;
    const known = this.#owners.get(given.uid);
    if (known?.name === given.name && known.kind === given.kind && known.apiVersion === given.apiVersion) return known;
    return given.name.length > MAX_TEXT ? given : this.#owners.set(given.uid, given);
  }

  /** A shared record: a cluster has a few hundred different sizes, and each container states its own four times. */
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

  /** The facts that pods of the template already have, held by these pods alone; of very long ones only that they are. */
  schedulingFacts(given: SchedulingFacts): SchedulingFacts {
    const text = JSON.stringify(given);
    if (text.length > MAX_FACTS) return OVERLONG_FACTS;
    // A digest: the text of thousands of templates would take more than their facts.
    return this.#facts.share(hash('sha256', text, 'base64'), given);
  }

  #copyOf(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    // From entries, so that a key like __proto__ is a key and nothing else.
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

function fingerprintOf({ cpuMillicores, memoryBytes }: OptionalResources): string {
  return `${cpuMillicores ?? ''}/${memoryBytes ?? ''}`;
}
