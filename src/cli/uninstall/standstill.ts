// Keeps controllers from undoing what an uninstall does: their effects by the kill switch, their leading by their lease.
// Both end by themselves, so that an uninstall that was broken off never leaves a cluster without its controller for good;
// and both belong to the controller's Deployment, so that they go when it goes and not before.

import { pause } from '../../adapters/kubernetes/pause.ts';
import { readPause } from '../../adapters/kubernetes/decode-rules.ts';
import { CONTROLLER_LEASE, type Permission } from '../../adapters/kubernetes/permissions.ts';
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
import { clusterTimeIn } from './cluster-time.ts';

/** Leases that acting binaries hold. */
const LEASE_NAMES = [CONTROLLER_LEASE];
/** What the chart and the kustomize base call the controller's Deployment and pods. */
const OUR_CONTROLLERS = 'app.kubernetes.io/part-of=evenkeel,app.kubernetes.io/component=controller';
const REASON = 'evenkeel uninstall is at work';
const LOOK_EVERY_MS: DurationMs = SECOND_MS;

export interface StandstillDependencies {
  readonly cluster: ClusterAccess;
  /** Evenkeel's own. */
  readonly namespace: string;
  readonly timer: MachineTimer;
  /** From now until controllers may act again by themselves. */
  readonly lastsMs: DurationMs;
  readonly print: (line: string) => void;
}

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

interface SeenLease {
  readonly holder: string;
  readonly renewTime: string;
  readonly resourceVersion: string;
}

export class Standstill {
  readonly #dependencies: StandstillDependencies;
  #owners: readonly Owner[] = [];
  /** Holders that renewed their lease under our eyes. */
  readonly #alive: string[] = [];
  /** A person had stopped Evenkeel before, for at least as long: that is theirs to end. */
  #pauseIsTheirs = false;

  constructor(dependencies: StandstillDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves when no controller acts any more. @throws ApiFault with what could not be read or written */
  async begin(signal: AbortSignal): Promise<void> {
    const { print, namespace, timer } = this.#dependencies;
    this.#owners = await this.#findOwners(signal);
    const until = await this.#pauseControllers(signal);
    if (until === null) {
      print(`namespace ${namespace} is not there: no controller acts from it`);
      return;
    }
    for (const name of LEASE_NAMES) {
      const lease = await this.#readLease(name, signal);
      if (lease === null && this.#owners.length === 0) continue;
      const alive = lease !== null && (await this.#isRenewed(name, lease, signal));
      await this.#takeLease(name, signal);
      if (!alive) continue;
      this.#alive.push(lease.holder);
      print(`lease ${name} taken from ${lease.holder}; waiting until it has noticed for certain`);
      await pause(timer, LEASE_TIMES.leaseMs, signal);
    }
    print(`controllers are paused${until}`);
  }

  /** In a dry run: who would be stopped. */
  async printPlan(signal: AbortSignal): Promise<void> {
    for (const name of LEASE_NAMES) {
      const lease = await this.#readLease(name, signal);
      const holder = lease === null || lease.holder === '' ? '' : ` from ${lease.holder}`;
      this.#dependencies.print(`would pause Evenkeel and take lease ${name}${holder}`);
    }
  }

  /** Takes away what kept the controllers still, where nothing is left to keep still. Answers what stays for now, in words. */
  async end(signal: AbortSignal): Promise<string | null> {
    const { namespace } = this.#dependencies;
    const theirs = `ConfigMap ${namespace}/${PAUSE_CONFIG_MAP} was there before and stays: delete it by hand`;
    if (this.#owners.length > 0) {
      if (this.#pauseIsTheirs) return `the lease stays until the Deployment of the controller is deleted, and goes with it; ${theirs}`;
      return 'the pause and the lease stay until the Deployment of the controller is deleted, and go with it';
    }
    if (this.#alive.length > 0) {
      return `${this.#alive.join(', ')} still runs, outside of a Deployment in ${namespace}: stop it and run this again, or it acts again when the pause ends`;
    }
    for (const name of LEASE_NAMES) await this.#delete(LEASES, name, signal);
    if (this.#pauseIsTheirs) return theirs;
    await this.#delete(CONFIG_MAPS, PAUSE_CONFIG_MAP, signal);
    return null;
  }

  // Pods too: the garbage collector takes an object when the last of its owners is gone, and a pod goes after its process.
  async #findOwners(signal: AbortSignal): Promise<readonly Owner[]> {
    const { cluster, namespace } = this.#dependencies;
    const owners: Owner[] = [];
    for (const resource of [DEPLOYMENTS, PODS]) {
      for await (const { name, uid, isGoing } of cluster.list(resource, signal, { namespace, labelSelector: OUR_CONTROLLERS })) {
        if (!isGoing) owners.push({ apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid });
      }
    }
    return owners;
  }

  /** Until when, in words; null where there is no such namespace. */
  async #pauseControllers(signal: AbortSignal): Promise<string | null> {
    const { cluster, namespace, lastsMs, print } = this.#dependencies;
    const until = await clusterTimeIn(cluster.transport, lastsMs, signal);
    this.#pauseIsTheirs = await this.#isPausedByOthers(until, signal);
    if (this.#pauseIsTheirs) {
      print(`ConfigMap ${namespace}/${PAUSE_CONFIG_MAP} pauses Evenkeel already and stays as it is`);
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

  /** Whether a pause that is not an uninstall's holds at least as long as ours would. */
  async #isPausedByOthers(ours: Instant | null, signal: AbortSignal): Promise<boolean> {
    const found = await this.#get(CONFIG_MAPS, PAUSE_CONFIG_MAP, signal);
    if (found === null) return false;
    if (objectsAt(objectAt(found, 'metadata'), 'managedFields').some((entry) => textAt(entry, 'manager') === UNINSTALL_MANAGER))
      return false;
    const { until } = readPause(found);
    return until === null || (ours !== null && until >= ours);
  }

  /** Whether its holder is alive: by an observed renewal, since the holder's clock may be wrong. */
  async #isRenewed(name: string, first: SeenLease, signal: AbortSignal): Promise<boolean> {
    const { timer } = this.#dependencies;
    if (first.holder === '' || first.holder === UNINSTALL_MANAGER) return false;
    const startedMs = timer.nowMs();
    while (timer.nowMs() - startedMs < LEASE_TIMES.leaseMs) {
      await pause(timer, LOOK_EVERY_MS, signal);
      const now = await this.#readLease(name, signal);
      if (now === null || now.holder === '') return false;
      if (now.renewTime !== first.renewTime || now.holder !== first.holder) return true;
    }
    return false;
  }

  // Held for as long as the pause lasts, with one write: controllers wait for a lease with another holder.
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
      // It was renewed, made or deleted in between: once more on what it is now.
      if (!isConflict(failure) && !isNotFound(failure)) throw new ApiFault(`taking lease ${namespace}/${name}`, failure);
    }
  }

  async #readLease(name: string, signal: AbortSignal): Promise<SeenLease | null> {
    const found = await this.#get(LEASES, name, signal);
    return found === null ? null : seenLease(found);
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

function seenLease(wire: Wire): SeenLease {
  const spec = objectAt(wire, 'spec');
  return {
    holder: textAt(spec, 'holderIdentity'),
    // Transitions beside the time: a release and a new term within one microsecond are another life.
    renewTime: `${textAt(spec, 'renewTime')}/${numberAt(spec, 'leaseTransitions', 0)}`,
    resourceVersion: textAt(objectAt(wire, 'metadata'), 'resourceVersion'),
  };
}

const SOURCE = 'src/cli/uninstall/standstill.ts';

/** What stopping the controllers needs. */
export const STANDSTILL_PERMISSIONS: readonly Permission[] = [
  {
    resource: CONFIG_MAPS,
    verbs: ['get', 'create', 'patch', 'delete'],
    scope: 'own',
    names: [PAUSE_CONFIG_MAP],
    when: 'always',
    why: 'pauses the controllers meanwhile: the kill switch; one that a user set stays',
    by: SOURCE,
  },
  {
    resource: LEASES,
    verbs: ['create'],
    scope: 'own',
    when: 'always',
    why: 'a lease without a holder; RBAC cannot name an object that is created by POST',
    by: SOURCE,
  },
  {
    resource: LEASES,
    verbs: ['get', 'patch', 'delete'],
    scope: 'own',
    names: LEASE_NAMES,
    when: 'always',
    why: 'stops the controllers meanwhile: the lease is taken from them',
    by: SOURCE,
  },
];
