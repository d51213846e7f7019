// Kinds of objects that a packing reads, by API group, and where their pods are.

import { booleanAt, numberAt, objectAt, objectsAt, optionalNumberAt, textAt, type Wire } from '#kube/wire';
import type { ManifestObject } from '../../../read-manifests.ts';

/** API group of each kind that is read. An object of another group is of another kind, whatever its name. */
const GROUPS: Readonly<Record<string, string>> = {
  ...{ Pod: '', Node: '', ReplicationController: '', PersistentVolumeClaim: '', PersistentVolume: '' },
  ...{ Deployment: 'apps', StatefulSet: 'apps', ReplicaSet: 'apps', DaemonSet: 'apps' },
  ...{ Job: 'batch', CronJob: 'batch' },
  ...{ StorageClass: 'storage.k8s.io', PriorityClass: 'scheduling.k8s.io', RuntimeClass: 'node.k8s.io', PodDisruptionBudget: 'policy' },
};

export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/** Whether an object has the name of a kind that is read, in the API group of that kind. */
export function isOfKnownGroup({ object: { kind, apiVersion } }: ManifestObject): boolean {
  return Object.hasOwn(GROUPS, kind) && GROUPS[kind] === groupOf(apiVersion);
}

/** Names the kinds that are left out since they are of another API group than the kind of that name which is read. */
export function otherGroupNotes(objects: readonly ManifestObject[]): string[] {
  const others = objects.filter((each) => Object.hasOwn(GROUPS, each.object.kind) && !isOfKnownGroup(each));
  if (others.length === 0) return [];
  const kinds = [...new Set(others.map(({ object: { apiVersion, kind } }) => `${apiVersion} ${kind}`))];
  return [`${others.length === 1 ? '1 object' : `${others.length} objects`} of other API groups left out: ${kinds.join(', ')}`];
}

/** The pods of an object. */
export interface PodTemplate {
  /** Of a DaemonSet 0. */
  readonly count: number;
  /** The pod, or the template. */
  readonly pod: Wire;
  /** Path of its spec. */
  readonly specPath: string;
}

const COUNTS: Readonly<Record<string, (object: Wire) => number>> = {
  Deployment: replicasOf,
  StatefulSet: replicasOf,
  ReplicaSet: replicasOf,
  ReplicationController: replicasOf,
  Job: activeOf,
  DaemonSet: () => 0,
};

/** Null: objects of the kind have no pods. @throws WireError */
export function podTemplateOf(kind: string, object: Wire): PodTemplate | null {
  if (kind === 'Pod') return { count: 1, pod: object, specPath: 'spec' };
  const count = Object.hasOwn(COUNTS, kind) ? COUNTS[kind] : undefined;
  if (count === undefined) return null;
  const pod = objectAt(objectAt(object, 'spec'), 'template', 'spec.template');
  return { count: count(object), pod, specPath: 'spec.template.spec' };
}

function replicasOf(object: Wire): number {
  return numberAt(objectAt(object, 'spec'), 'replicas', 1, 'spec.replicas');
}

/** Pods that a Job runs at once: no more than completions are left, and none where it is suspended or has ended. */
function activeOf(object: Wire): number {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const parallelism = numberAt(spec, 'parallelism', 1, 'spec.parallelism');
  const hasEnded = objectsAt(status, 'conditions', 'status.conditions').some(
    (condition) => ['Complete', 'Failed'].includes(textAt(condition, 'type')) && textAt(condition, 'status') === 'True',
  );
  if (hasEnded || booleanAt(spec, 'suspend', false, 'spec.suspend')) return 0;
  const completions = optionalNumberAt(spec, 'completions', 'spec.completions');
  if (completions === null) return parallelism;
  return Math.min(parallelism, Math.max(0, completions - numberAt(status, 'succeeded', 0, 'status.succeeded')));
}
