// Layout of a scheduling snapshot: plain records of typed arrays, which go to a worker thread without a copy.

import { newCounts, type CountColumns } from './count-table.ts';
import { bytes, floats, ints, newLists, type Bytes, type Floats, type Ints, type Lists } from './shared-arrays.ts';

/** Topology keys that every snapshot has: each node is a domain, and the cluster is one. */
export const NODE_KEY = 0;
export const CLUSTER_KEY = 1;

/** Resources that every snapshot has. */
export const CPU = 0;
export const MEMORY = 1;

/** No node, pod, domain, group, counter or limit. */
export const NONE = -1;

/** More than any count. */
export const MAX_INT = 2 ** 31 - 1;

/** What becomes of a pod whose node goes, by number. */
export const POD_ROLES = ['movable', 'unowned', 'protected', 'daemonSet', 'mirror', 'terminating'] as const;
export type PodRole = (typeof POD_ROLES)[number];

/** A pod of more than one PodDisruptionBudget, which the API server does not evict. */
export const SEVERAL_BUDGETS = -2;

/** Why no node is looked at for a class. */
export const EXCLUDED_BY_RULE = 1;
export const EXCLUDED_UNMODELLED = 2;

/** Nodes by index. An index is reused after its node was removed. */
export interface NodeColumns {
  /** Indices in use or free: 0 to `count` − 1. */
  count: number;
  /** 1: the node exists. */
  present: Bytes;
  shape: Ints;
  /** Position of the name in their order, which decides between equal scores. */
  rank: Ints;
  /** By resource, in its unit. */
  allocatable: Floats[];
  requested: Floats[];
  maxPods: Floats;
  podCount: Ints;
  /** First pod of the node's list; the order of the list is that of the scheduling queue. */
  firstPod: Ints;
  /** Maximum of attached volumes by driver; NONE: no limit. */
  volumeLimits: Ints[];
  /** The lowest of them; MAX_INT: none. */
  leastVolumeLimit: Ints;
  /** Volumes of the node's pods; one of several pods is counted for each. */
  volumeUses: Ints;
  /** Volumes that are attached to the node. */
  attached: Lists;
}

/** Domains of topology keys. */
export interface TopologyColumns {
  /** Domain of each node by key; NONE: the node has no such label. */
  domain: Ints[];
  /** Domain of the empty value by key; NONE: none. */
  emptyDomain: Ints;
}

/**
 * Eligibility groups of spread constraints: the nodes that count as domains, by topology key, node affinity and tolerations of the
 * incoming pods.
 */
export interface GroupColumns {
  key: Ints;
  /** By node; 1: it counts. */
  eligible: Bytes[];
  /** Count of eligible nodes by domain. */
  nodesByDomain: Ints[];
  /** Count of domains with an eligible node. */
  domains: Ints;
}

/** Counters of pods by domain. */
export interface CounterColumns {
  key: Ints;
  /** Only pods on the group's eligible nodes count; NONE: on every node. */
  group: Ints;
  /** Count of domains with a count above 0. */
  nonZero: Ints;
  /** Sum over all domains. */
  total: Ints;
}

/** Static rules: what depends on a pod's rules and a node's shape alone. */
export interface RuleColumns {
  /** 1: the columns below are by node, else by shape. */
  perNode: Bytes;
  /** Static refusal, 1 + its number; 0: none. */
  verdict: Bytes[];
  /** 1: the node has a PreferNoSchedule taint that the pod does not tolerate. */
  untolerated: Bytes[];
  /** Sum of the weights of matching preferred node terms. */
  termWeight: Floats[];
  /** Phase of each static refusal. */
  phase: Bytes;
}

/** Pod classes: pods that scheduling treats alike. */
export interface ClassColumns {
  /** NONE: the class is not to be scheduled, such as DaemonSet pods. */
  rule: Ints;
  /** 0: nodes are filtered. */
  excluded: Bytes;
  requests: Ints;
  /** Counters in which a pod of the class counts. */
  memberOf: Lists;
  portConflicts: Lists;
  diskConflicts: Lists;
  soleClaims: Lists;
  volumes: Lists;
  /** Counters of hard spread constraints, and for each of them maxSkew, minDomains and whether the pod counts itself. */
  spread: Lists;
  spreadRules: Lists;
  /** Counters of pods that match all affinity terms, one for each term. */
  affinity: Lists;
  selfAffine: Bytes;
  /** Counters of pods that match a term of its anti-affinity. */
  antiAffinity: Lists;
  /** Counters of pods with an anti-affinity term that matches the class. */
  hostile: Lists;
  softSpread: Lists;
  /** Counters of pods that match a preferred term, and the weights; anti-affinity has negative ones. */
  preferred: Lists;
  preferredWeights: Lists;
}

/** Requests that classes share. */
export interface RequestColumns {
  resources: Lists;
  /** Amounts, parallel to the pool of `resources`. */
  amounts: Floats;
  cpu: Floats;
  memory: Floats;
}

/** Pods by slot. A slot is reused after its pod was removed. */
export interface PodColumns {
  class: Ints;
  /** NONE: on no node. */
  node: Ints;
  next: Ints;
  previous: Ints;
  /** Counter of the pods of its owner by node; NONE: no owner. */
  owner: Ints;
  role: Bytes;
  /** PodDisruptionBudget; NONE: none; or SEVERAL_BUDGETS. */
  budget: Ints;
}

export interface SnapshotColumns {
  readonly nodes: NodeColumns;
  readonly topology: TopologyColumns;
  readonly groups: GroupColumns;
  readonly counters: CounterColumns;
  readonly counts: CountColumns;
  readonly rules: RuleColumns;
  readonly classes: ClassColumns;
  readonly requests: RequestColumns;
  /** Driver of each volume. */
  readonly volumes: { driver: Ints };
  readonly pods: PodColumns;
  /** Evictions that each PodDisruptionBudget allows. */
  readonly budgets: { allowed: Ints };
}

/** What has changed since the changes were last taken. */
export interface SnapshotChanges {
  /** Whether anything may have changed: nodes have come, gone or got other facts, or pods other classes. */
  readonly everything: boolean;
  /** Nodes whose pods have changed. */
  readonly nodes: readonly number[];
  /** Counters of domains of several nodes that have changed. */
  readonly counters: readonly number[];
  /** Budgets that allow another number of evictions. */
  readonly budgets: readonly number[];
}

const CAPACITY = 16;

export function newColumns(): SnapshotColumns {
  return {
    nodes: {
      ...{ count: 0, present: bytes(CAPACITY), shape: ints(CAPACITY), rank: ints(CAPACITY) },
      ...{ allocatable: [floats(CAPACITY), floats(CAPACITY)], requested: [floats(CAPACITY), floats(CAPACITY)] },
      ...{ maxPods: floats(CAPACITY), podCount: ints(CAPACITY), firstPod: ints(CAPACITY, NONE) },
      ...{ volumeLimits: [], leastVolumeLimit: ints(CAPACITY), volumeUses: ints(CAPACITY), attached: newLists() },
    },
    topology: { domain: [ints(CAPACITY, NONE), ints(CAPACITY, NONE)], emptyDomain: ints(2, NONE) },
    groups: { key: ints(CAPACITY), eligible: [], nodesByDomain: [], domains: ints(CAPACITY) },
    counters: { key: ints(CAPACITY), group: ints(CAPACITY, NONE), nonZero: ints(CAPACITY), total: ints(CAPACITY) },
    counts: newCounts(),
    rules: { perNode: bytes(CAPACITY), verdict: [], untolerated: [], termWeight: [], phase: bytes(CAPACITY) },
    classes: {
      ...{ rule: ints(CAPACITY, NONE), excluded: bytes(CAPACITY), requests: ints(CAPACITY), memberOf: newLists() },
      ...{ portConflicts: newLists(), diskConflicts: newLists(), soleClaims: newLists(), volumes: newLists() },
      ...{ spread: newLists(), spreadRules: newLists(), affinity: newLists(), selfAffine: bytes(CAPACITY) },
      ...{ antiAffinity: newLists(), hostile: newLists(), softSpread: newLists() },
      ...{ preferred: newLists(), preferredWeights: newLists() },
    },
    requests: { resources: newLists(), amounts: floats(CAPACITY), cpu: floats(CAPACITY), memory: floats(CAPACITY) },
    volumes: { driver: ints(CAPACITY) },
    pods: {
      ...{ class: ints(CAPACITY), node: ints(CAPACITY, NONE), next: ints(CAPACITY, NONE), previous: ints(CAPACITY, NONE) },
      ...{ owner: ints(CAPACITY, NONE), role: bytes(CAPACITY), budget: ints(CAPACITY, NONE) },
    },
    budgets: { allowed: ints(CAPACITY) },
  };
}
