// The Lease of a replica that serves what decides access from copies, as an object of the API server.

import { SECOND_MS, type DurationMs } from '#kube/units';
import { LABELS, REPLICA_LEASE_ANNOTATIONS } from '../../../apis/annotations.ts';
import type { AccessPart } from '../../../ports/access-store.ts';
import { microTime } from '../micro-time.ts';
import { apiVersionOf, LEASES } from '../resources.ts';
import { objectAt, textAt, type Wire } from '../wire.ts';

/** Without a renewal for this long, a revoke no longer waits for the replica. */
export const LEASE_MS: DurationMs = 30 * SECOND_MS;

/** Deadline of a read or write of a Lease. */
export const LEASE_TIMEOUT_MS: DurationMs = 3 * SECOND_MS;

export const REPLICA_SELECTOR = `${LABELS.accessReplica}=true`;

/** Versions that a replica has reached, by what decides access. */
export type ReachedVersions = ReadonlyMap<AccessPart, bigint>;

export interface ReplicaLease {
  readonly name: string;
  /** Empty where the replica has stopped. */
  readonly holder: string;
  /** Differs after each renewal. Never compared with a clock, which may differ from the holder's. */
  readonly renewTime: string;
  readonly resourceVersion: string;
  readonly reached: ReachedVersions;
}

/** @throws WireError */
export function readReplicaLease(lease: Wire): ReplicaLease {
  const [metadata, spec] = [objectAt(lease, 'metadata'), objectAt(lease, 'spec')];
  const annotations = objectAt(metadata, 'annotations');
  const reached = new Map<AccessPart, bigint>();
  for (const [part, annotation] of Object.entries(REPLICA_LEASE_ANNOTATIONS) as [AccessPart, string][]) {
    const version = parseVersion(textAt(annotations, annotation));
    if (version !== null) reached.set(part, version);
  }
  return {
    name: textAt(metadata, 'name'),
    holder: textAt(spec, 'holderIdentity'),
    renewTime: textAt(spec, 'renewTime'),
    resourceVersion: textAt(metadata, 'resourceVersion'),
    reached,
  };
}

/** A resourceVersion as the number by which versions of one API server are ordered; null where it is none. */
export function parseVersion(text: string): bigint | null {
  return /^[0-9]+$/.test(text) ? BigInt(text) : null;
}

/** The pod of a replica, which owns its Lease. */
export interface OwnerPod {
  readonly name: string;
  readonly uid: string;
}

/** A new Lease of a replica. */
export function newReplicaLease(
  holder: { readonly name: string; readonly namespace: string; readonly identity: string; readonly pod: OwnerPod | null },
  reached: ReachedVersions,
  now: string,
): object {
  const { name, namespace, identity, pod } = holder;
  return {
    apiVersion: apiVersionOf(LEASES),
    kind: LEASES.kind,
    metadata: {
      name,
      namespace,
      labels: { 'app.kubernetes.io/part-of': 'evenkeel', [LABELS.accessReplica]: 'true' },
      annotations: annotationsOf(reached),
      ...(pod === null ? {} : { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', ...pod }] }),
    },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: LEASE_MS / SECOND_MS,
      acquireTime: microTime(now),
      renewTime: microTime(now),
      leaseTransitions: 0,
    },
  };
}

/** The merge patch that renews the Lease and reports these versions. */
export function renewal(reached: ReachedVersions, now: string): object {
  return { metadata: { annotations: annotationsOf(reached) }, spec: { renewTime: microTime(now) } };
}

function annotationsOf(reached: ReachedVersions): Readonly<Record<string, string>> {
  return Object.fromEntries([...reached].map(([part, version]) => [REPLICA_LEASE_ANNOTATIONS[part], String(version)]));
}
