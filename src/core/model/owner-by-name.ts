// The owner of a pod by its name, where no source knows it: controllers name their pods by patterns.

import type { OwnerRef, WorkloadRef } from '#kube/records/workload';

/** Kubernetes' random suffixes: no vowels, and no digits that look like letters. */
const RANDOM = '[bcdfghjklmnpqrstvwxz2456789]';
/** Of a CronJob's Job: minutes (or, before 1.21, seconds) since 1970. */
const CRON_JOB = new RegExp(`^(.+)-(\\d{8}|\\d{10})-${RANDOM}{5}$`);
const REPLICA_SET = new RegExp(`^(.+)-${RANDOM}{6,10}-${RANDOM}{5}$`);
const ORDINAL = /^(.+)-(\d{1,5})$/;
const ONE_SUFFIX = new RegExp(`^(.+)-${RANDOM}{5}$`);

/** Owners that a name may stand for, the likeliest first; the pod itself last. */
export function ownersByName(namespace: string, pod: string): readonly WorkloadRef[] {
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

/** By the label that the owner of a ReplicaSet puts on its pods. */
const HASH_LABELS = [
  ['pod-template-hash', 'Deployment'],
  ['rollouts-pod-template-hash', 'Rollout'],
] as const;

/**
 * Whose a ReplicaSet or Job is, by its own name and the labels of a pod of it: `web-5f7d…` with its hash is of the Deployment or the
 * Rollout web, `report-29384756` with its minute of the CronJob report. null: the names do not say it.
 */
export function ownerByName(
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
