// Prevents controllers from undoing an uninstall: effects by the pause ConfigMap, leadership by the Lease. Both expire, so an interrupted
// uninstall never disables the controller forever; and both are owned by the controller's Deployment, so they are garbage-collected with
// it.

import { sleep } from '../../adapters/kubernetes/sleep.ts';
import { readPause } from '../../adapters/kubernetes/decode/decode-rules.ts';
import { CONTROLLER_LEASE, type Permission } from '../../adapters/kubernetes/access/permissions.ts';
import { microTime } from '../../adapters/kubernetes/micro-time.ts';
import {
  apiVersionOf,
  collectionPath,
  CONFIG_MAPS,
  DEPLOYMENTS,
  LEASES,
  objectPath,
  PODS,
  type ApiResource,
} from '../../adapters/kubernetes/resources.ts';
import { ApiFault, failureOf, isConflict, isNotFound } from '../../adapters/kubernetes/status.ts';
import { asObject, numberAt, objectAt, objectsAt, textAt, type Wire } from '../../adapters/kubernetes/wire.ts';
import { PAUSE_CONFIG_MAP } from '../../apis/annotations.ts';
import { isoTime } from '#kube/time/iso-time';
import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { UNINSTALL_MANAGER } from '../../core/model/field-managers.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import { LEASE_TIMES } from '../../runtime/leader-election.ts';
import type { ClusterAccess } from './cluster-access.ts';
import type { ApiTransport } from '#kube/api-transport';

/** Leases of binaries with effects. */
const LEASE_NAMES = [CONTROLLER_LEASE];
/** Labels of the controller's Deployment and pods in the chart and the kustomize base. */
const CONTROLLER_SELECTOR = 'app.kubernetes.io/part-of=evenkeel,app.kubernetes.io/component=controller';
const REASON = 'evenkeel uninstall is running';
const POLL_INTERVAL_MS: DurationMs = SECOND_MS;

export interface StandstillDependencies {
  readonly cluster: ClusterAccess;
  /** Namespace of Evenkeel. */
  readonly namespace: string;
  readonly timer: MachineTimer;
  /** Time from now until controllers may act again. */
  readonly lastsMs: DurationMs;
  readonly print: (line: string) => void;
}

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

interface LeaseState {
  readonly holder: string;
  readonly renewTime: string;
  readonly resourceVersion: string;
}

export class Standstill {
  readonly #dependencies: StandstillDependencies;
  #owners: readonly Owner[] = [];
  /** Holders whose lease renewal was observed. */
  readonly #alive: string[] = [];
  /** True where a user has paused Evenkeel for at least as long; the uninstall must not end that pause. */
  #hasUserPause = false;

  constructor(dependencies: StandstillDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves when no controller acts any longer. @throws ApiFault where a read or write fails */
  async begin(signal: AbortSignal): Promise<void> {
    const { print, namespace, timer } = this.#dependencies;
    this.#owners = await this.#findOwners(signal);
    const until = await this.#pauseControllers(signal);
    if (until === null) {
      print(`namespace ${namespace} does not exist: no controller runs in it`);
      return;
    }
    for (const name of LEASE_NAMES) {
      const lease = await this.#readLease(name, signal);
      if (lease === null && this.#owners.length === 0) continue;
      const alive = lease !== null && (await this.#isRenewed(name, lease, signal));
      await this.#takeLease(name, signal);
      if (!alive) continue;
      this.#alive.push(lease.holder);
      print(`lease ${name} taken from ${lease.holder}; waiting until its lease has expired`);
      await sleep(timer, LEASE_TIMES.leaseMs, signal);
    }
    print(`controllers are paused${until}`);
  }

  /** Prints what would be paused, in a dry run. */
  async printPlan(signal: AbortSignal): Promise<void> {
    for (const name of LEASE_NAMES) {
      const lease = await this.#readLease(name, signal);
      const holder = lease === null || lease.holder === '' ? '' : ` from ${lease.holder}`;
      this.#dependencies.print(`would pause Evenkeel and take lease ${name}${holder}`);
    }
  }

  /** Removes the pause and the lease where no controller is left. Returns a note about what stays for now; null: nothing. */
  async end(signal: AbortSignal): Promise<string | null> {
    const { namespace } = this.#dependencies;
    const userPauseNote = `ConfigMap ${namespace}/${PAUSE_CONFIG_MAP} existed before and stays: delete it manually`;
    if (this.#owners.length > 0) {
      if (this.#hasUserPause)
        return `the lease stays until the Deployment of the controller is deleted, and is deleted with it; ${userPauseNote}`;
      return 'the pause and the lease stay until the Deployment of the controller is deleted, and are deleted with it';
    }
    if (this.#alive.length > 0) {
      return `${this.#alive.join(', ')} still runs outside a Deployment in ${namespace}: stop it and run the uninstall again, or it resumes when the pause ends`;
    }
    for (const name of LEASE_NAMES) await this.#delete(LEASES, name, signal);
    if (this.#hasUserPause) return userPauseNote;
    await this.#delete(CONFIG_MAPS, PAUSE_CONFIG_MAP, signal);
    return null;
  }

  // Pods as well: an object is garbage-collected when its last owner is deleted, and a pod is deleted after its process has ended.
  async #findOwners(signal: AbortSignal): Promise<readonly Owner[]> {
    const { cluster, namespace } = this.#dependencies;
    const owners: Owner[] = [];
    for (const resource of [DEPLOYMENTS, PODS]) {
      for await (const { name, uid, isBeingDeleted } of cluster.list(resource, signal, { namespace, labelSelector: CONTROLLER_SELECTOR })) {
        if (!isBeingDeleted) owners.push({ apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid });
      }
    }
    return owners;
  }

  /** Returns the end of the pause as text; null where the namespace does not exist. */
  async #pauseControllers(signal: AbortSignal): Promise<string | null> {
    const { cluster, namespace, lastsMs, print } = this.#dependencies;
    const until = await clusterTimeIn(cluster.transport, lastsMs, signal);
    this.#hasUserPause = await this.#isPausedByOthers(until, signal);
    if (this.#hasUserPause) {
      print(`ConfigMap ${namespace}/${PAUSE_CONFIG_MAP} already pauses Evenkeel and is unchanged`);
      return '';
    }
    const response = await cluster.transport.request({
      method: 'PATCH',
      path: objectPath(CONFIG_MAPS, namespace, PAUSE_CONFIG_MAP),
      query: { fieldManager: UNINSTALL_MANAGER, force: true },
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: {
        apiVersion: apiVersionOf(CONFIG_MAPS),
        kind: CONFIG_MAPS.kind,
        metadata: { name: PAUSE_CONFIG_MAP, namespace, ...this.#ownerReferences() },
        data: { reason: REASON, ...(until === null ? {} : { until: isoTime(until) }) },
      },
      signal,
    });
    const failure = failureOf(response);
    if (failure === null) return until === null ? '' : ` until ${isoTime(until)}`;
    if (isNotFound(failure)) return null;
    throw new ApiFault(`pausing Evenkeel by ConfigMap ${namespace}/${PAUSE_CONFIG_MAP}`, failure);
  }

  /** Whether a pause that is not an uninstall's lasts at least as long. */
  async #isPausedByOthers(ours: Instant | null, signal: AbortSignal): Promise<boolean> {
    const found = await this.#get(CONFIG_MAPS, PAUSE_CONFIG_MAP, signal);
    if (found === null) return false;
    if (objectsAt(objectAt(found, 'metadata'), 'managedFields').some((entry) => textAt(entry, 'manager') === UNINSTALL_MANAGER))
      return false;
    const { until } = readPause(found);
    return until === null || (ours !== null && until >= ours);
  }

  /** Whether the holder is alive, by an observed renewal, since the holder's clock may be wrong. */
  async #isRenewed(name: string, first: LeaseState, signal: AbortSignal): Promise<boolean> {
    const { timer } = this.#dependencies;
    if (first.holder === '' || first.holder === UNINSTALL_MANAGER) return false;
    const startedMs = timer.nowMs();
    while (timer.nowMs() - startedMs < LEASE_TIMES.leaseMs) {
      await sleep(timer, POLL_INTERVAL_MS, signal);
      const now = await this.#readLease(name, signal);
      if (now === null || now.holder === '') return false;
      if (now.renewTime !== first.renewTime || now.holder !== first.holder) return true;
    }
    return false;
  }

  // Takes the lease for as long as the pause with one write: controllers wait while another holder has it.
  async #takeLease(name: string, signal: AbortSignal): Promise<void> {
    const { cluster, namespace, lastsMs } = this.#dependencies;
    const now = microTime(new Date().toISOString());
    const spec = {
      holderIdentity: UNINSTALL_MANAGER,
      leaseDurationSeconds: Math.ceil(lastsMs / SECOND_MS),
      acquireTime: now,
      renewTime: now,
    };
    for (;;) {
      signal.throwIfAborted();
      const seen = await this.#readLease(name, signal);
      const metadata = { name, namespace, ...this.#ownerReferences() };
      const path = objectPath(LEASES, namespace, name);
      const response = await cluster.transport.request(
        seen === null
          ? {
              method: 'POST',
              path: collectionPath(LEASES, namespace),
              body: { apiVersion: apiVersionOf(LEASES), kind: LEASES.kind, metadata, spec },
              signal,
            }
          : {
              method: 'PATCH',
              path,
              query: { fieldManager: UNINSTALL_MANAGER },
              headers: { 'content-type': 'application/merge-patch+json' },
              body: { metadata: { ...metadata, resourceVersion: seen.resourceVersion }, spec },
              signal,
            },
      );
      const failure = failureOf(response);
      if (failure === null) return;
      // It was renewed, created or deleted concurrently: retry on its current state.
      if (!isConflict(failure) && !isNotFound(failure)) throw new ApiFault(`taking lease ${namespace}/${name}`, failure);
    }
  }

  async #readLease(name: string, signal: AbortSignal): Promise<LeaseState | null> {
    const found = await this.#get(LEASES, name, signal);
    return found === null ? null : readLeaseState(found);
  }

  async #get(resource: ApiResource, name: string, signal: AbortSignal): Promise<Wire | null> {
    const { cluster, namespace } = this.#dependencies;
    const response = await cluster.transport.request({ method: 'GET', path: objectPath(resource, namespace, name), signal });
    const failure = failureOf(response);
    if (failure === null) return asObject(response.body, name);
    if (isNotFound(failure)) return null;
    throw new ApiFault(`reading ${resource.kind} ${namespace}/${name}`, failure);
  }

  async #delete(resource: ApiResource, name: string, signal: AbortSignal): Promise<void> {
    const { cluster, namespace, print } = this.#dependencies;
    const response = await cluster.transport.request({ method: 'DELETE', path: objectPath(resource, namespace, name), signal });
    const failure = failureOf(response);
    if (failure === null) print(`${resource.kind.toLowerCase()} ${namespace}/${name}: deleted`);
    else if (!isNotFound(failure)) throw new ApiFault(`deleting ${resource.kind} ${namespace}/${name}`, failure);
  }

  #ownerReferences(): { readonly ownerReferences?: readonly object[] } {
    if (this.#owners.length === 0) return {};
    return { ownerReferences: this.#owners.map((owner) => ({ ...owner, controller: false, blockOwnerDeletion: false })) };
  }
}

function readLeaseState(wire: Wire): LeaseState {
  const spec = objectAt(wire, 'spec');
  return {
    holder: textAt(spec, 'holderIdentity'),
    // Includes transitions, since a release and a new term within one microsecond are a different term.
    renewTime: `${textAt(spec, 'renewTime')}/${numberAt(spec, 'leaseTransitions', 0)}`,
    resourceVersion: textAt(objectAt(wire, 'metadata'), 'resourceVersion'),
  };
}

const SOURCE = 'src/cli/uninstall/standstill.ts';

/** Permissions to stop the controllers. */
export const STANDSTILL_PERMISSIONS: readonly Permission[] = [
  {
    resource: CONFIG_MAPS,
    verbs: ['get', 'create', 'patch', 'delete'],
    scope: 'own',
    names: [PAUSE_CONFIG_MAP],
    when: 'always',
    why: 'pausing the controllers meanwhile; a pause by a user stays',
    by: SOURCE,
  },
  {
    resource: LEASES,
    verbs: ['create'],
    scope: 'own',
    when: 'always',
    why: 'creating a missing lease; RBAC cannot restrict create by name',
    by: SOURCE,
  },
  {
    resource: LEASES,
    verbs: ['get', 'patch', 'delete'],
    scope: 'own',
    names: LEASE_NAMES,
    when: 'always',
    why: 'taking the lease from the controllers meanwhile',
    by: SOURCE,
  },
];

/**
 * The time on the cluster's clock after `ms` of machine time, since an embedded cluster's clock may run faster. null where it is unknown
 * (full speed).
 */
async function clusterTimeIn(transport: ApiTransport, ms: DurationMs, signal: AbortSignal): Promise<Instant | null> {
  const version = await transport.request({ method: 'GET', path: '/version', signal });
  const { gitVersion } = (version.body ?? {}) as { readonly gitVersion?: unknown };
  if (typeof gitVersion !== 'string' || !gitVersion.endsWith('+evenkeel')) return Date.now() + ms;
  const { body } = await transport.request({ method: 'GET', path: '/evenkeel/clock', signal });
  const { now, speed } = (body ?? {}) as { readonly now?: unknown; readonly speed?: unknown };
  return typeof now === 'number' && typeof speed === 'number' ? now + ms * speed : null;
}
