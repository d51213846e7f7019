import { formatCountOrPercent } from '../../model/count-or-percent.ts';
import { formatDuration } from '../../model/duration.ts';
import { formatCpu, formatMemory } from '#kube/quantity';
import { DEFAULT_POLICY_RULES } from './policy-rules.ts';

/** Defaults of a PodResizePolicy's spec, by dotted field. */
export function podResizeDefaults(): Readonly<Record<string, unknown>> {
  const rules = DEFAULT_POLICY_RULES;
  const { cpu, memory } = rules.container;
  return {
    mode: rules.mode,
    apply: rules.apply,
    goal: cpu.goal,
    'cpu.minChangeRatio': cpu.minChangeRatio,
    'cpu.limit.rule': cpu.limit.rule,
    'memory.minChangeRatio': memory.minChangeRatio,
    'memory.limit.rule': memory.limit.rule,
    'memory.limit.ratio': memory.limit.ratio,
    hpa: rules.hpa,
    pace: rules.pace,
    'history.window': formatDuration(rules.historyWindowMs),
    'oom.bumpRatio': rules.oom.bumpRatio,
    'oom.minBump': formatMemory(rules.oom.minBumpBytes),
    'oom.maxBumps': rules.oom.maxBumps,
    workloadOverrides: rules.workloadOverrides,
    'idle.enabled': rules.idle.enabled,
    'idle.after': formatDuration(rules.idle.afterMs),
    'idle.cpuThreshold': formatCpu(rules.idle.cpuThreshold),
    'idle.cpu': formatCpu(rules.idle.cpu),
    'limitOverage.mode': rules.limitOverage.mode,
    'limitOverage.maxRatio': rules.limitOverage.maxRatio,
    'limitOverage.for': formatDuration(rules.limitOverage.forMs),
    cooldown: formatDuration(rules.cooldownMs),
    'minConfidence.cpu': rules.minConfidence.cpu,
    'minConfidence.memory': rules.minConfidence.memory,
    maxConcurrent: formatCountOrPercent(rules.maxConcurrent),
    interval: formatDuration(rules.intervalMs),
    'rollback.onRestarts': rules.rollback.onRestarts,
    'rollback.onThrottleRatio': rules.rollback.onThrottleRatio,
    'rollback.onPressureRatio': rules.rollback.onPressureRatio,
    'rollback.within': formatDuration(rules.rollback.withinMs),
    paused: rules.paused,
    dryRun: rules.dryRun,
  };
}
