import { MINUTE_MS } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import { ClientTable } from '../../runtime/clients/client-table.ts';

/** Counts failed authentications by client address over the last minute. */
export class FailedAttempts {
  readonly #timer: MachineTimer;
  readonly #maxPerMinute: number;
  readonly #failures = new ClientTable<readonly number[]>((failures) => this.#recent(failures).length);

  constructor(maxPerMinute: number, timer: MachineTimer) {
    this.#maxPerMinute = maxPerMinute;
    this.#timer = timer;
  }

  /** Seconds until the address may try again; null: now. */
  waitSeconds(client: string): number | null {
    const oldest = this.#recent(this.#failures.get(client)).at(-this.#maxPerMinute);
    return oldest === undefined ? null : Math.max(1, Math.ceil((oldest + MINUTE_MS - this.#timer.nowMs()) / 1000));
  }

  /** Counts a failure. Returns the function that takes it back, for an attempt that is counted before its outcome is known. */
  add(client: string): () => void {
    const at = this.#timer.nowMs();
    this.#failures.set(client, [...this.#recent(this.#failures.get(client)), at].slice(-this.#maxPerMinute));
    return () => {
      const failures = this.#failures.get(client) ?? [];
      const index = failures.lastIndexOf(at);
      if (index >= 0) this.#failures.set(client, failures.toSpliced(index, 1));
    };
  }

  #recent(failures: readonly number[] = []): readonly number[] {
    const since = this.#timer.nowMs() - MINUTE_MS;
    return failures.filter((at) => at > since);
  }
}
