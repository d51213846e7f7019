import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../../../ports/clock.ts';

/** Cache time of credentials. Kubelets rotate a mounted token well before it expires, so rereading every 30 s finds it in time. */
const CREDENTIALS_CACHED_MS: DurationMs = 30_000;

type Headers = Readonly<Record<string, string>>;

/** Caches credential headers, whose source reads files and may run an exec plugin each time. */
export class CredentialCache {
  readonly #read: () => Promise<Headers>;
  readonly #timer: MachineTimer;
  #cached: { readonly atMs: number; readonly headers: Promise<Headers> } | undefined;

  constructor(read: () => Promise<Headers>, timer: MachineTimer) {
    this.#read = read;
    this.#timer = timer;
  }

  headers(fresh: boolean): Promise<Headers> {
    const now = this.#timer.nowMs();
    if (fresh || this.#cached === undefined || now - this.#cached.atMs > CREDENTIALS_CACHED_MS) {
      const headers = this.#read();
      this.#cached = { atMs: now, headers };
      // A failure is not cached: the next request tries again.
      headers.catch(() => {
        if (this.#cached?.headers === headers) this.#cached = undefined;
      });
    }
    return this.#cached.headers;
  }
}
