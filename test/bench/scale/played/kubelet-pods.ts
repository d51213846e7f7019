// Pods that run on each played node, and what they use: a function of the pod and the time, so that a page needs no simulation.

import { type ClusterPlan, initialPods, type PlannedContainer, type PlannedWorkload } from './cluster-plan.ts';
import { CREATED } from './managed-fields.ts';
import type { PodChange } from './cluster.ts';

export interface RunningPod {
  readonly workload: PlannedWorkload;
  readonly name: string;
  readonly uid: string;
  readonly startedAtMs: number;
}

/** Of workloads of this remainder, usage is above the requests. */
const SHORT_EVERY = 50;
const SHORT_REMAINDER = 7;
const SHORT_RATIO = 1.15;
const MIN_RATIO = 0.25;
const RATIO_STEPS = 8;
const RATIO_STEP = 0.05;
/** Usage swings around its mean. */
const SWING = 0.2;
const SWING_PERIOD_S = 1_200;

export class KubeletPods {
  readonly #plan: ClusterPlan;
  readonly #byNode: readonly Map<string, RunningPod>[];

  constructor(plan: ClusterPlan) {
    this.#plan = plan;
    this.#byNode = Array.from({ length: plan.nodes }, () => new Map<string, RunningPod>());
    const startedAtMs = Date.parse(CREATED);
    for (const { workload, name, uid, node } of initialPods(plan)) this.#byNode[node]?.set(uid, { workload, name, uid, startedAtMs });
  }

  on(node: number): Iterable<RunningPod> {
    return this.#byNode[node]?.values() ?? [];
  }

  take({ node, workload: index, name, uid, startedAtMs, runs }: PodChange): void {
    const workload = this.#plan.workloads[index];
    const pods = this.#byNode[node];
    if (pods === undefined || workload === undefined) return;
    if (runs) pods.set(uid, { workload, name, uid, startedAtMs });
    else pods.delete(uid);
  }
}

function ratioOf({ index }: PlannedWorkload): number {
  return index % SHORT_EVERY === SHORT_REMAINDER ? SHORT_RATIO : MIN_RATIO + RATIO_STEP * (index % RATIO_STEPS);
}

/** Cores that a container uses. */
export function coresOf(workload: PlannedWorkload, { cpuMillicores }: PlannedContainer, nowMs: number): number {
  return (cpuMillicores / 1000) * ratioOf(workload) * (1 + SWING * Math.sin(angleAt(nowMs)));
}

/** CPU time since the container's start: the integral of its cores. */
export function cpuSecondsOf({ workload, startedAtMs }: RunningPod, { cpuMillicores }: PlannedContainer, nowMs: number): number {
  const mean = (cpuMillicores / 1000) * ratioOf(workload);
  const radius = SWING_PERIOD_S / (2 * Math.PI);
  const swung = SWING * radius * (Math.cos(angleAt(startedAtMs)) - Math.cos(angleAt(nowMs)));
  return mean * ((nowMs - startedAtMs) / 1000 + swung);
}

export function workingSetOf(workload: PlannedWorkload, { memoryBytes }: PlannedContainer, nowMs: number): number {
  return Math.round(memoryBytes * Math.min(SHORT_RATIO, ratioOf(workload)) * (1 + (SWING / 4) * Math.sin(angleAt(nowMs))));
}

function angleAt(nowMs: number): number {
  return (2 * Math.PI * (nowMs / 1000)) / SWING_PERIOD_S;
}
