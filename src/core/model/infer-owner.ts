// Infers owners from names, for sources without owner references: controllers name their pods by patterns.

import type { OwnerRef, WorkloadRef } from '#kube/records/workload';

/** Alphabet of Kubernetes' random suffixes (k8s.io/apimachinery/pkg/util/rand). */
const RANDOM = '[bcdfghjklmnpqrstvwxz2456789]';
/** Pod of a CronJob: its Job's name ends in minutes (before 1.21: seconds) since 1970. */
const CRON_JOB = new RegExp(`^(.+)-(\\d{8}|\\d{10})-${RANDOM}{5}$`);
const REPLICA_SET = new RegExp(`^(.+)-${RANDOM}{6,10}-${RANDOM}{5}$`);
const ORDINAL = /^(.+)-(\d{1,5})$/;
const ONE_SUFFIX = new RegExp(`^(.+)-${RANDOM}{5}$`);

/** Possible owners of a pod, most likely first; the pod itself is the last. */
export function inferOwners(namespace: string, pod: string): readonly WorkloadRef[] {
  const candidates: WorkloadRef[] = [];
  const add = (pattern: RegExp, ...kinds: readonly string[]): void => {
    const name = pattern.exec(pod)?.[1];
    if (name !== undefined) candidates.push(...kinds.map((kind) => ({ namespace, kind, name })));
  };
  add(CRON_JOB, 'CronJob');
  add(REPLICA_SET, 'Deployment', 'Rollout');
  add(ORDINAL, 'StatefulSet');
  add(ONE_SUFFIX, 'DaemonSet', 'Job', 'ReplicaSet');
  return [...candidates, { namespace, kind: 'Pod', name: pod }];
}

/** Kind of a ReplicaSet's owner by the hash label that the owner sets on the pods. */
const HASH_LABELS = [
  ['pod-template-hash', 'Deployment'],
  ['rollouts-pod-template-hash', 'Rollout'],
] as const;

/**
 * Owner of a ReplicaSet or Job by its name and the labels of one of its pods: `web-5f7d` with its hash label belongs to the
 * Deployment or Rollout `web`, `report-29384756` to the CronJob `report`. null: the name matches no pattern.
 */
export function inferOwner(
  { kind, name }: Pick<OwnerRef, 'kind' | 'name'>,
  labels: Readonly<Record<string, string>>,
): Pick<WorkloadRef, 'kind' | 'name'> | null {
  for (const [label, owner] of HASH_LABELS) {
    const hash = labels[label];
    if (kind === 'ReplicaSet' && hash !== undefined && name.endsWith(`-${hash}`))
      return { kind: owner, name: name.slice(0, -hash.length - 1) };
  }
  const cron = kind === 'Job' ? /^(.+)-\d+$/.exec(name)?.[1] : undefined;
  return cron === undefined ? null : { kind: 'CronJob', name: cron };
}
