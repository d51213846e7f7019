import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { DurationMs } from '#kube/units';
import type { WatchSession } from './watch-session.ts';

/** As often as a real server sends them. Domain time: a consumer judges by its own clock whether it still hears anything. */
const BOOKMARK_INTERVAL_MS: DurationMs = 60_000;
/** How long a watch without a time-out of its own lasts; a real server draws it between this and twice as long. */
const DEFAULT_TIMEOUT_SECONDS = 1800;

/** Bookmarks of all watches by one timer of the domain clock, and time-outs by the machine's. */
export class WatchTimers {
  readonly #clock: Clock;
  readonly #machine: MachineTimer;
  readonly #bookmarked = new Set<WatchSession>();
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, machine: MachineTimer) {
    this.#clock = clock;
    this.#machine = machine;
  }

  /** `onTimeout` is called at most once. Answers the stop. */
  follow(session: WatchSession, wantsBookmarks: boolean, timeoutSeconds: number, onTimeout: () => void): () => void {
    const seconds = timeoutSeconds > 0 ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS;
    const forget = (): void => {
      this.#bookmarked.delete(session);
    };
    const cancelTimeout = this.#machine.setTimer(seconds * 1000, () => {
      forget();
      if (wantsBookmarks) session.bookmark();
      onTimeout();
    });
    if (wantsBookmarks) {
      this.#bookmarked.add(session);
      this.#arm();
    }
    return () => {
      forget();
      cancelTimeout();
    };
  }

  /** No more bookmarks; for the end of the server. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#bookmarked.clear();
  }

  #arm(): void {
    this.#cancel ??= this.#clock.schedule(this.#clock.now() + BOOKMARK_INTERVAL_MS, () => {
      this.#cancel = null;
      for (const session of this.#bookmarked) session.bookmark();
      if (this.#bookmarked.size > 0) this.#arm();
    });
  }
}
