import { AUTOSCALER_LEASE, autoscalerLeaseOf, NO_AUTOSCALER_LEASE, unreadableLease } from '../../core/resize/policy/autoscaler-lease.ts';
import type { AutoscalerLease } from '../../core/resize/policy/autoscaler-lease.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import type { LeaseStore } from '../../ports/lease-store.ts';
import type { Logger } from '../../ports/logger.ts';

/** As long as a lease of Evenkeel's lasts: its loss is seen within two durations, at one small request each. */
const READ_EVERY_MS: DurationMs = 10 * SECOND_MS;
const DEADLINE_MS: DurationMs = 5 * SECOND_MS;

export interface AutoscalerLeaseReaderDependencies {
  readonly store: Pick<LeaseStore, 'read'>;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  /** Unix time of this machine: leases are renewed by machine time, whatever the domain clock does. */
  readonly wallMs: () => number;
}

/** Reads the lease of evenkeel-autoscaler from time to time. What was read last holds until the next reading. */
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

  /** Calls back when it begins or ends to be held, and when the reason changes. Returns the cancel. */
  onChange(listener: (lease: AutoscalerLease) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when it has been read once, whatever came of it. */
  async start(): Promise<void> {
    const lease = await this.#read();
    if (this.#stopped) return;
    this.#take(lease);
    this.#cancel = this.#dependencies.timer.setTimer(READ_EVERY_MS, () => void this.start());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  async #read(): Promise<AutoscalerLease> {
    const { store, timer, wallMs } = this.#dependencies;
    const late = new AbortController();
    let cancel: () => void = () => undefined;
    const deadline = new Promise<never>((_, reject) => {
      cancel = timer.setTimer(DEADLINE_MS, () => {
        const problem = new Error(`no answer in ${DEADLINE_MS / SECOND_MS} s`);
        late.abort(problem);
        reject(problem);
      });
    });
    try {
      return autoscalerLeaseOf(await Promise.race([store.read(late.signal), deadline]), wallMs());
    } catch (err) {
      return unreadableLease(err instanceof Error ? err.message : String(err));
    } finally {
      cancel();
    }
  }

  #take(lease: AutoscalerLease): void {
    const before = this.#lease;
    this.#lease = lease;
    if (JSON.stringify(lease) === JSON.stringify(before)) return;
    if (lease.isHeld)
      this.#dependencies.logger.info('The lease is held: pace Hourly is in force where a policy asks for it', { lease: AUTOSCALER_LEASE });
    else this.#dependencies.logger.info('Pace Hourly acts as Daily', { reason: lease.reason });
    for (const listener of this.#listeners) listener(lease);
  }
}
