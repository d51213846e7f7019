// What a controller keeps of each pod so that it can be placed again: one object for all pods of a template.

import { readOtherRequests } from './pod-amounts.ts';
import { readSchedulingRules, type PodIdentity, type SchedulingRules } from './scheduling-rules.ts';
import type { Wire } from '../wire.ts';

export interface SchedulingFacts extends SchedulingRules {
  /** Of all resources but CPU and memory; rounded up, in each resource's own unit. */
  readonly otherRequests: Readonly<Record<string, number>>;
}

/** The facts of one pod. */
export interface PodFacts {
  readonly facts: SchedulingFacts;
  /** The one node that its affinity names, as that of a DaemonSet's pod does; null: the facts say all. */
  readonly pinnedNode: string | null;
}

/** Of a pod that may go anywhere. */
export const NO_SCHEDULING_FACTS: SchedulingFacts = readSchedulingFacts({}, { name: '', labels: {} }).facts;

/** @throws WireError */
export function readSchedulingFacts(spec: Wire, pod: PodIdentity): PodFacts {
  const { rules, pinnedNode } = readSchedulingRules(spec, pod);
  return { facts: { ...rules, otherRequests: Object.fromEntries(readOtherRequests(spec)) }, pinnedNode };
}
