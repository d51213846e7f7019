// Mirrors one kind of the API server in memory: lists once (streaming where served, else in pages), then watches and resumes for the life
// of the process. One implementation for every kind.

import type { DurationMs, Instant } from '#kube/units';
import type { InformerStatus } from '../../../ports/cluster/cluster-feed.ts';
import type { ApiStream } from '#kube/api-transport';
import type { Logger } from '../../../ports/logger.ts';
import { DriftAudit } from './drift-audit.ts';
import { Freshness } from './freshness.ts';
import { failed, missingPermission, notServed, rejectedCredentials, type InformerProblem } from './informer-problem.ts';
import { InformerProgress } from './informer-progress.ts';
import { listPages, ListRefused } from './pages.ts';
import { isAborted, sleep } from '../sleep.ts';
import { ReflectorMetrics } from './reflector-metrics.ts';
import { REFLECTOR_TIMES, type ReflectorContext, type ReflectorSpec, type ReflectorTimes } from './reflector-spec.ts';
import { identityOf, ReflectorStore, type Entry } from './reflector-store.ts';
import { ReconnectDelay } from './reconnect-delay.ts';
import { collectionPath, resourceName } from '../resources.ts';
import { failureOf, isForbidden, isGone, isNotFound, isUnauthorized, readFailure, type ApiFailure } from '../status.ts';
import { WatchGuard } from './watch-guard.ts';
import { asObject, objectAt, textAt, type Wire } from '../wire.ts';

/** Result of one round of the loop. */
type Round =
  | { readonly kind: 'again' }
  | { readonly kind: 'list-again' }
  | { readonly kind: 'wait'; readonly problem: InformerProblem | null; readonly atLeastMs: DurationMs; readonly settled: boolean };

interface WatchListeners {
  /** Called at every event, bookmarks included. */
  readonly onReceived: () => void;
  /** Called once the initial state is complete: later events are live. */
  readonly onHealthy: () => void;
}

/** A watch that ends sooner without an event counts as failed. */
const MIN_HEALTHY_WATCH_MS: DurationMs = 1_000;

/** Lists and watches one kind, and reports each change to its spec's `onChange`. */
export class Reflector<T> {
  readonly #spec: ReflectorSpec<T>;
  readonly #context: ReflectorContext;
  readonly #times: ReflectorTimes;
  readonly #name: string;
  readonly #path: string;
  readonly #store: ReflectorStore<T>;
  readonly #metrics: ReflectorMetrics;
  readonly #delay: ReconnectDelay;
  readonly #freshness: Freshness;
  readonly #progress: InformerProgress;
  readonly #logger: Logger;
  /** Version at which to resume; null: list first. */
  #version: string | null = null;
  /** True after a complete listing, until the kind is no longer served. */
  #listed = false;
  #restarts = 0;
  #lastEventAt: Instant | null = null;
  #brokenInitials = 0;
  #endActivity: (() => void) | null = null;

  constructor(spec: ReflectorSpec<T>, context: ReflectorContext) {
    this.#spec = spec;
    this.#context = context;
    this.#times = context.times ?? REFLECTOR_TIMES;
    this.#name = resourceName(spec.resource);
    this.#path = collectionPath(spec.resource, spec.namespace ?? null);
    this.#logger = context.logger.child({ resource: this.#name });
    this.#progress = new InformerProgress(this.#logger, spec.required);
    this.#metrics = new ReflectorMetrics(context.metrics, this.#name);
    this.#delay = new ReconnectDelay(context.timer, context.random);
    this.#freshness = new Freshness(context.clock, context.timer);
    this.#store = new ReflectorStore<T>({
      decode: spec.decode,
      onChange: (key, record, previous) => this.#publish(key, record, previous),
      onUndecodable: (key, problem) => {
        this.#metrics.undecodable.add(1, this.#metrics.labels);
        this.#logger.warn('Failed to decode an object; ignoring it', { object: key, problem });
      },
    });
  }

  /** True after the first complete listing, or where an optional kind is not served or not permitted. */
  hasSynced(): boolean {
    return this.#progress.isSynced;
  }

  /** Resolves after the first complete listing. */
  waitForSync(): Promise<void> {
    return this.#progress.waitForSync();
  }

  /** Domain time up to which this kind is known to match the server; 0 before the first listing. */
  confirmedAt(): Instant {
    return this.#freshness.confirmedAt();
  }

  status(): InformerStatus {
    return {
      name: this.#name,
      synced: this.#progress.isSynced,
      required: this.#spec.required,
      decisive: this.#spec.required || (this.#spec.holdsUserRequests === true && this.#listed),
      objects: this.#store.size,
      confirmedAt: this.confirmedAt(),
      lastEventAt: this.#lastEventAt,
      restarts: this.#restarts,
      problem: this.#progress.problem,
      unreadable: this.#store.unreadable(),
    };
  }

  /** Deletes every record, where the kind is no longer served. Call it after `run` has ended. */
  clear(): void {
    this.#store.clear();
    this.#metrics.flush(this.#store.size);
  }

  /** Lists and watches until `signal` aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const audit = this.#startAudit(signal);
    this.#markActive();
    try {
      while (!signal.aborted) {
        const round = await this.#round(AbortSignal.any([signal, audit.restart()]));
        this.#markActive();
        if (isAborted(signal)) break;
        if (audit.takeRestart()) this.#version = null;
        else await this.#settle(round, signal);
      }
    } finally {
      audit.stop();
      this.#freshness.recordDisconnect();
      this.#markInactive();
    }
  }

  async #settle(round: Round, signal: AbortSignal): Promise<void> {
    switch (round.kind) {
      case 'again':
        return;
      case 'list-again':
        this.#version = null;
        this.#restarts += 1;
        return;
      case 'wait': {
        if (round.problem !== null) this.#restarts += 1;
        this.#progress.report(round.problem);
        // A kind may be unserved or forbidden forever, and another tool's kind may fail forever: a virtual clock does not wait for their
        // retries.
        if (round.settled || this.#spec.foreign === true) this.#markInactive();
        const ms = Math.max(round.atLeastMs, this.#delay.nextMs());
        await sleep(this.#context.timer, ms, signal).catch(() => undefined);
        this.#markActive();
      }
    }
  }

  async #round(signal: AbortSignal): Promise<Round> {
    try {
      if (this.#version !== null) return await this.#watch(this.#version, signal);
      if (this.#context.capabilities.streamingLists !== false && this.#brokenInitials < 2) return await this.#watch(null, signal);
      return await this.#list(signal);
    } catch (err) {
      if (signal.aborted) return { kind: 'again' };
      if (err instanceof ListRefused) return this.#refused(err.failure);
      return this.#broken(failed(err instanceof Error ? err.message : String(err)));
    } finally {
      this.#freshness.recordDisconnect();
    }
  }

  async #list(signal: AbortSignal): Promise<Round> {
    this.#metrics.lists.add(1, { ...this.#metrics.labels, by: 'pages' });
    const staging = new Map<string, Entry<T> | null>();
    let version = '';
    for await (const page of listPages(this.#context.transport, this.#path, this.#selectors(), signal)) {
      if (page.restarted) staging.clear();
      for (const item of page.items) this.#store.stage(item, staging);
      version = page.resourceVersion;
      this.#freshness.markReceived();
    }
    await this.#commit(staging, version);
    return { kind: 'again' };
  }

  /** @param from version to resume at; null: start with a streaming list */
  async #watch(from: string | null, signal: AbortSignal): Promise<Round> {
    const { transport, timer, random, capabilities } = this.#context;
    const [minSeconds, maxSeconds] = this.#times.watchSeconds;
    const timeoutSeconds = Math.floor(minSeconds + random.next() * (maxSeconds - minSeconds));
    const openedAtMs = timer.nowMs();
    const guard = new WatchGuard({
      timer,
      silenceMs: from === null ? this.#times.initialSilenceMs : this.#times.quietMs,
      endsAfterMs: timeoutSeconds * 1000 + this.#times.graceMs,
    });
    try {
      const stream = await transport.stream({
        method: 'GET',
        path: this.#path,
        query: {
          ...this.#selectors(),
          watch: true,
          allowWatchBookmarks: true,
          timeoutSeconds,
          ...(from === null ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : { resourceVersion: from }),
        },
        signal: AbortSignal.any([signal, guard.stalled]),
      });
      const failure = failureOf(stream);
      if (failure !== null)
        return from === null && isStreamingRefused(failure) ? this.#noStreaming(failure.message) : this.#refused(failure);
      const ended = await this.#consume(stream, from === null, {
        onReceived: () => guard.markReceived(),
        onHealthy: () => guard.expect(this.#times.quietMs),
      });
      if (ended.kind !== 'again') return ended;
      if (ended.events === 0 && timer.nowMs() - openedAtMs < MIN_HEALTHY_WATCH_MS)
        return this.#broken(failed('the watch ended immediately'));
      return ended;
    } catch (err) {
      if (guard.stalled.aborted) this.#metrics.stalls.add(1, this.#metrics.labels);
      // After two failures within the initial list, pages may succeed where one long answer does not.
      if (this.#version === null && !signal.aborted) {
        if (++this.#brokenInitials >= 2 && capabilities.streamingLists === null)
          this.#logger.info('Streaming lists failed twice; listing in pages');
      }
      throw err;
    } finally {
      guard.stop();
      this.#metrics.flush(this.#store.size);
    }
  }

  async #consume(
    stream: ApiStream,
    initial: boolean,
    { onReceived, onHealthy }: WatchListeners,
  ): Promise<Round & { readonly events?: number }> {
    let staging = initial ? new Map<string, Entry<T> | null>() : null;
    let events = 0;
    if (staging === null) this.#opened(onHealthy);
    for await (const item of stream.items) {
      const event = asObject(item, 'watch event');
      const object = objectAt(event, 'object');
      this.#freshness.markReceived();
      onReceived();
      events += 1;
      switch (event['type']) {
        case 'ADDED':
        case 'MODIFIED':
          if (staging === null) this.#advance(object, () => this.#store.upsert(object));
          else this.#store.stage(object, staging);
          break;
        case 'DELETED':
          if (staging === null) this.#advance(object, () => this.#store.remove(object));
          else staging.delete(identityOf(object).key);
          break;
        case 'BOOKMARK':
          if (staging === null) this.#version = versionOf(object) || this.#version;
          else if (isEndOfInitialEvents(object)) {
            this.#context.capabilities.streamingLists = true;
            this.#metrics.lists.add(1, { ...this.#metrics.labels, by: 'stream' });
            await this.#commit(staging, versionOf(object));
            staging = null;
            this.#opened(onHealthy);
          }
          break;
        case 'ERROR':
          return this.#refused(readFailure(0, object));
        default:
          this.#logger.warn('Ignored a watch event of unknown type', { type: String(event['type']) });
      }
      this.#metrics.event(this.#store.size);
    }
    return staging === null ? { kind: 'again', events } : this.#noStreaming('the initial events never ended');
  }

  // The version advances only after the event was handled, and never by events of an initial list.
  #advance(object: Wire, apply: () => void): void {
    apply();
    this.#lastEventAt = this.#context.clock.now();
    this.#version = versionOf(object) || this.#version;
  }

  #opened(onHealthy: () => void): void {
    onHealthy();
    this.#freshness.connected();
    this.#progress.report(null);
    this.#metrics.watches.add(1, this.#metrics.labels);
    this.#markInactive();
  }

  async #commit(staging: ReadonlyMap<string, Entry<T> | null>, version: string): Promise<void> {
    await this.#store.replace(staging, () => sleep(this.#context.timer, 0));
    this.#version = version;
    this.#brokenInitials = 0;
    this.#listed = true;
    this.#progress.report(null);
    this.#progress.markSynced(this.#store.size);
    this.#metrics.flush(this.#store.size);
  }

  #noStreaming(why: string): Round {
    if (this.#context.capabilities.streamingLists === null) {
      this.#context.capabilities.streamingLists = false;
      this.#logger.info('The API server does not support streaming lists; listing in pages', { why });
    } else this.#brokenInitials = 2;
    return { kind: 'list-again' };
  }

  #refused(failure: ApiFailure): Round {
    if (isGone(failure)) {
      this.#metrics.expired.add(1, this.#metrics.labels);
      // A version that expires right after a listing would otherwise cause listings in a tight loop.
      const expiredAfterListing = this.#version === null || this.#delay.hasRecentFailure();
      this.#version = null;
      return expiredAfterListing ? this.#broken(failed(`the listed version expired: ${failure.message}`)) : this.#expired();
    }
    if (isUnauthorized(failure)) return this.#broken(rejectedCredentials(failure));
    if (isForbidden(failure)) {
      if (!this.#spec.required) this.#progress.markSynced(this.#store.size);
      const problem = missingPermission(this.#name, this.#spec.namespace, failure);
      return { kind: 'wait', problem, atLeastMs: 0, settled: true };
    }
    if (isNotFound(failure)) {
      this.#version = null;
      this.#listed = false;
      this.#store.clear();
      if (!this.#spec.required) this.#progress.markSynced(this.#store.size);
      if (this.#spec.foreign === true) return { kind: 'wait', problem: null, atLeastMs: this.#times.foreignRetryMs, settled: true };
      return { kind: 'wait', problem: notServed(this.#name), atLeastMs: 0, settled: true };
    }
    return { kind: 'wait', problem: failed(failure.message), atLeastMs: failure.retryAfterMs ?? 0, settled: false };
  }

  #expired(): Round {
    this.#delay.markFailure();
    return { kind: 'list-again' };
  }

  #broken(problem: InformerProblem): Round {
    return { kind: 'wait', problem, atLeastMs: 0, settled: false };
  }

  #publish(key: string, record: T | null, previous: T | null): void {
    try {
      this.#spec.onChange(key, record, previous);
    } catch (err) {
      this.#metrics.handlerFailures.add(1, this.#metrics.labels);
      this.#logger.error('Handling a change failed; continuing with the next', { object: key, err });
    }
  }

  #startAudit(signal: AbortSignal): DriftAudit<T> {
    return new DriftAudit<T>({
      store: this.#store,
      context: this.#context,
      everyMs: this.#times.auditEveryMs,
      list: (stop) => listPages(this.#context.transport, this.#path, this.#selectors(), stop),
      isWatching: () => this.#freshness.isConnected(),
      onDrift: (keys) => {
        this.#metrics.drift.add(keys.length, this.#metrics.labels);
        this.#logger.error('The watch missed changes; listing again', { objects: keys.slice(0, 10), count: keys.length });
      },
      logger: this.#logger,
      signal,
    });
  }

  #selectors(): { fieldSelector: string | undefined; labelSelector: string | undefined } {
    return { fieldSelector: this.#spec.fieldSelector, labelSelector: this.#spec.labelSelector };
  }

  #markActive(): void {
    this.#endActivity ??= this.#context.activity.begin();
  }

  #markInactive(): void {
    this.#endActivity?.();
    this.#endActivity = null;
  }
}

/** Status codes of servers without streaming lists: bad request, invalid, not acceptable, not implemented. */
function isStreamingRefused(failure: ApiFailure): boolean {
  return [400, 405, 406, 415, 422, 501].includes(failure.status);
}

function versionOf(object: Wire): string {
  return textAt(objectAt(object, 'metadata'), 'resourceVersion');
}

function isEndOfInitialEvents(bookmark: Wire): boolean {
  return objectAt(objectAt(bookmark, 'metadata'), 'annotations')['k8s.io/initial-events-end'] === 'true';
}
