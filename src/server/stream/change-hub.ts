// Changes of all stream topics. One hub serves all listeners. It runs while there are listeners, and for LINGER_MS after, so that
// reconnecting clients can resume.

import type { ChangeSource } from '../../application/index.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { DirtyWorkloads } from './topics/dirty-workloads.ts';
import type { StreamTopic, TopicEvent, TopicFeed } from './topics/index.ts';

/** A stored event, filtered by scope when it is sent. */
export interface StreamEvent {
  readonly seq: number;
  readonly topic: StreamTopic;
  readonly event: TopicEvent;
}

/** Batches many changes into one event without a visible delay. */
const TICK_MS = 2000;
/** Looking for changes takes at most a twentieth of the time, for any cluster size. */
const IDLE_PER_WORK = 19;
/** Maximum stored events, for clients that reconnect. */
const MAX_EVENTS = 500;
/** Maximum recommendations in stored events, about 4 MiB. Clients that missed more read everything again. */
const MAX_RECORDS = 2000;
/** Records built in a step, some milliseconds of work. */
const WORKLOADS_PER_STEP = 100;
/** Time that the hub runs without a listener. */
const LINGER_MS = 300_000;

/** Collects changes at intervals and publishes them to listeners. */
export class ChangeHub {
  readonly #sources: ChangeSource;
  readonly #timer: MachineTimer;
  readonly #topics: readonly StreamTopic[];
  readonly #logger: Logger;
  /** Each with what it does where the hub has failed. */
  readonly #listeners = new Map<(event: StreamEvent) => void, () => void>();
  #events: StreamEvent[] = [];
  /** Number of recommendations in `#events`. */
  #records = 0;
  #seq = 0;
  #running: Run | null = null;
  #idleSinceMs: number | null = null;

  constructor(sources: ChangeSource, timer: MachineTimer, topics: readonly StreamTopic[], logger: Logger) {
    this.#sources = sources;
    this.#logger = logger;
    this.#timer = timer;
    this.#topics = topics;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Sequence number of the latest event. */
  get seq(): number {
    return this.#seq;
  }

  /**
   * Subscribes to events. Returns the unsubscribe function.
   * @param onEnd called where the hub has failed: listeners must read everything again
   */
  listen(listener: (event: StreamEvent) => void, onEnd: () => void = () => undefined): () => void {
    this.#listeners.set(listener, onEnd);
    this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#idleSinceMs = this.#timer.nowMs();
    };
  }

  /** Calls the task once the present state is remembered: a listener that reads everything after that misses no change. */
  whenRemembered(task: () => void): void {
    const waiting = this.#running?.waiting ?? null;
    if (waiting === null) task();
    else waiting.push(task);
  }

  /** Events after `seq`; null where they are no longer stored or `seq` is unknown. */
  since(seq: number): readonly StreamEvent[] | null {
    if (seq > this.#seq) return null;
    const missed = this.#seq - seq;
    return missed > this.#events.length ? null : this.#events.slice(this.#events.length - missed);
  }

  close(): void {
    this.#stop();
    this.#listeners.clear();
  }

  #start(): void {
    this.#idleSinceMs = null;
    if (this.#running !== null) return;
    const feeds = this.#topics.map((topic) => ({ topic, feed: topic.openFeed(this.#sources) }));
    const dirty = new DirtyWorkloads(true);
    const unsubscribe = this.#sources.subscribe((change) => {
      dirty.mark(change);
      for (const { feed } of feeds) feed.mark(change);
    });
    const run: Run = { cancel: () => undefined, unsubscribe, feeds, dirty, waiting: [] };
    this.#running = run;
    this.#runInSlices(run, this.#begin(run));
  }

  #runInSlices(run: Run, steps: Generator<void, void, void>): void {
    this.#sources.runInSlices(steps).catch((err: unknown) => {
      if (this.#running !== run) return;
      this.#logger.error('Finding changes for event streams failed; clients read everything again', { err });
      this.#stop();
      for (const onEnd of [...this.#listeners.values()]) onEnd();
    });
  }

  /** Remembers the present state, and then looks for changes at intervals. */
  *#begin(run: Run): Generator<void, void, void> {
    // Earlier changes are not published: a new listener reads everything first.
    if (this.#sources.isReady()) {
      for (const { feed } of run.feeds) feed.remember(this.#timer.nowMs());
      yield* this.#rememberWorkloads(run);
    }
    if (this.#running !== run) return;
    const { waiting } = run;
    run.waiting = null;
    for (const task of waiting ?? []) task();
    this.#scheduleTick(run, TICK_MS);
  }

  *#rememberWorkloads(run: Run): Generator<void, void, void> {
    run.dirty.clear();
    let count = 0;
    for (const key of [...this.#sources.workloadKeys()]) {
      if (++count % WORKLOADS_PER_STEP === 0) yield;
      if (this.#running !== run) return;
      const record = this.#sources.recommendation(key);
      if (record !== undefined) for (const { feed } of run.feeds) feed.rememberWorkload?.(key, record);
    }
  }

  #scheduleTick(run: Run, afterMs: number): void {
    if (this.#running === run) run.cancel = this.#timer.setTimer(afterMs, () => this.#tick(run));
  }

  #stop(): void {
    this.#running?.cancel();
    this.#running?.unsubscribe();
    for (const { feed } of this.#running?.feeds ?? []) feed.close();
    this.#running = null;
    // Changes while stopped are unknown, so no client may resume across the stop.
    this.#events = [];
    this.#records = 0;
    this.#seq += 1;
  }

  #tick(run: Run): void {
    if (this.#idleSinceMs !== null && this.#timer.nowMs() - this.#idleSinceMs > LINGER_MS) this.#stop();
    else this.#runInSlices(run, this.#collect(run));
  }

  *#collect(run: Run): Generator<void, void, void> {
    const workMs = this.#sources.isReady() ? yield* this.#measure(this.#collectChanges(run)) : 0;
    this.#scheduleTick(run, Math.max(TICK_MS, workMs * IDLE_PER_WORK));
  }

  /** Runs steps. Returns the time that they took together, without that between them. */
  *#measure(steps: Generator<void, void, void>): Generator<void, number, void> {
    for (let workMs = 0; ;) {
      const beganMs = this.#timer.nowMs();
      const { done } = steps.next();
      workMs += this.#timer.nowMs() - beganMs;
      if (done === true) return workMs;
      yield;
    }
  }

  *#collectChanges(run: Run): Generator<void, void, void> {
    const { feeds, dirty } = run;
    let count = 0;
    for (const key of dirty.take(() => this.#sources.workloadKeys())) {
      if (++count % WORKLOADS_PER_STEP === 0) yield;
      if (this.#running !== run) return;
      const record = this.#sources.recommendation(key);
      for (const { feed } of feeds) feed.observeWorkload?.(key, record);
    }
    for (const { topic, feed } of feeds) {
      const event = feed.collect(this.#timer.nowMs());
      if (event !== null) this.#publish({ seq: this.#seq + 1, topic, event });
    }
  }

  #publish(event: StreamEvent): void {
    this.#seq = event.seq;
    this.#events.push(event);
    this.#records += recordsIn(event);
    while (this.#events.length > MAX_EVENTS || this.#records > MAX_RECORDS) this.#records -= recordsIn(this.#events.shift());
    for (const listener of this.#listeners.keys()) listener(event);
  }
}

function recordsIn(event: StreamEvent | undefined): number {
  return event?.event.records ?? 0;
}

/** State of a running hub. */
interface Run {
  cancel: () => void;
  readonly unsubscribe: () => void;
  readonly feeds: readonly { readonly topic: StreamTopic; readonly feed: TopicFeed }[];
  /** Workloads that may have changed. */
  readonly dirty: DirtyWorkloads;
  /** Tasks for when the present state is remembered; null: it is. */
  waiting: (() => void)[] | null;
}
