import type { ClusterReader } from '../ports/cluster/cluster-reader.ts';
import type { MachineTimer } from '../ports/clock.ts';

/** Informers usually show a write within milliseconds; a slow watch must not delay the response. */
const MAX_WAIT_MS = 500;

/**
 * Gives callers read-your-writes consistency: the response to a write waits until the informers, from which all queries read, show it. Each
 * write is a predicate, because a later write may replace it.
 */
export class OwnWrites {
  readonly #cluster: Pick<ClusterReader, 'subscribe'>;
  readonly #timer: MachineTimer;
  readonly #pending = new Set<() => boolean>();

  constructor(cluster: Pick<ClusterReader, 'subscribe'>, timer: MachineTimer) {
    this.#cluster = cluster;
    this.#timer = timer;
  }

  /** Registers a write; `isObserved` returns whether the informers show it. */
  expect(isObserved: () => boolean): void {
    if (!isObserved()) this.#pending.add(isObserved);
  }

  /** Resolves once the informers show all registered writes, after 500 ms at the latest. */
  async waitUntilObserved(): Promise<void> {
    const awaited = [...this.#pending];
    const isAllObserved = (): boolean => {
      while (awaited.length > 0 && awaited.at(-1)?.() === true) this.#forget(awaited.pop());
      return awaited.length === 0;
    };
    if (isAllObserved()) return;
    await new Promise<void>((resolve) => {
      const cancels: (() => void)[] = [];
      const end = (): void => {
        for (const cancel of cancels) cancel();
        for (const isObserved of awaited) this.#forget(isObserved);
        resolve();
      };
      cancels.push(this.#timer.setTimer(MAX_WAIT_MS, end));
      cancels.push(
        this.#cluster.subscribe(() => {
          if (isAllObserved()) end();
        }),
      );
    });
  }

  #forget(isObserved: (() => boolean) | undefined): void {
    if (isObserved !== undefined) this.#pending.delete(isObserved);
  }
}
