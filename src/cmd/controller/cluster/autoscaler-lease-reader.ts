import { AUTOSCALER_LEASE, autoscalerLeaseOf, NO_AUTOSCALER_LEASE, unreadableLease } from '../../../core/resize/policy/autoscaler-lease.ts';
import type { AutoscalerLease } from '../../../core/resize/policy/autoscaler-lease.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { LeaseStore } from '../../../ports/cluster/lease-store.ts';
import type { Logger } from '../../../ports/logger.ts';

/** Equal to the duration of Evenkeel's leases: a lost lease is seen within two durations. */
const READ_INTERVAL_MS: DurationMs = 10 * SECOND_MS;
const DEADLINE_MS: DurationMs = 5 * SECOND_MS;

export interface AutoscalerLeaseReaderDependencies {
  readonly store: Pick<LeaseStore, 'read'>;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  /** Unix time of this machine, because leases are renewed in machine time. */
  readonly wallMs: () => number;
}

/** Reads the lease of evenkeel-autoscaler periodically, and returns the last read one. */
export class AutoscalerLeaseReader {
  readonly #dependencies: AutoscalerLeaseReaderDependencies;
  readonly #listeners = new Set<(lease: AutoscalerLease) => void>();
  #lease = NO_AUTOSCALER_LEASE;
  #cancel: () => void = () => undefined;
  #stopped = false;

  constructor(dependencies: AutoscalerLeaseReaderDependencies) {
    this.#dependencies = dependencies;
  }

  get lease(): AutoscalerLease {
    return this.#lease;
  }

  /**
   * Calls the listener when the lease is acquired or lost, and when the reason changes.
   * @returns a function that ends the subscription
   */
  onChange(listener: (lease: AutoscalerLease) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves after the first read, even where it failed. */
  async start(): Promise<void> {
    const lease = await this.#read();
    if (this.#stopped) return;
    this.#update(lease);
    this.#cancel = this.#dependencies.timer.setTimer(READ_INTERVAL_MS, () => void this.start());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  async #read(): Promise<AutoscalerLease> {
    const { store, timer, wallMs } = this.#dependencies;
    const timeout = new AbortController();
    let cancel: () => void = () => undefined;
    const deadline = new Promise<never>((_, reject) => {
      cancel = timer.setTimer(DEADLINE_MS, () => {
        const problem = new Error(`no response in ${DEADLINE_MS / SECOND_MS} s`);
        timeout.abort(problem);
        reject(problem);
      });
    });
    try {
      return autoscalerLeaseOf(await Promise.race([store.read(timeout.signal), deadline]), wallMs());
    } catch (err) {
      return unreadableLease(err instanceof Error ? err.message : String(err));
    } finally {
      cancel();
    }
  }

  #update(lease: AutoscalerLease): void {
    const before = this.#lease;
    this.#lease = lease;
    if (JSON.stringify(lease) === JSON.stringify(before)) return;
    if (lease.isHeld)
      this.#dependencies.logger.info('Lease of evenkeel-autoscaler is held; pace Hourly is in force', { lease: AUTOSCALER_LEASE });
    else this.#dependencies.logger.info('Pace Hourly acts as Daily', { reason: lease.reason });
    for (const listener of this.#listeners) listener(lease);
  }
}
