import type { ClaimUse } from '../../pod-spec/pod-volumes.ts';
import type { SchedulingPod, SchedulingView } from '../scheduling-model.ts';
import type { StorageView, VolumeClaim } from './storage-model.ts';

/** Claims of a pod by binding state. */
export interface PodClaims {
  readonly bound: readonly VolumeClaim[];
  /** Unbound claims with WaitForFirstConsumer. */
  readonly waiting: readonly VolumeClaim[];
  /** Bound claims that are not ephemeral; their volumes may have zones. */
  readonly shared: readonly VolumeClaim[];
}

/** The claims, or kube-scheduler's message why they make every node infeasible. */
export type ClaimsAnswer = { readonly kind: 'refused'; readonly reason: string } | { readonly kind: 'claims'; readonly claims: PodClaims };

/** Groups the claims of a pod by binding state. */
export function sortClaims(pod: SchedulingPod, { storage }: SchedulingView): ClaimsAnswer {
  const reason = findMissing(pod, storage) ?? findUnusable(pod, storage);
  if (reason !== null) return { kind: 'refused', reason };
  const bound: VolumeClaim[] = [];
  const waiting: VolumeClaim[] = [];
  const shared: VolumeClaim[] = [];
  for (const use of pod.claims) {
    const claim = storage.findClaim(pod.namespace, use.name);
    if (claim === null) continue;
    if (claim.volumeName !== '' && claim.bindCompleted) bound.push(claim);
    else if (claim.volumeName === '' && storage.findClass(claim.className)?.waitsForConsumer === true) waiting.push(claim);
    else return { kind: 'refused', reason: 'pod has unbound immediate PersistentVolumeClaims' };
    if (!use.ephemeral && claim.volumeName !== '') shared.push(claim);
  }
  const lost = shared.find(({ volumeName }) => storage.findVolume(volumeName) === null);
  if (lost !== undefined) return { kind: 'refused', reason: `persistentvolume "${lost.volumeName}" not found` };
  return { kind: 'claims', claims: { bound, waiting, shared } };
}

function findMissing(pod: SchedulingPod, storage: StorageView): string | null {
  const missing = pod.claims.find(({ name, ephemeral }) => !ephemeral && storage.findClaim(pod.namespace, name) === null);
  return missing === undefined ? null : `persistentvolumeclaim "${missing.name}" not found`;
}

function findUnusable(pod: SchedulingPod, storage: StorageView): string | null {
  for (const use of pod.claims) {
    const reason = findUnusableReason(pod, use, storage.findClaim(pod.namespace, use.name));
    if (reason !== null) return reason;
  }
  return null;
}

function findUnusableReason(pod: SchedulingPod, { name, ephemeral }: ClaimUse, claim: VolumeClaim | null): string | null {
  if (claim === null) return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
  if (claim.lost) return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.volumeName}"`;
  if (claim.terminating) return `persistentvolumeclaim "${name}" is being deleted`;
  if (ephemeral && claim.ownerPodUid !== pod.uid) {
    return `PVC ${claim.namespace}/${name} was not created for pod ${pod.namespace}/${pod.name} (pod is not owner)`;
  }
  return null;
}
