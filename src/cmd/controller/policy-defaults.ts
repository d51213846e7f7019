import { formatCountOrPercent } from '../../core/model/count-or-percent.ts';
import { formatDuration } from '../../core/model/duration.ts';
import { formatCpu, formatMemory } from '../../core/model/quantity.ts';
import { POLICY_SPEC_SCHEMAS } from '../../apis/v1alpha1/policy-schemas.generated.ts';
import { schemaDefaults } from '../../core/policies/spec-schema.ts';
import { DEFAULT_POLICY_RULES } from '../../core/resize/policy/policy-rules.ts';
import type { PolicyDefaults } from '../../queries/sources.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';

type Defaults = ReturnType<PolicyDefaults['defaultsOf']>;

/** What holds where a policy leaves a field out, and whether a setting or a constant says so. */
export function policyDefaults(settings: Settings): PolicyDefaults {
  const byKind: Readonly<Record<string, Defaults>> = {
    PodResizePolicy: podResizeDefaults(),
    NodeScalingPolicy: nodeScalingDefaults(settings),
  };
  return { defaultsOf: (kind) => ({ ...filledIn(kind), ...byKind[kind] }) };
}

/** What the API server fills in by the schema. */
function filledIn(kind: string): Defaults {
  const known = (Object.keys(POLICY_SPEC_SCHEMAS) as (keyof typeof POLICY_SPEC_SCHEMAS)[]).find((each) => each === kind);
  const defaults = known === undefined ? {} : schemaDefaults(known);
  return Object.fromEntries(Object.entries(defaults).map(([field, value]) => [field, { value, source: 'default' }]));
}

function podResizeDefaults(): Defaults {
  const rules = DEFAULT_POLICY_RULES;
  const { cpu, memory } = rules.container;
  const constants: Readonly<Record<string, unknown>> = {
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
  return Object.fromEntries(Object.entries(constants).map(([field, value]) => [field, { value, source: 'default' }]));
}

function nodeScalingDefaults(settings: Settings): Defaults {
  const fromSettings: Readonly<Record<string, unknown>> = {
    minNodes: settings['autoscaler.minNodes'],
    maxNodes: settings['autoscaler.maxNodes'],
    scaleUpThreshold: settings['autoscaler.scaleUpThreshold'],
    scaleDownThreshold: settings['autoscaler.scaleDownThreshold'],
    scaleUpCooldown: formatDuration(settings['autoscaler.scaleUpCooldown']),
    scaleDownCooldown: formatDuration(settings['autoscaler.scaleDownCooldown']),
    scanInterval: formatDuration(settings['autoscaler.scanInterval']),
    preferSpot: settings['autoscaler.preferSpot'],
  };
  return Object.fromEntries(Object.entries(fromSettings).map(([field, value]) => [field, { value, source: 'setting' }]));
}
