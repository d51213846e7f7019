// History of all topics over any SQL database that Kysely supports: one set of queries, queued and batched writes, bounded in memory and in
// the store.

import { setImmediate } from 'node:timers/promises';
import type { DurationMs, Instant } from '#kube/units';
import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { UsageCheckpoint } from '../../ports/usage/checkpoint-store.ts';
import type { HistoryStore } from '../../ports/store/history-store.ts';
import type { ChainPoint } from '../../core/access/events/event-chain.ts';
import type { AccessEvent, ChainedAccessEvent } from '../../core/access/events/access-event.ts';
import type { AccessEventFilter, AccessEventHead, AccessEventVerification, ChainWitnesses } from '../../ports/store/access-events.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { ResizeCycle } from '../../ports/store/resize-cycle-log.ts';
import type { TimelineEntry, TimelineFilter } from '../../ports/store/timeline.ts';
import type { ClusterPoint, UsagePoint, UsageRollupReader } from '../../ports/usage/usage-rollups.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Counter, Metrics } from '../../ports/metrics.ts';
import type { SharedChanges, SharedRecord, SharedState } from '../../ports/cluster/shared-state.ts';
import { EventOutbox } from './access-events/event-outbox.ts';
import { putMark, readEvents, writeEvents } from './access-events/event-rows.ts';
import { verifyEvents } from './access-events/verify-events.ts';
import { prune } from './prune.ts';
import { readTimeline } from './read-timeline.ts';
import type { SchemaStep } from './schema-steps.ts';
import { SharedOutbox } from './shared-outbox.ts';
import type { StoreEngine } from './store-engine.ts';
import type { HistoryTables } from './tables.ts';
import { batches, type Pause, writeCheckpoints, writePending, writeShared } from './write-batch.ts';
import { type Pending, WriteQueue } from './write-queue.ts';

/** Maximum wait of a row before it is written (machine time), so that a crash loses little. */
const FLUSH_AFTER_MS: DurationMs = 1_000;
/** Number of waiting rows that triggers a write at once. */
const FLUSH_ROWS = 2_000;
const MAX_RETRY_MS: DurationMs = 30_000;
const PRUNE_EVERY_FLUSHES = 600;
/** Writes of a stop, where rows come during each. */
const MAX_LAST_WRITES = 10;
/** Checkpoints are large: pages bound the memory of reading 25,000 of them. */
const CHECKPOINTS_PER_PAGE = 200;
/** A node's usage is about 7 kB of JSON: parsing a page takes 10 ms of the event loop. */
const SHARED_PER_PAGE = 100;

export interface HistoryOptions {
  readonly retentionMs: DurationMs;
  readonly accessEventRetentionMs: DurationMs;
  readonly maxBytes: number;
  /** Name of the chain of access events, unique to this process. */
  readonly writer: string;
  /** Signs the ends of chains; without a key they are signed later. */
  readonly signer: RecordSigner;
  /** Schema steps to run; default all of this version. */
  readonly steps?: readonly SchemaStep[];
  readonly clock: Clock;
  readonly machine: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** A HistoryStore over a StoreEngine. Writes are queued and never reject; `status` reports a store that rejects them. */
export class SqlHistory implements HistoryStore {
  readonly shared: SharedState | null;
  readonly #engine: StoreEngine;
  readonly #options: HistoryOptions;
  readonly #queue = new WriteQueue();
  readonly #outbox = new SharedOutbox();
  readonly #accessEvents: EventOutbox;
  readonly #eventCounters: { readonly written: Counter; readonly dropped: Counter };
  #isHeadSigned = true;
  readonly #entryListeners = new Set<(entry: TimelineEntry) => void>();
  readonly #errors: Counter;
  #cancelFlush: (() => void) | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #flushes = 0;
  /** Consecutive batches that the store rejected. */
  #refusals = 0;
  #closed = false;
  /** At a stop, whose time is limited, writes are not interrupted. */
  readonly #pause: Pause = () => (this.#closed ? Promise.resolve() : setImmediate());
  #status: { ok: boolean; message: string; since: Instant };

  /** @param shared whether other processes read the same store */
  constructor(engine: StoreEngine, options: HistoryOptions, shared: boolean) {
    this.#engine = engine;
    this.#options = options;
    this.#status = { ok: true, message: this.#writable(), since: options.clock.now() };
    this.#errors = options.metrics.counter({
      name: 'evenkeel_history_errors_total',
      help: 'Batches that the history store rejected; they are retried.',
    });
    this.#errors.add(0);
    this.#accessEvents = new EventOutbox(options.writer);
    this.#eventCounters = {
      written: options.metrics.counter({
        name: 'evenkeel_access_events_written_total',
        help: 'Access events written to the history store.',
      }),
      dropped: options.metrics.counter({
        name: 'evenkeel_access_events_dropped_total',
        help: 'Access events lost while the history store was unavailable; an event in the chain has their number.',
      }),
    };
    this.#eventCounters.written.add(0);
    this.#eventCounters.dropped.add(0);
    this.shared = shared
      ? { share: (record) => this.#share(record), discardQueued: () => this.#outbox.clear(), changes: (cursor) => this.#changes(cursor) }
      : null;
  }

  async saveCheckpoints(checkpoints: readonly UsageCheckpoint[], term: number): Promise<number | null> {
    let latest: number | null = null;
    for await (const batch of batches(checkpoints, this.#pause, CHECKPOINTS_PER_PAGE)) {
      const rows = batch.map(({ key, savedAt, version, data }) => ({ key, saved_at: Math.floor(savedAt), version, data, term }));
      const later = await this.#engine.run('saving checkpoints', (db) => writeCheckpoints(db, rows));
      if (later !== null) latest = Math.max(later, latest ?? later);
    }
    return latest;
  }

  async *loadCheckpoints(): AsyncIterable<UsageCheckpoint> {
    for (let after = ''; ;) {
      const page = await this.#engine.run('reading checkpoints', (db) =>
        db.selectFrom('checkpoints').selectAll().where('key', '>', after).orderBy('key').limit(CHECKPOINTS_PER_PAGE).execute(),
      );
      for (const { key, saved_at: savedAt, version, data } of page) yield { key, savedAt, version, data };
      const last = page.at(-1);
      if (last === undefined || page.length < CHECKPOINTS_PER_PAGE) return;
      after = last.key;
    }
  }

  async deleteCheckpoints(keys: readonly string[], term: number): Promise<void> {
    for await (const batch of batches(keys, this.#pause)) {
      await this.#engine.run('deleting checkpoints', (db) =>
        db.deleteFrom('checkpoints').where('key', 'in', batch).where('term', '<=', term).execute(),
      );
    }
  }

  appendCycle(cycle: ResizeCycle): void {
    this.#append('cycles', [cycle]);
  }

  appendEntry(entry: TimelineEntry): void {
    this.#append('timeline', [entry]);
    // A crash must not lose an audit entry. Entries are rare, so each is written at once.
    if (this.#status.ok) void this.flush();
    for (const listener of this.#entryListeners) listener(entry);
  }

  appendAccessEvent(event: AccessEvent): void {
    const dropped = this.#accessEvents.add(event);
    if (dropped > 0) this.#eventCounters.dropped.add(dropped);
    // A crash must not lose an event.
    if (this.#status.ok) void this.flush();
    else this.#flushSoon();
  }

  async readAccessEvents(filter: AccessEventFilter): Promise<readonly ChainedAccessEvent[]> {
    await this.flush();
    return this.#engine.run('reading access events', (db) => readEvents(db, filter));
  }

  async verifyAccessEvents(witnesses: ChainWitnesses): Promise<AccessEventVerification> {
    await this.flush();
    // This process remembers the end of its own chain, whatever the store has.
    const own = this.#accessEvents.head;
    const known = own === null ? witnesses : withWitness(witnesses, own.writer, own);
    return verifyEvents((work) => this.#engine.run('verifying access events', work), known, this.#options.signer);
  }

  accessEventQueue(): { readonly waiting: number; readonly dropped: number } {
    return { waiting: this.#accessEvents.size, dropped: this.#accessEvents.dropped };
  }

  accessEventHead(): AccessEventHead | null {
    return this.#accessEvents.head;
  }

  onEntry(listener: (entry: TimelineEntry) => void): () => void {
    this.#entryListeners.add(listener);
    return () => this.#entryListeners.delete(listener);
  }

  appendUsage(points: readonly UsagePoint[]): void {
    this.#append('usage', [...points]);
  }

  appendCluster(point: ClusterPoint): void {
    this.#append('cluster', [point]);
  }

  async readCycles(limit: number): Promise<readonly ResizeCycle[]> {
    await this.flush();
    const rows = await this.#engine.run('reading cycles', (db) =>
      db.selectFrom('cycles').select('body').orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit).execute(),
    );
    return rows.map(({ body }) => JSON.parse(body) as ResizeCycle);
  }

  async readEntries(filter: TimelineFilter): Promise<readonly TimelineEntry[]> {
    await this.flush();
    return this.#engine.run('reading the timeline', (db) => readTimeline(db, filter));
  }

  async readUsage(filter: Parameters<UsageRollupReader['readUsage']>[0]): Promise<readonly UsagePoint[]> {
    await this.flush();
    const rows = await this.#engine.run('reading usage', (db) =>
      db
        .selectFrom('usage_points')
        .selectAll()
        .where('key', '>=', filter.keyPrefix)
        .where('key', '<', `${filter.keyPrefix}\u{10ffff}`)
        .where('at', '>=', Math.floor(filter.from))
        .where('at', '<=', Math.floor(filter.to))
        .orderBy('key')
        .orderBy('at')
        .execute(),
    );
    return rows.map((row) => ({
      key: row.key,
      at: row.at,
      cpuMillicores: row.cpu_millicores,
      memoryBytes: row.memory_bytes,
      replicas: row.replicas,
    }));
  }

  async readCluster(from: Instant, to: Instant): Promise<readonly ClusterPoint[]> {
    await this.flush();
    const rows = await this.#engine.run('reading totals of the cluster', (db) =>
      db
        .selectFrom('cluster_points')
        .select('body')
        .where('at', '>=', Math.floor(from))
        .where('at', '<=', Math.floor(to))
        .orderBy('at')
        .execute(),
    );
    return rows.map(({ body }) => JSON.parse(body) as ClusterPoint);
  }

  /** Writes waiting rows. Never rejects: rows that the store rejects are requeued, and `status` reports the error. */
  flush(): Promise<void> {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#flushing = this.#flushing.then(() => this.#flushOnce());
    return this.#flushing;
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Rows may come during a write.
    for (let writes = 0; writes < MAX_LAST_WRITES && (writes === 0 || (this.#isWaiting() && this.#status.ok)); writes += 1) {
      await this.flush();
    }
    await this.#engine.close();
  }

  status(): { readonly ok: boolean; readonly message: string; readonly since: Instant } {
    return this.#status;
  }

  #append<K extends keyof Pending>(kind: K, rows: Pending[K]): void {
    this.#queue.add(kind, rows);
    if (this.#queue.size >= FLUSH_ROWS && this.#status.ok) void this.flush();
    else this.#flushSoon();
  }

  #share(record: SharedRecord): void {
    this.#outbox.add(record);
    this.#flushSoon();
  }

  async #changes(cursor: number): Promise<SharedChanges> {
    const rows = await this.#readShared(cursor);
    const records = rows.map(({ topic, key, at, body }) => {
      return { topic: topic as SharedRecord['topic'], key, at, body: JSON.parse(body) as unknown };
    });
    return { records, cursor: rows.at(-1)?.changed ?? cursor, more: rows.length === SHARED_PER_PAGE };
  }

  /** A follower writes nothing, so its status only depends on reads. */
  async #readShared(cursor: number): Promise<readonly HistoryTables['shared_records'][]> {
    try {
      const rows = await this.#engine.run('reading what the leader shares', (db) =>
        db.selectFrom('shared_records').selectAll().where('changed', '>', cursor).orderBy('changed').limit(SHARED_PER_PAGE).execute(),
      );
      if (this.#refusals === 0) this.#setStatus(true, 'answers');
      return rows;
    } catch (err) {
      if (this.#refusals === 0) this.#setStatus(false, `not readable: ${err instanceof Error ? err.message : String(err)}`);
      throw err;
    }
  }

  // A store that rejects each batch (a full disk) gets all waiting rows with each retry, so retries back off.
  #flushSoon(): void {
    const refusedMs = Math.min(MAX_RETRY_MS, FLUSH_AFTER_MS * 2 ** (this.#refusals - 1));
    const ms = this.#refusals === 0 ? FLUSH_AFTER_MS : Math.max(this.#engine.retryMs(), refusedMs);
    if (!this.#closed) this.#cancelFlush ??= this.#options.machine.setTimer(ms, () => void this.flush());
  }

  #isWaiting(): boolean {
    return this.#queue.size > 0 || this.#outbox.size > 0 || this.#accessEvents.size > 0;
  }

  async #flushOnce(): Promise<void> {
    const { signer } = this.#options;
    const unsignedHead = !this.#isHeadSigned && signer.hasKey ? this.#accessEvents.head : null;
    if (!this.#isWaiting() && unsignedHead === null) return;
    const batch = this.#queue.takeAll();
    const shared = this.#outbox.takeAll();
    const events = this.#accessEvents.link();
    const isSigned = signer.hasKey;
    try {
      await this.#engine.run('writing history', (db) =>
        db.transaction().execute(async (trx) => {
          await writePending(trx, batch, this.#pause);
          if (events.length > 0) await writeEvents(trx, events, signer);
          else if (unsignedHead !== null) await putMark(trx, unsignedHead.writer, 'head', unsignedHead, signer);
          if (shared.length > 0) await writeShared(trx, shared, await this.#engine.nextChange(trx), this.#pause);
        }),
      );
      this.#accessEvents.confirm();
      this.#eventCounters.written.add(events.length);
      if (events.length > 0 || unsignedHead !== null) this.#isHeadSigned = isSigned;
      // Events that waited behind a repeated write.
      if (this.#accessEvents.size > 0) this.#flushSoon();
      this.#refusals = 0;
      this.#setStatus(true, this.#writable());
    } catch (err) {
      this.#queue.requeue(batch);
      this.#outbox.requeue(shared);
      this.#errors.add();
      this.#setStatus(
        false,
        `not writable: ${err instanceof Error ? err.message : String(err)}; ${this.#queue.size} rows waiting, ${this.#queue.dropped} dropped`,
      );
      this.#refusals += 1;
      this.#flushSoon();
      return;
    }
    this.#flushes += 1;
    if (this.#flushes % PRUNE_EVERY_FLUSHES === 0) await this.#pruneOnce();
  }

  /** A failed prune does not fail the write before it. */
  async #pruneOnce(): Promise<void> {
    try {
      await this.#engine.run('deleting what is old', (db) => prune(db, this.#engine, this.#options));
    } catch (err) {
      this.#errors.add();
      this.#options.logger.warn('Failed to delete old history; will retry', { err });
    }
  }

  /** Status message while writes succeed. */
  #writable(): string {
    const { note = null } = this.#engine;
    return note === null ? 'writable' : `writable; ${note}`;
  }

  #setStatus(ok: boolean, message: string): void {
    if (ok !== this.#status.ok) {
      this.#options.logger[ok ? 'info' : 'warn'](ok ? 'History store is available again' : 'History store is unavailable; will retry', {
        detail: message,
      });
      this.#status = { ok, message, since: this.#options.clock.now() };
    } else {
      this.#status = { ...this.#status, message };
    }
  }
}

function withWitness(witnesses: ChainWitnesses, writer: string, { sequence, hash }: ChainPoint): ChainWitnesses {
  return new Map([...witnesses, [writer, [...(witnesses.get(writer) ?? []), { sequence, hash }]]]);
}
