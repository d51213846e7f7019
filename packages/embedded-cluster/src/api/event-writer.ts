import { HOUR_MS, type DurationMs, type Instant } from '#kube/units';
import type { Clock } from '../ports/clock.ts';
import { ApiStatusError } from './api-error.ts';
import type { ClusterAccess } from './cluster-access.ts';
import type { KubeObject } from './kube-object.ts';
import { hashText } from '../clock/seeded-hash.ts';
import { toTimestamp } from './timestamp.ts';

export interface EventText {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** `spec.containers{server}`. */
  readonly fieldPath?: string;
}

/** Equal events within this time are aggregated; at most the time that the API server keeps the first. */
const SERIES_MS: DurationMs = HOUR_MS;
/** Number of cached series; a lost series costs only a count. */
const SERIES_KEPT = 500;

interface Series {
  readonly name: string;
  lastAt: Instant;
}

/**
 * Writes core/v1 Events of one component, as client-go's recorder does: a repeated message about the same object increases the count of the
 * existing Event. Never throws when the object no longer exists.
 */
export class EventWriter {
  readonly #cluster: ClusterAccess;
  readonly #clock: Clock;
  readonly #component: string;
  readonly #series = new Map<string, Series>();
  #written = 0;

  constructor(cluster: ClusterAccess, clock: Clock, component: string) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#component = component;
  }

  record(about: KubeObject, words: EventText, host?: string): void {
    const now = this.#clock.now();
    const namespace = about.metadata.namespace ?? 'default';
    const key = `${about.metadata.uid}/${words.reason}/${words.fieldPath ?? ''}/${words.message}`;
    const series = this.#series.get(key);
    if (series !== undefined && now - series.lastAt < SERIES_MS && this.#countUp(namespace, series, now)) return;
    const name = `${about.metadata.name}.${this.#suffix(now)}`;
    try {
      this.#create(about, words, namespace, name, now, host);
      this.#remember(key, { name, lastAt: now });
    } catch (error) {
      // A terminating namespace accepts no new objects; an event must never cause a failure.
      if (!(error instanceof ApiStatusError)) throw error;
    }
  }

  #countUp(namespace: string, series: Series, now: Instant): boolean {
    const updated = this.#cluster.modify('events', namespace, series.name, (draft) => {
      draft['count'] = ((draft['count'] as number | undefined) ?? 1) + 1;
      draft['lastTimestamp'] = toTimestamp(now);
    });
    if (updated !== undefined) series.lastAt = now;
    return updated !== undefined;
  }

  #remember(key: string, series: Series): void {
    this.#series.delete(key);
    this.#series.set(key, series);
    if (this.#series.size <= SERIES_KEPT) return;
    const oldest = this.#series.keys().next();
    if (oldest.done !== true) this.#series.delete(oldest.value);
  }

  /** Starts with the time, as client-go's names do, so that events of the same second sort by time. */
  #suffix(now: Instant): string {
    const count = this.#written++ & 0xffff;
    const writer = hashText(0, this.#component) & 0xff;
    return now.toString(16) + count.toString(16).padStart(4, '0') + writer.toString(16).padStart(2, '0');
  }

  #create(about: KubeObject, words: EventText, namespace: string, name: string, now: Instant, host: string | undefined): void {
    this.#cluster.create('events', {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: {
        apiVersion: about.apiVersion,
        kind: about.kind,
        ...(about.metadata.namespace === undefined ? {} : { namespace: about.metadata.namespace }),
        name: about.metadata.name,
        uid: about.metadata.uid,
        resourceVersion: about.metadata.resourceVersion,
        ...(words.fieldPath === undefined ? {} : { fieldPath: words.fieldPath }),
      },
      reason: words.reason,
      message: words.message,
      type: words.type,
      count: 1,
      firstTimestamp: toTimestamp(now),
      lastTimestamp: toTimestamp(now),
      source: { component: this.#component, ...(host === undefined ? {} : { host }) },
      reportingComponent: this.#component,
      reportingInstance: host ?? '',
    });
  }
}
