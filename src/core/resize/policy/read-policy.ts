// Reads a PodResizePolicy and reports, all at once, the invalid values that the schema accepts.

import { CONDITION_REASON, type ConditionReason } from '../../../apis/conditions.ts';
import type {
  PodResizePolicy,
  PodResizePolicySpec,
  PodResizePolicySpecContainer,
  PodResizePolicySpecCpu,
} from '../../../apis/v1alpha1/index.ts';
import type { IdleRules } from './idle-rules.ts';
import { parseCountOrPercent } from '../../model/count-or-percent.ts';
import { formatDuration, parseDuration } from '../../model/duration.ts';
import { parseGlob, type Glob } from '../../model/names/glob.ts';
import type { Parsed } from '#kube/parsed';
import { parseSensibleAmount } from '#kube/sensible-amount';
import { SECOND_MS, type DurationMs } from '#kube/units';
import { parseWindow, type Window } from '../../model/window.ts';
import {
  DEFAULT_POLICY_RULES,
  defaultResourcePolicy,
  MIN_CHANGE_RATIO,
  type ContainerPolicy,
  type PolicyRules,
  type ResourcePolicy,
} from './policy-rules.ts';

/** With a shorter interval a cycle would begin before the previous one has reported. */
const MIN_INTERVAL_MS: DurationMs = SECOND_MS;

/** Capabilities of the installation that policies may require. */
export interface PolicyCapabilities {
  /** controller.admission.enabled */
  readonly admission: boolean;
  /** prometheus.url is set */
  readonly prometheus: boolean;
}

/** The rules of a valid policy, or the reason why it is invalid. */
export type PolicyReading =
  | { readonly ok: true; readonly rules: PolicyRules }
  | {
      readonly ok: false;
      readonly reason: ConditionReason;
      readonly message: string;
      /** The rules with defaults for the invalid values. */
      readonly readable: PolicyRules;
    };

type ResourceSpec = Omit<PodResizePolicySpecCpu, 'limit'> & {
  readonly limit?: { readonly rule?: 'Keep' | 'Ratio' | 'None'; readonly ratio?: number };
};

/** Reads a policy. Never throws for an object that its schema accepts. */
export function readPolicy(policy: PodResizePolicy, capabilities: PolicyCapabilities): PolicyReading {
  const reader = new PolicyReader();
  const rules = reader.rules(policy.metadata.name, policy.spec);
  const [first] = reader.problems;
  if (first !== undefined) return { ok: false, reason: CONDITION_REASON.invalidSpec, message: reader.problems.join('; '), readable: rules };
  if (rules.apply === 'OnRestart' && !capabilities.admission) {
    return {
      ok: false,
      reason: CONDITION_REASON.admissionRequired,
      message: 'spec.apply: OnRestart needs the setting controller.admission.enabled; enable it or use InPlace',
      readable: rules,
    };
  }
  if (policy.spec.rollback?.onErrorRateQuery !== undefined && !capabilities.prometheus) {
    return {
      ok: false,
      reason: CONDITION_REASON.prometheusRequired,
      message: 'spec.rollback.onErrorRateQuery needs the setting prometheus.url; set it or remove the query',
      readable: rules,
    };
  }
  return { ok: true, rules };
}

class PolicyReader {
  readonly problems: string[] = [];

  rules(name: string, spec: PodResizePolicySpec): PolicyRules {
    const fallback = DEFAULT_POLICY_RULES;
    const goal = spec.goal ?? 'Balanced';
    const mode = spec.mode ?? 'Recommend';
    const container: ContainerPolicy = {
      mode: null,
      controlled: 'requestsAndLimits',
      cpu: this.#resource('spec.cpu', 'cpu', spec.cpu ?? {}, defaultResourcePolicy('cpu', goal)),
      memory: this.#resource('spec.memory', 'memory', spec.memory ?? {}, defaultResourcePolicy('memory', goal)),
    };
    for (const field of ['namespaces', 'excludeNamespaces'] as const) {
      spec[field]?.forEach((glob, index) => this.#take(`spec.${field}[${index}]`, parseGlob(glob)));
    }
    return {
      ...fallback,
      name,
      mode,
      apply: spec.apply ?? fallback.apply,
      hpa: spec.hpa ?? fallback.hpa,
      pace: spec.pace ?? fallback.pace,
      workloadOverrides: spec.workloadOverrides ?? fallback.workloadOverrides,
      container,
      exceptions: (spec.containers ?? []).flatMap((each, index) => this.#exception(`spec.containers[${index}]`, each, container)),
      ...this.#evidence(spec),
      startup: this.#startup(spec),
      ...this.#pace(spec),
      limitOverage: this.#limitOverage(spec),
      rollback: this.#rollback(spec),
      idle: this.#idle(spec.idle),
      paused: spec.paused === true,
      dryRun: spec.dryRun === true,
    };
  }

  #evidence(spec: PodResizePolicySpec): Pick<PolicyRules, 'historyWindowMs' | 'oom' | 'minConfidence'> {
    const fallback = DEFAULT_POLICY_RULES;
    return {
      historyWindowMs: this.#duration('spec.history.window', spec.history?.window, fallback.historyWindowMs),
      oom: {
        bumpRatio: spec.oom?.bumpRatio ?? fallback.oom.bumpRatio,
        minBumpBytes: this.#amount('spec.oom.minBump', 'memory', spec.oom?.minBump) ?? fallback.oom.minBumpBytes,
        maxBumps: spec.oom?.maxBumps ?? fallback.oom.maxBumps,
      },
      minConfidence: spec.minConfidence === undefined ? fallback.minConfidence : { cpu: spec.minConfidence, memory: spec.minConfidence },
    };
  }

  #limitOverage({ limitOverage }: PodResizePolicySpec): PolicyRules['limitOverage'] {
    const fallback = DEFAULT_POLICY_RULES.limitOverage;
    return {
      mode: limitOverage?.mode ?? fallback.mode,
      maxRatio: limitOverage?.maxRatio ?? fallback.maxRatio,
      forMs: this.#duration('spec.limitOverage.for', limitOverage?.for, fallback.forMs),
    };
  }

  #rollback({ rollback }: PodResizePolicySpec): PolicyRules['rollback'] {
    const fallback = DEFAULT_POLICY_RULES.rollback;
    return {
      onRestarts: rollback?.onRestarts ?? fallback.onRestarts,
      onThrottleRatio: rollback?.onThrottleRatio ?? fallback.onThrottleRatio,
      onPressureRatio: rollback?.onPressureRatio ?? fallback.onPressureRatio,
      errorRateQuery: rollback?.onErrorRateQuery ?? fallback.errorRateQuery,
      withinMs: this.#duration('spec.rollback.within', rollback?.within, fallback.withinMs),
    };
  }

  #startup({ startup }: PodResizePolicySpec): PolicyRules['startup'] {
    const durationMs = this.#duration('spec.startup.duration', startup?.duration, 0);
    return startup === undefined ? null : { boostRatio: startup.boostRatio, durationMs };
  }

  #pace(spec: PodResizePolicySpec): Pick<PolicyRules, 'windows' | 'cooldownMs' | 'maxConcurrent' | 'intervalMs'> {
    const fallback = DEFAULT_POLICY_RULES;
    return {
      windows: (spec.windows ?? []).flatMap((window, index): Window[] => {
        const read = this.#take(`spec.windows[${index}]`, parseWindow(window), '.');
        return read === null ? [] : [read];
      }),
      cooldownMs: this.#duration('spec.cooldown', spec.cooldown, fallback.cooldownMs),
      maxConcurrent:
        spec.maxConcurrent === undefined
          ? fallback.maxConcurrent
          : (this.#take('spec.maxConcurrent', parseCountOrPercent(spec.maxConcurrent)) ?? fallback.maxConcurrent),
      intervalMs: this.#interval(spec.interval, fallback.intervalMs),
    };
  }

  #interval(text: string | undefined, fallback: DurationMs): DurationMs {
    const intervalMs = this.#duration('spec.interval', text, fallback);
    if (intervalMs < MIN_INTERVAL_MS) this.problems.push(`spec.interval must be at least ${formatDuration(MIN_INTERVAL_MS)}`);
    return intervalMs;
  }

  #exception(path: string, spec: PodResizePolicySpecContainer, base: ContainerPolicy): { name: Glob; policy: ContainerPolicy }[] {
    const name = this.#take(`${path}.name`, parseGlob(spec.name));
    const policy: ContainerPolicy = {
      mode: spec.mode ?? null,
      controlled: spec.controlled ?? base.controlled,
      cpu: this.#resource(`${path}.cpu`, 'cpu', spec.cpu ?? {}, base.cpu),
      memory: this.#resource(`${path}.memory`, 'memory', spec.memory ?? {}, base.memory),
    };
    return name === null ? [] : [{ name, policy }];
  }

  #resource(path: string, resource: 'cpu' | 'memory', spec: ResourceSpec, base: ResourcePolicy): ResourcePolicy {
    const goal = spec.goal ?? base.goal;
    const min = this.#amount(`${path}.min`, resource, spec.min) ?? base.min;
    const max = this.#amount(`${path}.max`, resource, spec.max) ?? base.max;
    if (min !== null && max !== null && min > max) {
      this.problems.push(`${path}.min: min is greater than max; lower min or raise max`);
    }
    return {
      goal,
      percentile: spec.percentile ?? base.percentile,
      margin: spec.margin ?? base.margin,
      min,
      max,
      minChangeRatio: spec.minChangeRatio ?? (spec.goal === undefined ? base.minChangeRatio : MIN_CHANGE_RATIO[goal]),
      limit: { rule: spec.limit?.rule ?? base.limit.rule, ratio: spec.limit?.ratio ?? base.limit.ratio },
    };
  }

  #idle(spec: PodResizePolicySpec['idle']): IdleRules {
    const fallback = DEFAULT_POLICY_RULES.idle;
    return {
      enabled: spec?.enabled === true,
      afterMs: this.#duration('spec.idle.after', spec?.after, fallback.afterMs),
      cpuThreshold: this.#amount('spec.idle.cpuThreshold', 'cpu', spec?.cpuThreshold) ?? fallback.cpuThreshold,
      cpu: this.#amount('spec.idle.cpu', 'cpu', spec?.cpu) ?? fallback.cpu,
      memory: this.#amount('spec.idle.memory', 'memory', spec?.memory),
      replicas: spec?.replicas ?? null,
    };
  }

  #duration(path: string, text: string | undefined, fallback: DurationMs): DurationMs {
    return text === undefined ? fallback : (this.#take(path, parseDuration(text)) ?? fallback);
  }

  #amount(path: string, resource: 'cpu' | 'memory', given: number | string | undefined): number | null {
    return given === undefined ? null : this.#take(path, parseSensibleAmount(resource, given));
  }

  #take<T>(path: string, outcome: Parsed<T>, join = ': '): T | null {
    if (outcome.ok) return outcome.value;
    this.problems.push(`${path}${join}${outcome.message}`);
    return null;
  }
}
