import type { Deployment, ReplicaSet } from '../wire/workload.ts';
import type { PodTemplate } from '../wire/pod.ts';
import { isEqualJson } from '../../api/json.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
export const TEMPLATE_HASH = 'pod-template-hash';

/** Annotations of a Deployment that do not belong to a revision. */
const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);

export function revisionOf(set: ReplicaSet): number {
  const revision = Number(set.metadata.annotations?.[REVISION] ?? 0);
  return Number.isInteger(revision) ? revision : 0;
}

/** The oldest ReplicaSet with the Deployment's template, ignoring the hash label. */
export function findNewReplicaSet(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const wanted = withoutHash(deployment.spec.template);
  return oldestFirst(sets).find((set) => isEqualJson(withoutHash(set.spec.template), wanted));
}

export function oldestFirst(sets: readonly ReplicaSet[]): ReplicaSet[] {
  return [...sets].sort(
    (a, b) =>
      a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp) ||
      revisionOf(a) - revisionOf(b) ||
      (a.metadata.name < b.metadata.name ? -1 : 1),
  );
}

/** Annotations that a revision copies from its Deployment, with its number. Numbers from before a rollback are kept in its history. */
export function revisionAnnotations(deployment: Deployment, set: ReplicaSet | undefined, revision: number): Record<string, string> {
  const had = set?.metadata.annotations ?? {};
  const annotations: Record<string, string> = { ...had };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) if (!OWN_ANNOTATIONS.has(key)) annotations[key] = value;
  const before = had[REVISION];
  if (before !== undefined && Number(before) < revision) {
    annotations[REVISION_HISTORY] = had[REVISION_HISTORY] === undefined ? before : `${had[REVISION_HISTORY]},${before}`;
  }
  annotations[REVISION] = String(Math.max(revision, Number(before ?? 0)));
  return annotations;
}

function withoutHash(template: PodTemplate): PodTemplate {
  const { [TEMPLATE_HASH]: _hash, ...labels } = template.metadata?.labels ?? {};
  return { metadata: { ...definedOnly(template.metadata), labels }, spec: template.spec };
}

// A template that came through a client may carry `creationTimestamp: null`.
function definedOnly(metadata: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([, value]) => value !== undefined && value !== null));
}
