// The figures of a workload: by container what is in force, what it should be, and why.

import type { ContainerRecord, PodRecord, QosClass } from '../../model/pod.ts';
import { UNSET_RESOURCES, type RequestsAndLimits } from '../../model/resources.ts';
import type { Bytes } from '../../model/units.ts';
import { withoutOverages } from '../../exceptions/beside-overages.ts';
import { newNormalsOf } from '../../exceptions/new-normals.ts';
import type { ContainerAdvice } from '../advice.ts';
import { containerMode, containerPolicyOf, type ContainerPolicy } from '../policy/policy-rules.ts';
import { boundsOf } from '../policy/workload-overrides.ts';
import { withinAutoscalers } from './autoscaler-bounds.ts';
import { withinPodCaps } from './pod-caps.ts';
import { containerTarget, limitsFor, type TargetInputs } from './container-target.ts';
import { FIELD, qosOf, withAmount, type Values } from './container-values.ts';
import type { DueChange } from './due-changes.ts';
import { memoryLimitBound } from './memory-limit-bound.ts';
import { mayLowerMemoryLimit } from './pod-change.ts';
import { modeInForce, type WorkloadSituation } from './situation.ts';
import type { ContainerFigures } from './container-figures.ts';

const NOTHING: RequestsAndLimits = { requests: UNSET_RESOURCES, limits: UNSET_RESOURCES };

/** Figures of every container of the template, and of those that only the pods have (injected sidecars). */
export function workloadFigures(situation: WorkloadSituation): readonly ContainerFigures[] {
  const { workload, pods, advice, policy, memory, limitRanges, now } = situation;
  const current = usualValues(situation);
  const settled = memory.apply?.values ?? memory.lastApplied?.values;
  const guaranteed = qosInForce(situation, current) === 'Guaranteed';
  const applies = ['Auto', 'Approve'].includes(modeInForce(policy, situation.overrides));
  const names = [...new Set([...workload.containers.map(({ name }) => name), ...current.keys()])];
  const figures = names.map((name): ContainerFigures => {
    const own = current.get(name) ?? workload.containers.find((container) => container.name === name) ?? NOTHING;
    const present: RequestsAndLimits = { requests: own.requests, limits: own.limits };
    const inForce =
      memory.idle?.natural.get(name) ??
      (applies ? settled?.get(name) : undefined) ??
      withoutOverages(name, present, memory.limitExceptions);
    const known = advice.find((each) => each.container === name) ?? null;
    const containerPolicy = containerPolicyOf(policy, name);
    const base = { name, current: present, inForce, advice: known, policy: containerPolicy };
    const off = containerMode(containerPolicy, modeInForce(policy, situation.overrides)) === 'Off';
    if (known === null || off || !(known.enoughHistory || killedLately(known, situation)))
      return { ...base, target: null, targetInputs: null };
    const targetInputs: TargetInputs = {
      now,
      current: inForce,
      advice: known,
      policy: containerPolicy,
      guaranteed,
      limitRanges,
      memoryLimitMayFall: pods.every((pod) => mayFallOn(pod, name, situation)),
      memoryLimitLoweredAt: memory.memoryLimitLoweredAt.get(name) ?? null,
      memoryLimitBound: limitBoundOf(name, containerPolicy, situation),
      leastLimits: newNormalsOf(name, memory.limitExceptions),
      goMaxProcs: workload.containers.find((container) => container.name === name)?.goMaxProcs ?? null,
    };
    return { ...base, target: containerTarget(targetInputs), targetInputs };
  });
  return withinAutoscalers(withinPodCaps(figures, situation), situation);
}

/**
 * The figures' targets for the resources that are to change: the rest stays in force, and limits follow what is really
 * asked. Nothing falls for the sake of a raise.
 */
export function partOfTarget(figures: ContainerFigures, changes: readonly DueChange[]): RequestsAndLimits {
  const { target, targetInputs, inForce } = figures;
  if (target === null || targetInputs === null) return inForce;
  let requests = inForce.requests;
  for (const { resource } of changes) requests = withAmount(requests, resource, target.requests[FIELD[resource]]);
  const made = limitsFor(targetInputs, requests);
  let limits = inForce.limits;
  requests = inForce.requests;
  for (const { resource, direction } of changes) {
    const field = FIELD[resource];
    const least = direction === 'raise' ? inForce : null;
    requests = withAmount(requests, resource, atLeast(made.requests[field], least?.requests[field] ?? null));
    limits = withAmount(limits, resource, atLeast(made.limits[field], least?.limits[field] ?? null));
  }
  return { requests, limits };
}

/** What most pods have, by container; of equally many, what the first pod by name has. */
function usualValues({ pods, workload }: WorkloadSituation): Values {
  const running = pods.filter((pod) => pod.phase === 'Running');
  const counted = running.length > 0 ? running : pods;
  const tallies = new Map<string, Map<string, Tally>>();
  for (const { containers } of counted) {
    for (const container of containers) {
      let tally = tallies.get(container.name);
      if (tally === undefined) tallies.set(container.name, (tally = new Map<string, Tally>()));
      count(tally, container);
    }
  }
  const usual = new Map<string, RequestsAndLimits>();
  for (const [name, tally] of tallies) {
    const [most] = [...tally.values()].sort((a, b) => b.count - a.count);
    if (most !== undefined) usual.set(name, most.values);
  }
  return usual.size > 0 ? usual : new Map(workload.containers.map((container) => [container.name, container]));
}

interface Tally {
  count: number;
  readonly values: RequestsAndLimits;
}

// Thousands of pods have few values: a key is made for each, the values are kept once.
function count(tally: Map<string, Tally>, { requests, limits }: ContainerRecord): void {
  const key = `${requests.cpuMillicores}/${requests.memoryBytes}/${limits.cpuMillicores}/${limits.memoryBytes}`;
  const known = tally.get(key);
  if (known === undefined) tally.set(key, { count: 1, values: { requests, limits } });
  else known.count += 1;
}

function atLeast(amount: number | null, least: number | null): number | null {
  return amount === null || least === null ? amount : Math.max(amount, least);
}

function qosInForce({ pods }: WorkloadSituation, current: Values): QosClass {
  return pods[0]?.qosClass ?? qosOf([...current.values()]);
}

function mayFallOn(pod: PodRecord, name: string, { kubeletVersions }: WorkloadSituation): boolean {
  const container = pod.containers.find((each) => each.name === name);
  return container === undefined || mayLowerMemoryLimit(container, kubeletVersions.get(pod.node ?? '') ?? '');
}

function limitBoundOf(name: string, { memory }: ContainerPolicy, { overrides, workload, largestNode }: WorkloadSituation): Bytes | null {
  const ceiling = boundsOf(overrides.ceiling, name).memoryBytes;
  const template = workload.containers.find((container) => container.name === name);
  return memoryLimitBound({ maxRequest: ceiling ?? memory.max, limit: memory.limit, template, largestNode });
}

/** A kill needs no history to be understood. */
function killedLately(advice: ContainerAdvice, { now, policy }: WorkloadSituation): boolean {
  return advice.lastOomAt !== null && now - advice.lastOomAt < policy.minSamplesMs;
}
