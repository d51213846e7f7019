// Changes of all stream topics. One hub serves all listeners. It runs while there are listeners, and for LINGER_MS after, so that
// reconnecting clients can resume.

import type { ChangeSource } from '../../application/index.ts';
import type { MachineTimer } from '../../ports/clock.ts';
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
  readonly #listeners = new Set<(event: StreamEvent) => void>();
  #events: StreamEvent[] = [];
  /** Number of recommendations in `#events`. */
  #records = 0;
  #seq = 0;
  #running: Run | null = null;
  #idleSinceMs: number | null = null;

  constructor(sources: ChangeSource, timer: MachineTimer, topics: readonly StreamTopic[]) {
    this.#sources = sources;
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

  /** Subscribes to events. Returns the unsubscribe function. */
  listen(listener: (event: StreamEvent) => void): () => void {
    this.#listeners.add(listener);
    this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#idleSinceMs = this.#timer.nowMs();
    };
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
    const run: Run = { cancel: () => undefined, unsubscribe, feeds, dirty };
    this.#running = run;
    // Earlier changes are not published: a new listener reads everything first.
    const isReady = this.#sources.isReady();
    if (isReady) for (const { feed } of feeds) feed.remember(this.#timer.nowMs());
    void this.#sources.runInSlices(this.#begin(run, isReady));
  }

  /** Remembers the workloads, and then looks for changes at intervals. */
  *#begin(run: Run, isReady: boolean): Generator<void, void, void> {
    try {
      if (isReady) yield* this.#rememberWorkloads(run);
    } finally {
      this.#scheduleTick(run, TICK_MS);
    }
  }

  *#rememberWorkloads({ feeds, dirty }: Run): Generator<void, void, void> {
    dirty.clear();
    let count = 0;
    for (const key of [...this.#sources.workloadKeys()]) {
      if (++count % WORKLOADS_PER_STEP === 0) yield;
      const record = this.#sources.recommendation(key);
      if (record !== undefined) for (const { feed } of feeds) feed.rememberWorkload?.(key, record);
    }
    for (const key of dirty.keys(() => this.#sources.workloadKeys())) for (const { feed } of feeds) feed.distrustWorkload?.(key);
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
    else void this.#sources.runInSlices(this.#collect(run));
  }

  *#collect(run: Run): Generator<void, void, void> {
    const beganMs = this.#timer.nowMs();
    try {
      if (this.#sources.isReady()) yield* this.#collectChanges(run);
    } finally {
      const workMs = this.#timer.nowMs() - beganMs;
      this.#scheduleTick(run, Math.max(TICK_MS, workMs * IDLE_PER_WORK));
    }
  }

  *#collectChanges(run: Run): Generator<void, void, void> {
    const { feeds, dirty } = run;
    let count = 0;
    for (const key of dirty.take(() => this.#sources.workloadKeys())) {
      if (++count % WORKLOADS_PER_STEP === 0) yield;
      const record = this.#sources.recommendation(key);
      for (const { feed } of feeds) feed.observeWorkload?.(key, record);
    }
    // The hub may have stopped meanwhile.
    if (this.#running !== run) return;
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
    for (const listener of this.#listeners) listener(event);
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
}
