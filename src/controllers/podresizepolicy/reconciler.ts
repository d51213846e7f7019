// Reconciles one PodResizePolicy: starts its resize cycles, at its interval and on request, and writes its status. Workloads that no
// policy governs have a cycle of their own under the key NO_POLICY.

import { OBJECT_ANNOTATIONS } from '../../apis/annotations.ts';
import { PLURALS, type PodResizePolicy, type PodResizePolicyStatus } from '../../apis/v1alpha1/index.ts';
import { isoTime } from '#kube/time/iso-time';
import { DAY_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { isSameAsStored } from '../../core/model/encoding/omit-empty.ts';
import { workloadKey, type WorkloadKey, type WorkloadRecord } from '#kube/records/workload';
import { areEquallySpecific } from '../../core/resize/policy/governing-policy.ts';
import { listUnmatched } from '../../core/resize/policy/unmatched.ts';
import { DEFAULT_POLICY_RULES } from '../../core/resize/policy/policy-rules.ts';
import { findNodeAutoscaler, type NodeAutoscaler } from '../../core/resize/policy/node-autoscaler.ts';
import type { Reconciler, ReconcileResult } from '../../runtime/reconciler.ts';
import type { EffectivePolicy } from '../../state/policy-resolver.ts';
import type { CycleResult } from '../../state/resize-cycles.ts';
import { CycleMetrics } from './metrics.ts';
import type { PodResizePolicyPorts } from './ports.ts';
import { policyStatus, savingsOf } from './status.ts';

/** Queue key of the workloads that no policy governs. No object can have this name. */
export const NO_POLICY = '(none)';
const FIELD_MANAGER = 'evenkeel-podresizepolicy';
const MAX_ID_LENGTH = 128;
const NOT_SYNCED_MS: DurationMs = SECOND_MS;
/** The informers show what others wrote within this time, which enqueues the policy already where they are faster. */
const CONFLICT_MS: DurationMs = SECOND_MS;
/** A node autoscaler counts as present for this long after its last trace on a node. */
const NODE_AUTOSCALER_PRESENT_MS: DurationMs = DAY_MS;

/** The workloads that a policy governs, and those that it selects and another policy governs. */
interface PolicyReach {
  readonly governed: readonly WorkloadKey[];
  /** Numbers of workloads by the policy that governs them. */
  readonly outrankedBy: ReadonlyMap<string, number>;
  /** Numbers of workloads that an equally specific policy selects too, by that policy. */
  readonly rivals: ReadonlyMap<string, number>;
  /** Every workload that the policy selects. */
  readonly selected: readonly WorkloadRecord[];
}

export class PodResizePolicyReconciler implements Reconciler {
  readonly #ports: PodResizePolicyPorts;
  readonly #metrics: CycleMetrics;
  /** Workloads without a policy have no status that could store it. */
  #lastUngovernedCycleAt: Instant | null = null;
  #nodeAutoscaler: { readonly found: NodeAutoscaler; readonly seenAt: Instant } | null = null;
  /** Overrides and pace in force at the last cycle, as JSON by policy. */
  readonly #inForce = new Map<string, string>();

  constructor(ports: PodResizePolicyPorts) {
    this.#ports = ports;
    this.#metrics = new CycleMetrics(ports.metrics);
    ports.cycles.onEnd((policy, result) => this.#recordCycle(policy, result));
  }

  /** Clears the metrics at the end of the leader's term: another replica exports them from then on. */
  close(): void {
    this.#metrics.reset();
  }

  async reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    if (!this.#ports.cluster.isSynced()) return { requeueAfterMs: NOT_SYNCED_MS };
    if (name === NO_POLICY) return this.#reconcileUngoverned();
    const stored = [...this.#ports.cluster.podResizePolicies()].find(({ metadata }) => metadata.name === name);
    if (stored === undefined) return this.#forget(name);
    const { clock, policies, cycles } = this.#ports;
    const now = clock.now();
    const inForce = policies.findEffectivePolicy(stored);
    const { policy, reading } = inForce;
    const reach = this.#reachOf(policy);
    const intervalMs = reading.ok ? reading.rules.intervalMs : DEFAULT_POLICY_RULES.intervalMs;
    const trigger = pendingTrigger(policy);
    if (this.#isDue(inForce, trigger, intervalMs, now)) {
      const id = trigger ?? `cycle-${isoTime(now)}-${name}`.slice(0, MAX_ID_LENGTH);
      cycles.begin(name, { id, trigger: trigger ?? 'interval', workloads: reach.governed }, now);
      for (const workload of reach.governed) this.#ports.enqueueWorkload(workload);
    }
    if ((await this.#publish(inForce, reach, now, signal)) === 'conflict') return { requeueAfterMs: CONFLICT_MS };
    const startedAt = cycles.latest(name)?.startedAt ?? now;
    const dueAt = Math.min(startedAt + intervalMs, inForce.until ?? Number.POSITIVE_INFINITY);
    return { requeueAfterMs: Math.max(SECOND_MS, dueAt - clock.now()) };
  }

  #isDue({ policy, reading, overrides }: EffectivePolicy, trigger: string | null, intervalMs: DurationMs, now: Instant): boolean {
    const { cycles, policies } = this.#ports;
    const { name, generation } = policy.metadata;
    // A changed or expired override and a changed pace change the rules as a new spec does.
    const isHourly = reading.ok && reading.rules.pace === 'Hourly' && policies.autoscalerLease.isHeld;
    const inForce = JSON.stringify([isHourly, ...overrides.map(({ field, value }) => [field, value])]);
    const isChanged = (this.#inForce.get(name) ?? inForce) !== inForce;
    // A change during a cycle starts another one after it: the cycle has evaluated some workloads with the earlier rules.
    if (!isChanged || !cycles.isRunning(name)) this.#inForce.set(name, inForce);
    if (isChanged && !cycles.isRunning(name)) return true;
    // A request during a cycle is served by that cycle.
    if (trigger !== null) return !cycles.isRunning(name);
    const startedAt = cycles.latest(name)?.startedAt ?? null;
    return startedAt === null || now - startedAt >= intervalMs || policy.status?.observedGeneration !== generation;
  }

  async #publish(
    { policy, reading, overrides, ignored }: EffectivePolicy,
    reach: PolicyReach,
    now: Instant,
    signal: AbortSignal,
  ): Promise<'published' | 'conflict'> {
    const { decisions, cycles, dryRun, missingPermissions, unpermittedKinds } = this.#ports;
    const { name } = policy.metadata;
    const cycle = cycles.latest(name);
    const trigger = policy.metadata.annotations?.[OBJECT_ANNOTATIONS.trigger] ?? null;
    const status = policyStatus({
      now,
      policy,
      reading,
      overrides,
      ignoredOverrides: ignored,
      governed: reach.governed.map((key) => decisions.find(key)),
      outrankedBy: reach.outrankedBy,
      rivals: reach.rivals,
      unmatched: this.#listUnmatched(policy, reach),
      cycle,
      lastTrigger: cycle !== null && cycle.trigger === trigger ? trigger : (policy.status?.lastTrigger ?? null),
      dryRun,
      pause: this.#ports.activePause(now),
      admission: this.#ports.policies.isAdmissionEnabled,
      autoscalerLease: this.#ports.policies.autoscalerLease,
      nodeAutoscaler: this.#findNodeAutoscaler(now),
      missingPermissions: missingPermissions(),
      unpermittedKinds: unpermittedKinds(),
    });
    if (isSameAsStored(status, policy.status)) return 'published';
    if (cycle?.trigger === 'interval' && cycles.isRunning(name) && isSameBesidesCycle(status, policy.status)) return 'published';
    return this.#writeStatus(policy, status, signal);
  }

  async #writeStatus(
    { metadata: { name, resourceVersion } }: PodResizePolicy,
    status: object,
    signal: AbortSignal,
  ): Promise<'published' | 'conflict'> {
    const options = { fieldManager: FIELD_MANAGER, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    const object = { plural: PLURALS.PodResizePolicy, namespace: null, name };
    const outcome = await this.#ports.records.applyStatus(object, status, options, signal);
    if (outcome.kind === 'conflict') return 'conflict';
    if (outcome.kind !== 'done' && outcome.kind !== 'gone') {
      throw new Error(`writing the status of PodResizePolicy ${name}: ${'message' in outcome ? outcome.message : outcome.kind}`);
    }
    return 'published';
  }

  /** Its traces on nodes disappear while it is idle, so it counts as present for a day after the last one. */
  #findNodeAutoscaler(now: Instant): NodeAutoscaler | null {
    const { cluster } = this.#ports;
    const found = findNodeAutoscaler(cluster.nodes(), cluster.workloads());
    if (found !== null)
      this.#nodeAutoscaler = { ...(this.#nodeAutoscaler?.found.name === found.name ? this.#nodeAutoscaler : { found }), seenAt: now };
    if (this.#nodeAutoscaler !== null && now - this.#nodeAutoscaler.seenAt >= NODE_AUTOSCALER_PRESENT_MS) this.#nodeAutoscaler = null;
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

  /** Enqueues the workloads of a deleted policy: another policy governs them now, or none. */
  #forget(name: string): ReconcileResult {
    this.#ports.cycles.forget(name);
    this.#inForce.delete(name);
    this.#metrics.forget(name);
    for (const [key] of [...this.#ports.decisions.of(name)]) this.#ports.enqueueWorkload(key);
    return { done: true };
  }

  #reachOf(policy: PodResizePolicy): PolicyReach {
    const { cluster, policies } = this.#ports;
    const { name } = policy.metadata;
    const governed: WorkloadKey[] = [];
    const selected: WorkloadRecord[] = [];
    const outrankedBy = new Map<string, number>();
    const rivals = new Map<string, number>();
    for (const workload of cluster.workloads()) {
      const { policy: governing, outranked } = policies.governanceOf(workload);
      if (governing === null) continue;
      const isGoverned = governing.metadata.name === name;
      if (!isGoverned && !outranked.some(({ metadata }) => metadata.name === name)) continue;
      selected.push(workload);
      if (isGoverned) governed.push(workloadKey(workload));
      else increment(outrankedBy, governing.metadata.name);
      for (const other of [governing, ...outranked]) {
        if (other.metadata.name !== name && areEquallySpecific(other, policy)) increment(rivals, other.metadata.name);
      }
    }
    return { governed, outrankedBy, rivals, selected };
  }

  #listUnmatched({ spec }: PodResizePolicy, { selected }: PolicyReach): readonly string[] {
    const { cluster } = this.#ports;
    const containers = function* (): Generator<string> {
      for (const workload of selected) {
        for (const { name } of workload.containers) yield name;
        // Injected containers are in the pods only; one pod represents the others.
        const [pod] = cluster.podsOf(workloadKey(workload));
        for (const { name } of pod?.containers ?? []) yield name;
      }
    };
    return listUnmatched(spec, { namespaces: [...cluster.namespaces()], hasWorkload: selected.length > 0, containers });
  }

  #recordCycle(policy: string, result: CycleResult): void {
    const { cycleLog, decisions, enqueuePolicy } = this.#ports;
    const { id, startedAt, finishedAt, evaluated, changed, deferred, blocked, failed, byReason } = result;
    const durationMs = (finishedAt ?? startedAt) - startedAt;
    const savings = savingsOf([...decisions.of(policy === '' ? null : policy)].map(([, decided]) => decided));
    this.#metrics.countCycle(policy === '' ? NO_POLICY : policy, durationMs, evaluated);
    // A cycle without a policy and without workloads is not recorded.
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
        // Savings are realised when nodes are removed, which this controller does not do.
        realisedPerMonthUsd: null,
      },
    });
    if (policy !== '') enqueuePolicy(policy);
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** The id of a requested cycle that has not started; null where there is none. */
function pendingTrigger({ metadata, status }: PodResizePolicy): string | null {
  const trigger = metadata.annotations?.[OBJECT_ANNOTATIONS.trigger];
  if (trigger === undefined || trigger === '' || trigger === status?.lastTrigger || trigger === status?.lastCycle?.trigger) return null;
  return trigger.slice(0, MAX_ID_LENGTH);
}

/** The start of an interval cycle is not written alone: it is written together with its end, moments later. */
function isSameBesidesCycle(status: PodResizePolicyStatus, stored: PodResizePolicyStatus | undefined): boolean {
  return stored !== undefined && isSameAsStored({ ...status, lastCycle: null }, { ...stored, lastCycle: null });
}
