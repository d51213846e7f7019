import { MINUTE_MS } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';

/** Failed authentications of one address in a minute. */
export const MAX_FAILURES = 10;
/** Addresses with recent failures; the one without a failure for longest is forgotten first. */
const MAX_ADDRESSES = 10_000;

/** Counts failed authentications by client address over the last minute. */
export class FailedAttempts {
  readonly #timer: MachineTimer;
  readonly #failures = new Map<string, readonly number[]>();

  constructor(timer: MachineTimer) {
    this.#timer = timer;
  }

  /** Seconds until the address may try again; null: now. */
  waitSeconds(client: string): number | null {
    const recent = this.#recent(client);
    const oldest = recent.at(-MAX_FAILURES);
    return oldest === undefined ? null : Math.max(1, Math.ceil((oldest + MINUTE_MS - this.#timer.nowMs()) / 1000));
  }

  /** Counts a failure. Returns the function that takes it back, for an attempt that is counted before its outcome is known. */
  add(client: string): () => void {
    const at = this.#timer.nowMs();
    const recent = this.#recent(client);
    this.#failures.delete(client);
    this.#failures.set(client, [...recent, at].slice(-MAX_FAILURES));
    if (this.#failures.size > MAX_ADDRESSES) this.#forgetOldest();
    return () => {
      const failures = this.#failures.get(client) ?? [];
      const index = failures.lastIndexOf(at);
      if (index >= 0) this.#failures.set(client, failures.toSpliced(index, 1));
    };
  }

  #recent(client: string): readonly number[] {
    const since = this.#timer.nowMs() - MINUTE_MS;
    return (this.#failures.get(client) ?? []).filter((at) => at > since);
  }

  #forgetOldest(): void {
    const oldest = this.#failures.keys().next();
    if (oldest.done !== true) this.#failures.delete(oldest.value);
  }
}
