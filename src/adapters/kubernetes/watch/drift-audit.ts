// Periodically lists the whole kind beside the open watch and compares. A correct watch shows no difference; a difference is counted as a
// bug and repaired by listing again.

import type { DurationMs } from '#kube/units';
import type { Activity, MachineTimer } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Random } from '../../../ports/random.ts';
import type { Page } from './pages.ts';
import { isAborted, sleep } from '../sleep.ts';
import { identityOf, type ReflectorStore } from './reflector-store.ts';

/** Maximum lag of the watch behind a listing. Versions are opaque, so a lag and a missed event differ only after a wait. */
const MAX_WATCH_LAG_MS: DurationMs = 15_000;

export interface DriftAuditDependencies<T> {
  readonly store: ReflectorStore<T>;
  readonly context: { readonly timer: MachineTimer; readonly random: Random; readonly activity: Activity };
  readonly everyMs: DurationMs;
  readonly list: (signal: AbortSignal) => AsyncIterable<Page>;
  readonly isWatching: () => boolean;
  readonly onDrift: (keys: readonly string[]) => void;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Compares a store with the API server at intervals and requests a new listing where they differ. */
export class DriftAudit<T> {
  readonly #dependencies: DriftAuditDependencies<T>;
  readonly #stop = new AbortController();
  #restart = new AbortController();

  constructor(dependencies: DriftAuditDependencies<T>) {
    this.#dependencies = dependencies;
    void this.#run(AbortSignal.any([dependencies.signal, this.#stop.signal]));
  }

  /** Signal that aborts when drift was found: the watch must end and the kind be listed. */
  restart(): AbortSignal {
    return this.#restart.signal;
  }

  /** Returns true once per restart, and resets `restart`. */
  takeRestart(): boolean {
    if (!this.#restart.signal.aborted) return false;
    this.#restart = new AbortController();
    return true;
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { context, everyMs, isWatching, onDrift, logger } = this.#dependencies;
    while (!signal.aborted) {
      try {
        await sleep(context.timer, everyMs * (0.75 + 0.5 * context.random.next()), signal);
        if (!isWatching()) continue;
        const drifted = await this.#compare(signal);
        if (drifted.length === 0) continue;
        onDrift(drifted);
        this.#restart.abort();
      } catch (err) {
        if (!isAborted(signal)) logger.warn('Comparing the informer with a listing failed; will retry', { err });
      }
    }
  }

  async #compare(signal: AbortSignal): Promise<string[]> {
    const { store, context, list } = this.#dependencies;
    const listed = new Map<string, string>();
    for await (const page of list(signal)) {
      if (page.restarted) listed.clear();
      for (const item of page.items) {
        const { key, uid, resourceVersion } = identityOf(item);
        listed.set(key, `${uid}/${resourceVersion}`);
      }
    }
    const suspects = new Map<string, string | undefined>();
    for (const [key, version] of listed) if (store.versionOf(key) !== version) suspects.set(key, store.versionOf(key));
    for (const key of store.keys()) if (!listed.has(key)) suspects.set(key, store.versionOf(key));
    if (suspects.size === 0) return [];
    await sleep(context.timer, MAX_WATCH_LAG_MS, signal);
    // Entries that the watch has updated since were only late. The others were missed.
    return [...suspects].filter(([key, before]) => store.versionOf(key) === before && before !== listed.get(key)).map(([key]) => key);
  }
}
