// Writes Kubernetes Events about effects and their reasons. They are best effort, so no caller waits for them.

import type { DurationMs, Instant } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { Clock } from '../../../ports/clock.ts';
import type { EventRecorder, EventSpec } from '../../../ports/cluster/event-recorder.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Counter, Metrics } from '../../../ports/metrics.ts';
import type { Random } from '../../../ports/random.ts';
import { EventQueue } from './event-queue.ts';
import { microTime } from '../micro-time.ts';
import { apiVersionOf, collectionPath, EVENTS, objectPath } from '../resources.ts';
import { type ApiFailure, failureOf, isConflict, isForbidden, isNotFound } from '../status.ts';

export interface EventRecorderDependencies {
  readonly transport: ApiTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** `reportingController`: `evenkeel.io/controller`. */
  readonly controller: string;
  /** `reportingInstance`: the pod's name. */
  readonly instance: string;
}

/** Equal events within this time are aggregated into one series. */
const SERIES_MS: DurationMs = 120_000;
/** Maximum delay of writing a series' count. */
const SERIES_FLUSH_MS: DurationMs = 10_000;
/** Rate limit and burst over all writes, which protect the API server from an event storm. */
const EVENTS_PER_SECOND = 5;
const EVENT_BURST = 50;
const MAX_QUEUED = 500;
const MAX_SERIES = 2_000;
/** Limit of events.k8s.io. */
const MAX_NOTE_BYTES = 1_024;

interface Series {
  readonly spec: EventSpec;
  readonly name: string;
  readonly firstAt: Instant;
  lastAt: Instant;
  count: number;
  /** Count stored by the server; a write is needed while it is below `count`. */
  writtenCount: number;
  /** True while the series is queued or its flush is scheduled. */
  isPlanned: boolean;
}

/** Records events without blocking: aggregated, rate-limited, and dropped with a metric where the queue is full. */
export class KubernetesEventRecorder implements EventRecorder {
  readonly #dependencies: EventRecorderDependencies;
  readonly #written: Counter;
  readonly #dropped: Counter;
  /** By the fields that make events equal; least recently used first. */
  readonly #series = new Map<string, Series>();
  readonly #queue = new EventQueue<Series>(MAX_QUEUED);
  #draining = false;
  #problem: string | null = null;
  #tokens = EVENT_BURST;
  #filledAt: Instant;

  constructor(dependencies: EventRecorderDependencies) {
    this.#dependencies = dependencies;
    this.#filledAt = dependencies.clock.now();
    this.#written = dependencies.metrics.counter({
      name: 'evenkeel_events_written_total',
      help: 'Kubernetes Events written.',
      labels: ['type'],
    });
    this.#dropped = dependencies.metrics.counter({
      name: 'evenkeel_events_dropped_total',
      help: 'Kubernetes Events dropped, by reason: queue (too many at once, or the API server is slow), failed (rejected or no answer).',
      labels: ['reason'],
    });
  }

  record(spec: EventSpec): void {
    const now = this.#dependencies.clock.now();
    const key = keyOf(spec);
    const known = this.#series.get(key);
    if (known !== undefined && now - known.lastAt <= SERIES_MS) {
      this.#series.delete(key);
      this.#series.set(key, known);
      known.count += 1;
      known.lastAt = now;
      this.#planFlush(known);
      return;
    }
    const series: Series = { spec, name: this.#nameFor(spec), firstAt: now, lastAt: now, count: 1, writtenCount: 0, isPlanned: true };
    this.#series.delete(key);
    this.#series.set(key, series);
    this.#evictOldest();
    this.#enqueue(series);
  }

  #planFlush(series: Series): void {
    if (series.isPlanned) return;
    series.isPlanned = true;
    const { clock } = this.#dependencies;
    clock.schedule(clock.now() + SERIES_FLUSH_MS, () => this.#enqueue(series));
  }

  #enqueue(series: Series): void {
    const displaced = this.#queue.add(namespaceOf(series.spec), series);
    if (displaced !== null) {
      displaced.isPlanned = false;
      this.#dropped.add(1, { reason: 'queue' });
    }
    if (!this.#draining) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    while (this.#queue.size > 0) {
      const waitMs = this.#takeToken();
      if (waitMs > 0) {
        const { clock } = this.#dependencies;
        clock.schedule(clock.now() + waitMs, () => void this.#drain());
        return;
      }
      const series = this.#queue.take();
      if (series === undefined) break;
      series.isPlanned = false;
      try {
        await this.#write(series);
        this.#written.add(1, { type: series.spec.type });
        this.#report(null);
      } catch (err) {
        this.#dropped.add(1, { reason: 'failed' });
        this.#report(err instanceof Error ? err.message : String(err));
        this.#dependencies.logger.debug('Failed to write an event', {
          err,
          reason: series.spec.reason,
          object: series.spec.subject.name,
        });
      }
    }
    this.#draining = false;
  }

  // Logged only when failures start and end: they usually affect all events.
  #report(problem: string | null): void {
    const { logger } = this.#dependencies;
    if (problem === null && this.#problem !== null) logger.info('Events are written again');
    if (problem !== null && this.#problem === null) logger.warn('Failed to write events; continuing without them', { problem });
    this.#problem = problem;
  }

  async #write(series: Series): Promise<void> {
    const { count } = series;
    if (series.writtenCount > 0 && series.writtenCount < count && (await this.#patchSeries(series))) return;
    // The first event of a series, or a series whose event has expired on the server.
    const { transport } = this.#dependencies;
    const path = collectionPath(EVENTS, namespaceOf(series.spec));
    const response = await transport.request({ method: 'POST', path, body: this.#body(series) });
    const failure = failureOf(response);
    // The name is unique to this process, so a conflict means that the event was written and the answer was lost.
    if (failure !== null && !isConflict(failure)) throw refusedEvent('create', failure);
    series.writtenCount = count;
  }

  async #patchSeries(series: Series): Promise<boolean> {
    const { count } = series;
    const response = await this.#dependencies.transport.request({
      method: 'PATCH',
      path: objectPath(EVENTS, namespaceOf(series.spec), series.name),
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { series: { count, lastObservedTime: microTime(series.lastAt) } },
    });
    const failure = failureOf(response);
    if (failure === null) {
      series.writtenCount = count;
      return true;
    }
    if (isNotFound(failure)) return false;
    throw refusedEvent('patch', failure);
  }

  #body(series: Series): object {
    const { spec } = series;
    const { subject } = spec;
    return {
      apiVersion: apiVersionOf(EVENTS),
      kind: EVENTS.kind,
      metadata: { name: series.name, namespace: namespaceOf(spec) },
      eventTime: microTime(series.firstAt),
      reportingController: this.#dependencies.controller,
      reportingInstance: this.#dependencies.instance,
      type: spec.type,
      reason: spec.reason,
      action: spec.action,
      note: truncate(spec.message),
      regarding: {
        apiVersion: subject.apiVersion,
        kind: subject.kind,
        name: subject.name,
        uid: subject.uid,
        ...(subject.namespace === null ? {} : { namespace: subject.namespace }),
      },
      ...(series.count > 1 ? { series: { count: series.count, lastObservedTime: microTime(series.lastAt) } } : {}),
    };
  }

  /** Takes a token and returns 0, or returns the time until one is available. */
  #takeToken(): DurationMs {
    const now = this.#dependencies.clock.now();
    // A clock that is set back removes no tokens.
    const elapsedMs = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(EVENT_BURST, this.#tokens + (elapsedMs / 1000) * EVENTS_PER_SECOND);
    this.#filledAt = now;
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) / EVENTS_PER_SECOND) * 1000);
    this.#tokens -= 1;
    return 0;
  }

  #evictOldest(): void {
    if (this.#series.size <= MAX_SERIES) return;
    for (const oldest of this.#series.keys()) {
      this.#series.delete(oldest);
      return;
    }
  }

  // Named like events of other components: the object's name, a dot and a random suffix.
  #nameFor(spec: EventSpec): string {
    const suffix = Math.floor(this.#dependencies.random.next() * 2 ** 48);
    return `${spec.subject.name.slice(0, 200)}.${suffix.toString(16).padStart(12, '0')}`;
  }
}

function refusedEvent(verb: string, failure: ApiFailure): Error {
  const remedy = isForbidden(failure) ? `: grant ${verb} on events.events.k8s.io in a ClusterRole` : '';
  return new Error(`${failure.message}${remedy}`);
}

function keyOf(spec: EventSpec): string {
  return [spec.subject.uid, spec.subject.name, spec.type, spec.reason, spec.action, spec.message].join('\0');
}

/** Events about cluster-scoped objects are stored in `default`. */
function namespaceOf(spec: EventSpec): string {
  return spec.subject.namespace ?? 'default';
}

function truncate(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= MAX_NOTE_BYTES) return message;
  // Truncates at a byte and drops an incomplete last character.
  return `${bytes
    .subarray(0, MAX_NOTE_BYTES - 3)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')}…`;
}
