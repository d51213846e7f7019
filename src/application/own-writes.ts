import type { ClusterReader } from '../ports/cluster-reader.ts';
import type { MachineTimer } from '../ports/clock.ts';

/** Watches tell within milliseconds; where they are slow, an answer is worth more than its echo. */
const MAX_MS = 500;

/**
 * Who has written something reads it at once: the answer to a write waits until the informers, from which every read is
 * answered, have told of it. What is waited for is a question, since another write may have followed this one.
 */
export class OwnWrites {
  readonly #cluster: Pick<ClusterReader, 'subscribe'>;
  readonly #timer: MachineTimer;
  readonly #unseen = new Set<() => boolean>();

  constructor(cluster: Pick<ClusterReader, 'subscribe'>, timer: MachineTimer) {
    this.#cluster = cluster;
    this.#timer = timer;
  }

  /** A write was carried out; `isSeen` says whether the informers have told of it. */
  expect(isSeen: () => boolean): void {
    if (!isSeen()) this.#unseen.add(isSeen);
  }

  /** Resolves once all that was written until now, by whomever, is seen, or has not been for half a second. */
  async caughtUp(): Promise<void> {
    const awaited = [...this.#unseen];
    const allSeen = (): boolean => {
      while (awaited.length > 0 && awaited.at(-1)?.() === true) this.#forget(awaited.pop());
      return awaited.length === 0;
    };
    if (allSeen()) return;
    await new Promise<void>((resolve) => {
      const ends: (() => void)[] = [];
      const end = (): void => {
        for (const each of ends) each();
        for (const isSeen of awaited) this.#forget(isSeen);
        resolve();
      };
      ends.push(this.#timer.setTimer(MAX_MS, end));
      ends.push(
        this.#cluster.subscribe(() => {
          if (allSeen()) end();
        }),
      );
    });
  }

  /** Nobody who asks from now on waits for it. */
  #forget(isSeen: (() => boolean) | undefined): void {
    if (isSeen !== undefined) this.#unseen.delete(isSeen);
  }
}
