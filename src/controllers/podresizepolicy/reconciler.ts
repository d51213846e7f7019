// Keeps one PodResizePolicy: begins its cycles, at its interval and when asked, and tells in its status how it is doing.
// Workloads that no policy governs have a cycle of their own under the key NO_POLICY.

import { OBJECT_ANNOTATIONS } from '../../apis/annotations.ts';
import { PLURALS, type PodResizePolicy, type PodResizePolicyStatus } from '../../apis/v1alpha1/index.ts';
import { isoTime } from '#kube/time/iso-time';
import { DAY_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { isSameAsStored } from '../../core/model/without-empty.ts';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import { DEFAULT_POLICY_RULES } from '../../core/resize/policy/policy-rules.ts';
import { findNodeAutoscaler, type NodeAutoscaler } from '../../core/resize/policy/node-autoscaler.ts';
import type { Reconciler, ReconcileResult } from '../../runtime/reconciler.ts';
import type { PolicyInForce } from '../../state/policy-resolver.ts';
import type { CycleResult } from '../../state/resize-cycles.ts';
import { CycleMetrics } from './metrics.ts';
import type { PodResizePolicyPorts } from './ports.ts';
import { policyStatus, savingsOf } from './status.ts';

/** Queue key of the workloads that no policy governs. No object can have this name. */
export const NO_POLICY = '(none)';
const FIELD_MANAGER = 'evenkeel-podresizepolicy';
const MAX_ID = 128;
const NOT_SYNCED_MS: DurationMs = SECOND_MS;
const SEEN_FOR_MS: DurationMs = DAY_MS;

/** What one pass over the workloads finds of a policy. */
interface Reach {
  readonly governed: readonly WorkloadKey[];
  readonly yields: ReadonlyMap<string, number>;
}

export class PodResizePolicyReconciler implements Reconciler {
  readonly #ports: PodResizePolicyPorts;
  readonly #metrics: CycleMetrics;
  /** Of the workloads under no policy, which have no status to remember it by. */
  #lastUngovernedCycleAt: Instant | null = null;
  #nodeAutoscaler: { readonly found: NodeAutoscaler; readonly seenAt: Instant } | null = null;
  /** By policy, what changed its rules beside its spec when it was last evaluated. */
  readonly #inForce = new Map<string, string>();

  constructor(ports: PodResizePolicyPorts) {
    this.#ports = ports;
    this.#metrics = new CycleMetrics(ports.metrics);
    ports.cycles.onEnd((policy, result) => this.#ended(policy, result));
  }

  /** Ends the term: another replica tells how things stand from now on. */
  close(): void {
    this.#metrics.reset();
  }

  async reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    if (!this.#ports.cluster.synced()) return { requeueAfterMs: NOT_SYNCED_MS };
    if (name === NO_POLICY) return this.#reconcileUngoverned();
    const written = [...this.#ports.cluster.podResizePolicies()].find(({ metadata }) => metadata.name === name);
    if (written === undefined) return this.#gone(name);
    const { clock, policies, cycles } = this.#ports;
    const now = clock.now();
    const inForce = policies.inForce(written);
    const { policy, reading } = inForce;
    const reach = this.#reachOf(policy);
    const intervalMs = reading.ok ? reading.rules.intervalMs : DEFAULT_POLICY_RULES.intervalMs;
    const trigger = pendingTrigger(policy);
    if (this.#isDue(inForce, trigger, intervalMs, now)) {
      const id = trigger ?? `cycle-${isoTime(now)}-${name}`.slice(0, MAX_ID);
      cycles.begin(name, { id, trigger: trigger ?? 'interval', workloads: reach.governed }, now);
      for (const workload of reach.governed) this.#ports.enqueueWorkload(workload);
    }
    await this.#publish(inForce, reach, now, signal);
    const startedAt = cycles.latest(name)?.startedAt ?? now;
    const dueAt = Math.min(startedAt + intervalMs, inForce.until ?? Number.POSITIVE_INFINITY);
    return { requeueAfterMs: Math.max(SECOND_MS, dueAt - clock.now()) };
  }

  #isDue({ policy, reading, overrides }: PolicyInForce, trigger: string | null, intervalMs: DurationMs, now: Instant): boolean {
    const { cycles, policies } = this.#ports;
    const { name, generation } = policy.metadata;
    // An override that came, changed or ended changes the rules as a new spec does, and so does another pace.
    const isHourly = reading.ok && reading.rules.pace === 'Hourly' && policies.autoscalerLease.isHeld;
    const inForce = JSON.stringify([isHourly, ...overrides.map(({ field, value }) => [field, value])]);
    const changed = (this.#inForce.get(name) ?? inForce) !== inForce;
    // While a cycle runs it is kept in mind: workloads that it has passed already need another.
    if (!changed || !cycles.isRunning(name)) this.#inForce.set(name, inForce);
    if (changed && !cycles.isRunning(name)) return true;
    // One that runs is joined: what was asked for is being done.
    if (trigger !== null) return !cycles.isRunning(name);
    const begun = cycles.latest(name)?.startedAt ?? null;
    return begun === null || now - begun >= intervalMs || policy.status?.observedGeneration !== generation;
  }

  async #publish({ policy, reading, overrides, ignored }: PolicyInForce, reach: Reach, now: Instant, signal: AbortSignal): Promise<void> {
    const { decisions, cycles, records, dryRun, missingPermissions, unpermittedKinds } = this.#ports;
    const { name } = policy.metadata;
    const cycle = cycles.latest(name);
    const asked = policy.metadata.annotations?.[OBJECT_ANNOTATIONS.trigger] ?? null;
    const status = policyStatus({
      now,
      policy,
      reading,
      overrides,
      ignoredOverrides: ignored,
      governed: reach.governed.map((key) => decisions.find(key)),
      yields: reach.yields,
      cycle,
      lastTrigger: cycle !== null && cycle.trigger === asked ? asked : (policy.status?.lastTrigger ?? null),
      dryRun,
      admission: this.#ports.policies.admission,
      autoscalerLease: this.#ports.policies.autoscalerLease,
      nodeAutoscaler: this.#nodeAutoscalerNow(now),
      missingPermissions: missingPermissions(),
      unpermittedKinds: unpermittedKinds(),
    });
    if (isSameAsStored(status, policy.status)) return;
    if (cycle?.trigger === 'interval' && cycles.isRunning(name) && isSameBesidesCycle(status, policy.status)) return;
    const outcome = await records.applyStatus({ plural: PLURALS.PodResizePolicy, namespace: null, name }, status, FIELD_MANAGER, signal);
    if (outcome.kind !== 'done' && outcome.kind !== 'gone') {
      throw new Error(`writing the status of PodResizePolicy ${name}: ${'message' in outcome ? outcome.message : outcome.kind}`);
    }
  }

  /** Its traces on nodes come and go with what it does: it is still there for a day after the last one. */
  #nodeAutoscalerNow(now: Instant): NodeAutoscaler | null {
    const { cluster } = this.#ports;
    const found = findNodeAutoscaler(cluster.nodes(), cluster.workloads());
    if (found !== null)
      this.#nodeAutoscaler = { ...(this.#nodeAutoscaler?.found.name === found.name ? this.#nodeAutoscaler : { found }), seenAt: now };
    if (this.#nodeAutoscaler !== null && now - this.#nodeAutoscaler.seenAt >= SEEN_FOR_MS) this.#nodeAutoscaler = null;
    return this.#nodeAutoscaler?.found ?? null;
  }

  #reconcileUngoverned(): ReconcileResult {
    const { cluster, clock, policies, cycles, enqueueWorkload } = this.#ports;
    const now = clock.now();
    const { intervalMs } = DEFAULT_POLICY_RULES;
    const dueAt = (this.#lastUngovernedCycleAt ?? Number.NEGATIVE_INFINITY) + intervalMs;
    if (now < dueAt) return { requeueAfterMs: dueAt - now };
    const workloads = [...cluster.workloads()].filter((workload) => {
      const governance = policies.governanceOf(workload);
      return governance.policy === null && !governance.outOfScope;
    });
    this.#lastUngovernedCycleAt = now;
    cycles.begin('', { id: `cycle-${isoTime(now)}`, trigger: 'interval', workloads: workloads.map(workloadKey) }, now);
    for (const workload of workloads) enqueueWorkload(workloadKey(workload));
    return { requeueAfterMs: intervalMs };
  }

  /** What it governed is governed by another now, or by none. */
  #gone(name: string): ReconcileResult {
    this.#ports.cycles.forget(name);
    this.#inForce.delete(name);
    this.#metrics.forget(name);
    for (const [key] of [...this.#ports.decisions.of(name)]) this.#ports.enqueueWorkload(key);
    return { done: true };
  }

  #reachOf(policy: PodResizePolicy): Reach {
    const { cluster, policies } = this.#ports;
    const { name } = policy.metadata;
    const governed: WorkloadKey[] = [];
    const yields = new Map<string, number>();
    for (const workload of cluster.workloads()) {
      const governance = policies.governanceOf(workload);
      if (governance.policy?.metadata.name === name) governed.push(workloadKey(workload));
      else if (governance.policy !== null && governance.outranked.some(({ metadata }) => metadata.name === name)) {
        const other = governance.policy.metadata.name;
        yields.set(other, (yields.get(other) ?? 0) + 1);
      }
    }
    return { governed, yields };
  }

  #ended(policy: string, result: CycleResult): void {
    const { cycleLog, decisions, enqueuePolicy } = this.#ports;
    const { id, startedAt, finishedAt, evaluated, changed, deferred, blocked, failed, byReason } = result;
    const durationMs = (finishedAt ?? startedAt) - startedAt;
    const savings = savingsOf([...decisions.of(policy === '' ? null : policy)].map(([, decided]) => decided));
    this.#metrics.ended(policy === '' ? NO_POLICY : policy, durationMs, evaluated);
    // Nothing under no policy is nothing to remember.
    if (policy === '' && evaluated === 0) return;
    cycleLog.appendCycle({
      id,
      startedAt,
      durationMs,
      evaluated,
      changed,
      deferred,
      blocked,
      failed,
      byReason,
      savings: {
        potentialPerMonthUsd: savings.potentialPerMonthUsd ?? null,
        reclaimedPerMonthUsd: savings.reclaimedPerMonthUsd ?? null,
        // Money is realised when nodes go away; nothing here removes nodes.
        realisedPerMonthUsd: null,
      },
    });
    if (policy !== '') enqueuePolicy(policy);
  }
}

/** A request that has not been acted on; null: none. */
function pendingTrigger({ metadata, status }: PodResizePolicy): string | null {
  const asked = metadata.annotations?.[OBJECT_ANNOTATIONS.trigger];
  if (asked === undefined || asked === '' || asked === status?.lastTrigger || asked === status?.lastCycle?.trigger) return null;
  return asked.slice(0, MAX_ID);
}

/** That a cycle begins at its interval is no news: it is written with its end, moments later. */
function isSameBesidesCycle(status: PodResizePolicyStatus, stored: PodResizePolicyStatus | undefined): boolean {
  return stored !== undefined && isSameAsStored({ ...status, lastCycle: null }, { ...stored, lastCycle: null });
}
