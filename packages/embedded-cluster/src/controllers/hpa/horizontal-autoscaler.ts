import type { DurationMs, Instant } from '#kube/units';
import { SECOND_MS } from '#kube/units';
import type { MetricsProvider, PodMetrics } from '../../api/providers.ts';
import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { isEqualJson } from '../../api/json.ts';
import type { ConditionUpdate } from '../nodes/conditions.ts';
import { findCondition, withCondition } from '../nodes/conditions.ts';
import { toTimestamp } from '../../api/timestamp.ts';
import type { ObjectKey } from '../object-key.ts';
import { keyOf, splitKey } from '../object-key.ts';
import type { Autoscaler, AutoscalerStatus } from '../wire/autoscaler.ts';
import type { Pod } from '../wire/pod.ts';
import { WorkList } from '../work-list.ts';
import { desiredByMetrics } from './desired-by-metrics.ts';
import type { ScaleTarget } from './scale-target.ts';
import { findScaleTarget, rescale } from './scale-target.ts';
import type { Limited, ScalingMemory } from './scaling-behavior.ts';
import { NO_MEMORY, behaviorOf, rateLimited, stabilized, trimmed } from './scaling-behavior.ts';

const RESOURCE = 'horizontalpodautoscalers.autoscaling';
const COMPONENT = 'horizontal-pod-autoscaler';
const PERIOD_MS: DurationMs = 15 * SECOND_MS;

/** Scales workloads by the metrics of metrics.k8s.io. */
export function startAutoscalers(ports: ControllerPorts, metrics: Pick<MetricsProvider, 'podMetrics'>): Stop {
  const controller = new AutoscalerController(ports, metrics);
  const work = new WorkList(ports.clock, (key) => {
    if (controller.reconcile(key)) work.addAt(key, ports.clock.now() + PERIOD_MS);
  });
  const stop = ports.cluster.onChange(RESOURCE, ({ object, previous }) => {
    // A change of its own status does not trigger a check before the period is over.
    if (previous === undefined || !isEqualJson(object['spec'], previous['spec'])) work.add(keyOf(object));
  });
  return () => {
    stop();
    work.stop();
  };
}

class AutoscalerController {
  readonly #ports: ControllerPorts;
  readonly #metrics: Pick<MetricsProvider, 'podMetrics'>;
  readonly #memory = new Map<ObjectKey, ScalingMemory>();

  constructor(ports: ControllerPorts, metrics: Pick<MetricsProvider, 'podMetrics'>) {
    this.#ports = ports;
    this.#metrics = metrics;
  }

  /** @returns whether to check again */
  reconcile(key: ObjectKey): boolean {
    const { namespace, name } = splitKey(key);
    const { cluster } = this.#ports;
    const autoscaler = cluster.get(RESOURCE, namespace, name) as Autoscaler | undefined;
    if (autoscaler === undefined) {
      this.#memory.delete(key);
      return false;
    }
    const report = new Report(autoscaler, this.#ports.clock.now());
    const target = findScaleTarget(cluster, autoscaler);
    if (target === undefined) {
      const { kind, name: of } = autoscaler.spec.scaleTargetRef;
      const message = `the HPA controller was unable to get the target's current scale: ${kind} "${of}" not found`;
      report.setCondition('AbleToScale', 'False', 'FailedGetScale', message);
      this.#ports.events.emit(autoscaler, COMPONENT, 'Warning', 'FailedGetScale', `${kind} "${of}" not found`);
    } else {
      report.setCondition('AbleToScale', 'True', 'SucceededGetScale', "the HPA controller was able to get the target's current scale");
      this.#scale(key, autoscaler, target, report);
    }
    this.#write(autoscaler, report.status);
    return true;
  }

  #scale(key: ObjectKey, autoscaler: Autoscaler, target: ScaleTarget, report: Report): void {
    const { minReplicas = 1, maxReplicas } = autoscaler.spec;
    const current = target.replicas;
    report.status.currentReplicas = target.statusReplicas;
    report.status.desiredReplicas = current;
    if (current === 0 && minReplicas !== 0) {
      report.setCondition('ScalingActive', 'False', 'ScalingDisabled', 'scaling is disabled since the replica count of the target is zero');
      return;
    }
    if (current > maxReplicas) {
      this.#apply(key, autoscaler, target, maxReplicas, 'Current number of replicas above Spec.MaxReplicas', report);
    } else if (current < minReplicas) {
      this.#apply(key, autoscaler, target, minReplicas, 'Current number of replicas below Spec.MinReplicas', report);
    } else this.#follow(key, autoscaler, target, { min: minReplicas, max: maxReplicas }, report);
  }

  #follow(key: ObjectKey, autoscaler: Autoscaler, target: ScaleTarget, bounds: { min: number; max: number }, report: Report): void {
    const { cluster, clock, events } = this.#ports;
    const now = clock.now();
    const namespace = autoscaler.metadata.namespace ?? '';
    const pods = cluster.list('pods', { namespace, selector: target.selector }) as readonly Pod[];
    const measured: PodMetrics[] = [];
    for (const { metadata } of pods) measured.push(...this.#metrics.podMetrics(namespace, metadata.name));
    const desired = desiredByMetrics(autoscaler, pods, measured, target.replicas, now);
    report.status.currentMetrics = [...desired.currentMetrics];
    for (const { reason, message } of desired.failures) events.emit(autoscaler, COMPONENT, 'Warning', reason, message);
    const [failure] = desired.failures;
    if (failure !== undefined && desired.replicas === null) {
      const message = `the HPA was unable to compute the replica count: ${failure.message}`;
      report.setCondition('ScalingActive', 'False', failure.reason, message);
      return;
    }
    const why = 'the HPA was able to successfully calculate a replica count from its metrics';
    report.setCondition('ScalingActive', 'True', 'ValidMetricFound', why);
    if (desired.replicas === null) return;

    const behavior = behaviorOf(autoscaler);
    const before = trimmed(this.#memory.get(key) ?? NO_MEMORY, behavior, now);
    const memory = { ...before, recommendations: [...before.recommendations, { at: now, replicas: desired.replicas }] };
    this.#memory.set(key, memory);
    const steady = stabilized(target.replicas, desired.replicas, behavior, memory.recommendations, now);
    const limited = rateLimited(target.replicas, steady.replicas, bounds, behavior, memory, now);
    report.explain(steady, limited);
    this.#apply(key, autoscaler, target, limited.replicas, desired.because, report);
  }

  #apply(key: ObjectKey, autoscaler: Autoscaler, target: ScaleTarget, replicas: number, reason: string, report: Report): void {
    const { cluster, clock, events } = this.#ports;
    report.status.desiredReplicas = replicas;
    const change = replicas - target.replicas;
    if (change === 0) return;
    rescale(cluster, target, replicas);
    events.emit(autoscaler, COMPONENT, 'Normal', 'SuccessfulRescale', `New size: ${String(replicas)}; reason: ${reason}`);
    const now = clock.now();
    const memory = this.#memory.get(key) ?? NO_MEMORY;
    const past = { at: now, replicas: Math.abs(change) };
    this.#memory.set(key, change > 0 ? { ...memory, added: [...memory.added, past] } : { ...memory, removed: [...memory.removed, past] });
    report.status.lastScaleTime = toTimestamp(now);
    report.setCondition(
      'AbleToScale',
      'True',
      'SucceededRescale',
      `the HPA controller was able to update the target scale to ${String(replicas)}`,
    );
  }

  #write(autoscaler: Autoscaler, status: AutoscalerStatus): void {
    if (isEqualJson(status, autoscaler.status)) return;
    this.#ports.cluster.modifyStatus(RESOURCE, autoscaler.metadata.namespace ?? '', autoscaler.metadata.name, (draft) => {
      draft['status'] = status;
    });
  }
}

/** The status, filled in during one check. */
class Report {
  readonly status: AutoscalerStatus;
  readonly #now: Instant;

  constructor(autoscaler: Autoscaler, now: Instant) {
    this.status = { desiredReplicas: 0, ...autoscaler.status };
    this.#now = now;
  }

  setCondition(type: string, status: ConditionUpdate['status'], reason: string, message: string): void {
    const before = findCondition(this.status.conditions, type);
    if (before?.status === status && before.reason === reason && before.message === message) return;
    this.status.conditions = withCondition(this.status.conditions, { type, status, reason, message }, this.#now);
  }

  explain(steady: Limited, limited: Limited): void {
    if (steady.by === null) this.setCondition('AbleToScale', 'True', 'ReadyForNewScale', 'recommended size matches current size');
    else this.setCondition('AbleToScale', 'True', steady.by, 'recent recommendations hold the size, applying the stabilized one');
    if (limited.by === null) {
      this.setCondition('ScalingLimited', 'False', 'DesiredWithinRange', 'the desired count is within the acceptable range');
    } else this.setCondition('ScalingLimited', 'True', limited.by, LIMIT_WORDS[limited.by] ?? '');
  }
}

const LIMIT_WORDS: Readonly<Record<string, string>> = {
  TooManyReplicas: 'the desired replica count is more than the maximum replica count',
  TooFewReplicas: 'the desired replica count is less than the minimum replica count',
  ScaleUpLimit: 'the desired replica count is increasing faster than the maximum scale rate',
  ScaleDownLimit: 'the desired replica count is decreasing faster than the maximum scale rate',
};
