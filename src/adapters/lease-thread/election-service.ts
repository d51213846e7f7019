// The thread's side of ThreadElection: runs the election, and leaves the work of a term to the main thread.

import type { MachineTimer } from '../../ports/clock.ts';
import type { LeadershipDeadline } from '../../ports/cluster/election.ts';
import type { LeaseStore } from '../../ports/cluster/lease-store.ts';
import type { Random } from '../../ports/random.ts';
import { LeaderElection } from '../../runtime/leader-election.ts';
import { MainThreadWatch } from './main-thread-watch.ts';
import type { ElectionReply, ElectionRequest, ElectionStatus } from './messages.ts';
import { PostedLogger } from './posted-logger.ts';
import { PostedMetrics } from './posted-metrics.ts';

export interface ElectionServiceDependencies {
  readonly post: (reply: ElectionReply) => void;
  readonly store: LeaseStore;
  readonly identity: string;
  readonly machine: MachineTimer;
  readonly random: Random;
  readonly deadline: LeadershipDeadline;
  readonly timestamp: () => string;
  /** Prints a line without the main thread. */
  readonly print: (message: string) => void;
}

/** Handles ElectionRequests and posts ElectionReplies. */
export class ElectionService {
  readonly #post: (reply: ElectionReply) => void;
  readonly #election: LeaderElection;
  readonly #watch: MainThreadWatch;
  readonly #stop = new AbortController();
  #work: PromiseWithResolvers<null> | null = null;

  constructor({ post, store, print, ...dependencies }: ElectionServiceDependencies) {
    const logger = new PostedLogger(post);
    const ping = (): void => post({ type: 'ping', status: this.#status() });
    this.#post = post;
    this.#watch = new MainThreadWatch({ machine: dependencies.machine, ping, logger, print });
    this.#election = new LeaderElection({ ...dependencies, store: this.#watch.over(store), logger, metrics: new PostedMetrics(post) });
  }

  /** Resolves after a `stop`, when the lease is released. */
  async run(): Promise<void> {
    this.#watch.start();
    await this.#election.run((term) => this.#lead(term), this.#stop.signal);
    this.#watch.stop();
    this.#post({ type: 'stopped' });
  }

  handle(request: ElectionRequest): void {
    this.#watch.markAnswered();
    switch (request.type) {
      case 'pong':
        break;
      case 'term-done':
        if (request.error === null) this.#work?.resolve(null);
        else this.#work?.reject(new Error(request.error));
        break;
      case 'stop':
        this.#stop.abort(new Error('Evenkeel is stopping'));
    }
  }

  /** The work of a term ends when the main thread reports it, also after the lease was lost. */
  async #lead(term: AbortSignal): Promise<void> {
    this.#work = Promise.withResolvers<null>();
    this.#post({ type: 'term-began', status: this.#status() });
    term.addEventListener('abort', () => this.#post({ type: 'term-ended', status: this.#status() }), { once: true });
    await this.#work.promise;
  }

  #status(): ElectionStatus {
    return { holder: this.#election.holder(), transitions: this.#election.transitions(), problem: this.#election.problem() };
  }
}
