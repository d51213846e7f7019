// What the requests of the controller are for, by the counts of the played API server.

import type { Counts } from './played/request-counts.ts';

export interface WritesByKind {
  /** Custom resources of Evenkeel, and its annotations on workloads. */
  readonly ownRecords: number;
  readonly events: number;
  /** Changes of pods and of the fields of other owners. */
  readonly effects: number;
  readonly leases: number;
  readonly other: number;
}

const WRITE = /^(?:create|update|patch|apply|delete) (.+)$/;
/** Requests of every process that do not grow with the cluster. */
const REVIEWS = /^(?:self)?subjectaccessreviews\.|^tokenreviews\.|^serviceaccounts\/token$/;
const LARGE_KINDS = ['pods', 'nodes', 'deployments.apps', 'statefulsets.apps', 'replicasets.apps', 'recommendations.evenkeel.io'];
/** Read at intervals by any replica: version and discovery of the API server, the leases and the Secret of the record key. */
const PERIODIC = /^get (?:\/version|\/apis|\/api\/v1|leases\.coordination\.k8s\.io|secrets|customresourcedefinitions\..*)$/;

export function writesByKind(counts: Counts): WritesByKind {
  const writes = { ownRecords: 0, events: 0, effects: 0, leases: 0, other: 0 };
  for (const [name, count] of Object.entries(counts)) {
    const resource = WRITE.exec(name)?.[1];
    if (resource === undefined || REVIEWS.test(resource)) continue;
    writes[kindOf(name, resource)] += count;
  }
  return writes;
}

function kindOf(name: string, resource: string): keyof WritesByKind {
  if (resource.includes('.evenkeel.io')) return 'ownRecords';
  if (resource.startsWith('events')) return 'events';
  if (resource === 'leases.coordination.k8s.io') return 'leases';
  if (resource.startsWith('pods/') || resource.endsWith('/scale') || resource.startsWith('horizontalpodautoscalers.')) return 'effects';
  return name.startsWith('patch ') && resource.endsWith('.apps') ? 'ownRecords' : 'other';
}

/** Reads that are not made for a dashboard read: periodic ones, and the pod before each resize. */
export function explainedReads(counts: Counts): number {
  const periodic = Object.entries(counts).filter(([name]) => PERIODIC.test(name));
  // A resize that the pod no longer needs is not written, so reads of pods may exceed the writes; none is a dashboard's.
  return periodic.reduce((total, [, count]) => total + count, counts['get pods'] ?? 0);
}

export function unpagedListsOfLargeKinds(counts: Counts): number {
  return LARGE_KINDS.reduce((total, kind) => total + (counts[`unpaged-list ${kind}`] ?? 0), 0);
}
