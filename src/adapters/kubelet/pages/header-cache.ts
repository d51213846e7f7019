import { SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { KubeConnection } from '../../kubernetes/transport/connection.ts';

type RequestHeaders = KubeConnection['headers'];

/** Far shorter than the rest of the lifetime that a token has when it is renewed. */
const REUSE_MS: DurationMs = 30 * SECOND_MS;

/** Reuses the headers of a connection for `REUSE_MS`, so that the requests of a large cluster do not each ask another thread for them. */
export class HeaderCache {
  readonly #request: RequestHeaders;
  readonly #timer: Pick<MachineTimer, 'nowMs'>;
  #last: { readonly headers: ReturnType<RequestHeaders>; readonly askedAtMs: number } | null = null;

  constructor(request: RequestHeaders, timer: Pick<MachineTimer, 'nowMs'>) {
    this.#request = request;
    this.#timer = timer;
  }

  /** Headers of a request. `fresh`: requests them again, because the last ones were rejected. A failed request is not cached. */
  get(ask: Parameters<RequestHeaders>[0] = {}): ReturnType<RequestHeaders> {
    const nowMs = this.#timer.nowMs();
    const last = this.#last;
    if (ask.fresh !== true && last !== null && nowMs - last.askedAtMs < REUSE_MS) return last.headers;
    const asked = { headers: this.#request(ask), askedAtMs: nowMs };
    this.#last = asked;
    asked.headers.catch(() => {
      if (this.#last === asked) this.#last = null;
    });
    return asked.headers;
  }
}
