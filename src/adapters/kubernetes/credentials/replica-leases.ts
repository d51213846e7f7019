import type { ApiTransport } from '#kube/api-transport';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { ReplicaReports } from '../../../core/access/replica-reports.ts';
import type { AccessWrite } from '../../../ports/access-store.ts';
import { collectionPath, LEASES } from '../resources.ts';
import { sleep } from '../sleep.ts';
import { listPages } from '../watch/pages.ts';
import { Reflector } from '../watch/reflector.ts';
import type { ReflectorContext } from '../watch/reflector-spec.ts';
import { decoder } from '../wire.ts';
import { MAX_AGE_MS } from './confirmed-copy.ts';
import { LEASE_MS, LEASE_TIMEOUT_MS, parseVersion, readReplicaLease, REPLICA_SELECTOR, type ReplicaLease } from './replica-lease.ts';

/** Reports arrive by a watch; where that is slow, they are read. */
const LIST_AGAIN_MS: DurationMs = SECOND_MS;

export interface ReplicaLeasesDependencies {
  readonly context: ReflectorContext;
  /** Sends the requests of users. */
  readonly commands: ApiTransport;
  readonly namespace: string;
  /** Name of the Lease of this replica, whose copies need no report. */
  readonly ownLease: string;
}

interface Observed {
  readonly lease: ReplicaLease;
  /** Machine time at which this renewal was first observed: later than the renewal. */
  readonly renewedAtMs: number;
  readonly isDeleted: boolean;
}

/** The Leases of all replicas that serve from copies, as a watch reports them. */
export class ReplicaLeases {
  readonly #dependencies: ReplicaLeasesDependencies;
  /** By name. One that was deleted counts until its duration is over, because its holder may not know yet. */
  readonly #observed = new Map<string, Observed>();
  readonly #waiting = new Set<() => void>();

  constructor(dependencies: ReplicaLeasesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Watches until the signal aborts. */
  run(signal: AbortSignal): Promise<void> {
    const { context, namespace } = this.#dependencies;
    const reflector = new Reflector<ReplicaLease>(
      {
        resource: LEASES,
        namespace,
        labelSelector: REPLICA_SELECTOR,
        required: false,
        decode: decoder(readReplicaLease),
        onChange: (_name, lease, previous) => {
          if (lease !== null) this.#observe(lease);
          else if (previous !== null) this.#markDeleted(previous);
        },
      },
      context,
    );
    return reflector.run(signal);
  }

  /**
   * Resolves once each replica has reported the version, or after ten seconds: no copy is served longer, and a replica that has no Lease, or
   * has not renewed it, serves from none. Never rejects.
   */
  async untilEveryReplicaHas(write: AccessWrite): Promise<ReplicaReports> {
    const { timer } = this.#dependencies.context;
    const deadlineMs = timer.nowMs() + MAX_AGE_MS;
    let areKnown = false;
    for (let nextListMs = -Infinity; ;) {
      if (timer.nowMs() >= nextListMs) {
        areKnown = (await this.#list(deadlineMs)) || areKnown;
        nextListMs = timer.nowMs() + LIST_AGAIN_MS;
      }
      const missing = this.#missing(write);
      const now = timer.nowMs();
      if ((areKnown && missing.length === 0) || now >= deadlineMs) return { areKnown, missing };
      await this.#untilObserved(Math.min(nextListMs, deadlineMs) - now);
    }
  }

  /** Leases that have not been renewed for this long, for removal. */
  unrenewedFor(ms: DurationMs): readonly Pick<ReplicaLease, 'name' | 'resourceVersion'>[] {
    const now = this.#dependencies.context.timer.nowMs();
    return [...this.#observed.values()]
      .filter(({ renewedAtMs, isDeleted }) => !isDeleted && now - renewedAtMs >= ms)
      .map(({ lease }) => lease);
  }

  #observe(lease: ReplicaLease): void {
    const before = this.#observed.get(lease.name);
    // The watch may be behind a list.
    if (before !== undefined && isOlder(lease, before.lease)) return;
    const isRenewed = before?.lease.renewTime !== lease.renewTime;
    const renewedAtMs = isRenewed ? this.#dependencies.context.timer.nowMs() : before.renewedAtMs;
    this.#observed.set(lease.name, { lease, renewedAtMs, isDeleted: false });
    for (const wake of this.#waiting) wake();
  }

  #markDeleted({ name }: ReplicaLease): void {
    const before = this.#observed.get(name);
    if (before !== undefined) this.#observed.set(name, { ...before, isDeleted: true });
    for (const [each, observed] of this.#observed) {
      if (observed.isDeleted && !this.#isCurrent(observed)) this.#observed.delete(each);
    }
  }

  #isCurrent({ lease, renewedAtMs }: Observed): boolean {
    return lease.holder !== '' && this.#dependencies.context.timer.nowMs() - renewedAtMs < LEASE_MS;
  }

  /** Holders of current Leases that have not reported the version. */
  #missing({ part, resourceVersion }: AccessWrite): readonly string[] {
    const { ownLease } = this.#dependencies;
    const version = parseVersion(resourceVersion);
    const hasReported = ({ reached }: ReplicaLease): boolean => version !== null && (reached.get(part) ?? -1n) >= version;
    return [...this.#observed.values()]
      .filter((observed) => observed.lease.name !== ownLease && this.#isCurrent(observed) && !hasReported(observed.lease))
      .map(({ lease }) => lease.holder)
      .toSorted();
  }

  /** Reads every Lease. False where that fails. */
  async #list(deadlineMs: number): Promise<boolean> {
    const { context, commands, namespace } = this.#dependencies;
    const stop = new AbortController();
    const leftMs = Math.max(1, Math.min(LEASE_TIMEOUT_MS, deadlineMs - context.timer.nowMs()));
    const cancel = context.timer.setTimer(leftMs, () => stop.abort(new Error('no answer in time')));
    try {
      for await (const { items } of listPages(
        commands,
        collectionPath(LEASES, namespace),
        { labelSelector: REPLICA_SELECTOR },
        stop.signal,
      )) {
        for (const item of items) this.#observe(readReplicaLease(item));
      }
      return true;
    } catch {
      return false;
    } finally {
      cancel();
    }
  }

  /** Resolves with the next observation, at the latest after this time. */
  async #untilObserved(ms: DurationMs): Promise<void> {
    const woken = new AbortController();
    const wake = (): void => woken.abort(new Error('observed'));
    this.#waiting.add(wake);
    await sleep(this.#dependencies.context.timer, Math.max(0, ms), woken.signal).catch(() => undefined);
    this.#waiting.delete(wake);
  }
}

function isOlder(lease: ReplicaLease, than: ReplicaLease): boolean {
  const [version, other] = [parseVersion(lease.resourceVersion), parseVersion(than.resourceVersion)];
  return version !== null && other !== null && version < other;
}
