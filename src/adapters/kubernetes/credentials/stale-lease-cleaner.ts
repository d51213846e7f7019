import type { ApiTransport } from '#kube/api-transport';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import { LEASES, objectPath } from '../resources.ts';
import { isAborted, sleep } from '../sleep.ts';
import { ApiFault, failureOf, isConflict, isNotFound } from '../status.ts';
import type { ReplicaLeases } from './replica-leases.ts';

const CHECK_EVERY_MS: DurationMs = MINUTE_MS;
/** Long after other replicas have ceased to wait for it. */
const UNRENEWED_MS: DurationMs = 5 * MINUTE_MS;

export interface StaleLeaseCleanerDependencies {
  readonly replicas: Pick<ReplicaLeases, 'unrenewedFor'>;
  /** A fenced transport, which writes only while this replica leads. */
  readonly leaders: ApiTransport;
  readonly namespace: string;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly isLeader: () => boolean;
}

/** Deletes Leases of replicas that ended without deleting their own, such as after a crash whose pod still exists. */
export class StaleLeaseCleaner {
  readonly #dependencies: StaleLeaseCleanerDependencies;

  constructor(dependencies: StaleLeaseCleanerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Checks at intervals until the signal aborts; only the leader deletes. */
  async run(signal: AbortSignal): Promise<void> {
    const { timer, isLeader, logger } = this.#dependencies;
    while (!isAborted(signal)) {
      await sleep(timer, CHECK_EVERY_MS, signal).catch(() => undefined);
      if (isAborted(signal) || !isLeader()) continue;
      await this.#clean().catch((err: unknown) => logger.warn('Failed to delete the Lease of an ended replica; will retry', { err }));
    }
  }

  async #clean(): Promise<void> {
    const { replicas, leaders, namespace, logger } = this.#dependencies;
    for (const { name, resourceVersion } of replicas.unrenewedFor(UNRENEWED_MS)) {
      // A renewal in the meantime keeps it.
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { resourceVersion } };
      const failure = failureOf(await leaders.request({ method: 'DELETE', path: objectPath(LEASES, namespace, name), body }));
      if (failure === null) logger.info('Deleted the Lease of an ended replica', { lease: name });
      else if (!isNotFound(failure) && !isConflict(failure)) throw new ApiFault(`deleting lease ${namespace}/${name}`, failure);
    }
  }
}
