import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { DurationMs } from '#kube/units';
import type { WatchSession } from './watch-session.ts';

/** Interval of a real server, in domain time, because clients judge the age of a watch by their clock. */
const BOOKMARK_INTERVAL_MS: DurationMs = 60_000;
/** Duration of a watch without timeoutSeconds; a real server chooses between this and twice as long. */
const DEFAULT_TIMEOUT_SECONDS = 1800;

/** Bookmarks of all watches on one timer of the domain clock, and timeouts on machine time. */
export class WatchTimers {
  readonly #clock: Clock;
  readonly #machine: MachineTimer;
  readonly #bookmarked = new Set<WatchSession>();
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, machine: MachineTimer) {
    this.#clock = clock;
    this.#machine = machine;
  }

  /** `onTimeout` is called at most once. Returns the cancel function. */
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

  /** Stops all bookmarks; called when the server ends. */
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
