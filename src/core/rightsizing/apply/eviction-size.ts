// What a pod is evicted for, in 16 characters: its template, and how large it is to be. What is recommended drifts by a few
// per cent all the time; as long as that is about the same size, one more eviction would be one more of the same.

import type { PodRecord } from '../../model/pod.ts';
import type { OptionalResources } from '../../model/resources.ts';
import type { WorkloadSituation } from './situation.ts';

/** A size is told in steps of this ratio. */
const STEP_RATIO = 1.05;
/** So many of them make another size: one and a half times as much, or as little. */
const STEPS_APART = Math.floor(Math.log(1.5) / Math.log(STEP_RATIO));
const STEP_DIGITS = 4;
const TEMPLATE_DIGITS = 8;

/** Where nothing is in force or on its way any more, what its node refused is what it should have had. */
export function triedSize({ workload, memory }: WorkloadSituation, pod: PodRecord): string {
  const wanted = memory.apply?.values ?? memory.lastApplied?.values ?? memory.failures.find(({ uid }) => uid === pod.uid)?.values;
  const total = (of: (amounts: OptionalResources) => number | null): number =>
    pod.containers.reduce((sum, container) => sum + (of((wanted?.get(container.name) ?? container).requests) ?? 0), 0);
  const cpu = total(({ cpuMillicores }) => cpuMillicores);
  const memoryBytes = total((amounts) => amounts.memoryBytes);
  return `${hash(JSON.stringify(workload.containers))}${stepOf(cpu)}${stepOf(memoryBytes)}`;
}

export function isSameTry(one: string, other: string): boolean {
  if (one.length !== other.length || one.slice(0, TEMPLATE_DIGITS) !== other.slice(0, TEMPLATE_DIGITS)) return false;
  return [TEMPLATE_DIGITS, TEMPLATE_DIGITS + STEP_DIGITS].every((at) => {
    const [a, b] = [one, other].map((size) => Number.parseInt(size.slice(at, at + STEP_DIGITS), 16));
    return Math.abs((a ?? 0) - (b ?? 0)) < STEPS_APART;
  });
}

function stepOf(amount: number): string {
  const step = Math.round(Math.log(Math.max(1, amount)) / Math.log(STEP_RATIO));
  return step.toString(16).padStart(STEP_DIGITS, '0');
}

function hash(text: string): string {
  let value = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01_00_01_93) >>> 0;
  return value.toString(16).padStart(TEMPLATE_DIGITS, '0');
}
