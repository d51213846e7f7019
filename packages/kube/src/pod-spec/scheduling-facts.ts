// Scheduling data of a pod record, one object for all pods of a template.

import { readOtherRequests } from './pod-amounts.ts';
import { readSchedulingRules, type PodIdentity, type SchedulingRules } from './scheduling-rules.ts';
import type { Wire } from '../wire.ts';

/** Rules and requests for rescheduling a pod. */
export interface SchedulingFacts extends SchedulingRules {
  /** Requests of resources besides CPU and memory, rounded up, in each resource's unit. */
  readonly otherRequests: Readonly<Record<string, number>>;
}

/** The facts of one pod. */
export interface PodFacts {
  readonly facts: SchedulingFacts;
  /** The single node of its affinity, as for a DaemonSet pod; null: none. */
  readonly pinnedNode: string | null;
}

/** Facts of a pod without rules. */
export const NO_SCHEDULING_FACTS: SchedulingFacts = readSchedulingFacts({}, { name: '', labels: {} }).facts;

/** Parses the facts of a pod spec. @throws WireError */
export function readSchedulingFacts(spec: Wire, pod: PodIdentity): PodFacts {
  const { rules, pinnedNode } = readSchedulingRules(spec, pod);
  return { facts: { ...rules, otherRequests: Object.fromEntries(readOtherRequests(spec)) }, pinnedNode };
}
