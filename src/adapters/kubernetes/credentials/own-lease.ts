import type { ApiRequest, ApiTransport } from '#kube/api-transport';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { AccessPart } from '../../../ports/access-store.ts';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import { collectionPath, LEASES, objectPath } from '../resources.ts';
import { isAborted, sleep } from '../sleep.ts';
import { ApiFault, failureOf, isConflict, isNotFound, type ApiFailure } from '../status.ts';
import { LEASE_MS, LEASE_TIMEOUT_MS, newReplicaLease, parseVersion, renewal, type OwnerPod } from './replica-lease.ts';

const RENEW_EVERY_MS: DurationMs = 10 * SECOND_MS;
const RETRY_AFTER_MS: DurationMs = SECOND_MS;
/** Counted from before the renewal was sent, and shorter than others count: others wait for as long as this replica relies on it. */
const RELIED_ON_MS: DurationMs = LEASE_MS - 10 * SECOND_MS;

const NAME_PREFIX = 'evenkeel-access-';
const MAX_NAME_LENGTH = 253;

export interface OwnLeaseDependencies {
  /** Separate from that of other requests, so that none of them delays a report. */
  readonly transport: ApiTransport;
  readonly namespace: string;
  /** Unique per process: a later process in the same pod must not report for an earlier one. */
  readonly identity: string;
  /** null: not in a pod. */
  readonly pod: OwnerPod | null;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  /** Current time for the Lease, in RFC 3339. */
  readonly timestamp: () => string;
  /** Called before others wait for this replica: what it has read until then may be older than a revoke that did not wait. */
  readonly onAwaited: () => void;
}

/** The Lease by which this replica reports which versions its copies have reached. It is written at each report and every ten seconds. */
export class OwnLease {
  readonly name: string;
  readonly #dependencies: OwnLeaseDependencies;
  readonly #reached = new Map<AccessPart, bigint>();
  #exists = false;
  #awaitedUntilMs = -Infinity;
  #isReportDue = false;
  #wake: () => void = () => undefined;
  #problem: string | null = null;

  constructor(dependencies: OwnLeaseDependencies) {
    this.#dependencies = dependencies;
    this.name = nameOf(dependencies.identity);
  }

  /** Whether other replicas wait for the reports of this one. */
  get isAwaited(): boolean {
    return this.#dependencies.timer.nowMs() < this.#awaitedUntilMs;
  }

  /** Why the Lease cannot be written; null: it is. */
  get problem(): string | null {
    return this.#problem;
  }

  /** From now on, nothing before this version is served. */
  report(part: AccessPart, resourceVersion: string): void {
    const version = parseVersion(resourceVersion);
    if (version === null || version <= (this.#reached.get(part) ?? -1n)) return;
    this.#reached.set(part, version);
    this.#isReportDue = true;
    this.#wake();
  }

  /** Creates and renews the Lease until the signal aborts, then deletes it. */
  async run(signal: AbortSignal): Promise<void> {
    while (!isAborted(signal)) {
      const isWritten = await this.#write();
      if (isWritten) await this.#untilDue(signal);
      else await sleep(this.#dependencies.timer, RETRY_AFTER_MS, signal).catch(() => undefined);
    }
    this.#awaitedUntilMs = -Infinity;
    if (this.#exists) await this.#release().catch((err: unknown) => this.#dependencies.logger.warn('Failed to release the Lease', { err }));
  }

  async #untilDue(signal: AbortSignal): Promise<void> {
    if (this.#isReportDue) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort(new Error('a report is due'));
    await sleep(this.#dependencies.timer, RENEW_EVERY_MS, AbortSignal.any([signal, woken.signal])).catch(() => undefined);
    this.#wake = () => undefined;
  }

  async #write(): Promise<boolean> {
    const startedMs = this.#dependencies.timer.nowMs();
    this.#isReportDue = false;
    try {
      const isWritten = this.#exists ? await this.#renew() : await this.#create();
      if (isWritten) this.#rely(startedMs);
      this.#problem = null;
      return isWritten;
    } catch (err) {
      this.#isReportDue = true;
      const problem = err instanceof Error ? err.message : String(err);
      if (problem !== this.#problem) this.#dependencies.logger.warn('Failed to report in the Lease; will retry', { lease: this.name, err });
      this.#problem = problem;
      return false;
    }
  }

  /** A revoke may have been answered while others did not wait: what was read by then is dropped first. */
  #rely(startedMs: number): void {
    if (!this.isAwaited) this.#dependencies.onAwaited();
    this.#awaitedUntilMs = startedMs + RELIED_ON_MS;
  }

  async #create(): Promise<boolean> {
    const { namespace, timestamp } = this.#dependencies;
    const body = newReplicaLease({ ...this.#dependencies, name: this.name }, this.#reached, timestamp());
    const failure = await this.#send({ method: 'POST', path: collectionPath(LEASES, namespace), body });
    if (failure !== null && !isConflict(failure)) throw new ApiFault(`creating lease ${namespace}/${this.name}`, failure);
    // The identity is unique, so an existing one is of an earlier request whose answer was lost.
    this.#exists = true;
    return failure === null;
  }

  async #renew(): Promise<boolean> {
    const { namespace, timestamp } = this.#dependencies;
    const failure = await this.#patch(renewal(this.#reached, timestamp()));
    if (failure === null) return true;
    if (!isNotFound(failure)) throw new ApiFault(`renewing lease ${namespace}/${this.name}`, failure);
    this.#exists = false;
    this.#awaitedUntilMs = -Infinity;
    return false;
  }

  /** Others see that it was released before it is gone: a Lease that vanishes may be of a replica that still serves. */
  async #release(): Promise<void> {
    const { namespace } = this.#dependencies;
    const released = await this.#patch({ spec: { holderIdentity: null } });
    if (released !== null) throw new ApiFault(`releasing lease ${namespace}/${this.name}`, released);
    const deleted = await this.#send({ method: 'DELETE', path: objectPath(LEASES, namespace, this.name) });
    if (deleted !== null && !isNotFound(deleted)) throw new ApiFault(`deleting lease ${namespace}/${this.name}`, deleted);
  }

  #patch(body: object): Promise<ApiFailure | null> {
    const path = objectPath(LEASES, this.#dependencies.namespace, this.name);
    return this.#send({ method: 'PATCH', path, headers: { 'content-type': 'application/merge-patch+json' }, body });
  }

  async #send(request: ApiRequest): Promise<ApiFailure | null> {
    return failureOf(await this.#dependencies.transport.request({ ...request, timeoutMs: LEASE_TIMEOUT_MS, retry: false }));
  }
}

/** The identity as a name of an object. */
function nameOf(identity: string): string {
  const text = identity.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-');
  return `${NAME_PREFIX}${text.slice(-(MAX_NAME_LENGTH - NAME_PREFIX.length)).replace(/^[^a-z0-9]+/, '')}`;
}
