// Writes a user request to the spec of a Recommendation, as approve, reject, roll back and wake do.

import type { ResizeMode } from '../../apis/conditions.ts';
import { PLURALS, type Recommendation, type RecommendationSpec } from '../../apis/v1alpha1/index.ts';
import type { Instant } from '#kube/units';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import type { WorkloadTarget } from '../../core/recommendations/resolve-workload.ts';
import type { OwnObject } from '../../ports/cluster/writers.ts';
import { applyDryRun, FIELD_MANAGER, type Caller, type CommandPorts } from '../context.ts';
import { findTarget } from '../find-target.ts';
import { IDEMPOTENCY_ANNOTATION, KEY_OF_ANOTHER, meaningOfKey, withKey } from '../idempotency.ts';
import { writeGuarded, type PlannedWrite } from '../guarded-write.ts';
import { OBJECT_CHANGED, type CommandOutcome, type CommandRefusal } from '../outcome.ts';

/** A workload and its changed Recommendation (in a dry run as it would be). */
export interface ChangedRecommendation {
  readonly workload: WorkloadRecord;
  readonly recommendation: Recommendation;
}

/** One kind of request. */
export interface Intent {
  readonly action: string;
  readonly eventReason: string;
  readonly message: string;
  /** Why the request has no effect in a mode, in which case it is refused instead of waiting for another mode; null where it has one. */
  findIneffectiveReason(mode: ResizeMode): string | null;
  /** Whether the request changes pods, so that a dry run only validates it. */
  isChangingPods(recommendation: Recommendation): boolean;
  /** The merge patch of `spec`, null where the spec has the request already, or a refusal. */
  decide(recommendation: Recommendation, now: Instant): SpecPatch | null | CommandRefusal;
}

/** A merge patch of the spec; null removes a field. */
export type SpecPatch = { readonly kind: 'patch' } & {
  readonly spec: { readonly [Field in keyof RecommendationSpec]?: RecommendationSpec[Field] | null };
};

/** Writes one intent onto the Recommendation of the workload that is named. */
export async function stateIntent(
  ports: CommandPorts,
  requestedBy: Caller,
  target: WorkloadTarget,
  intent: Intent,
): Promise<CommandOutcome<ChangedRecommendation>> {
  const resolved = findTarget(ports, requestedBy, target);
  if (resolved.kind !== 'workload') return resolved;
  const { workload } = resolved;
  const known = ports.cluster.findRecommendation(workloadKey(workload));
  if (known === undefined) {
    return {
      kind: 'conflict',
      message: `${workload.kind} ${workload.name} has no Recommendation: its first one is not written yet, or its mode publishes none.`,
    };
  }
  const { namespace = workload.namespace, name } = known.metadata;
  return writeGuarded(ports, known, {
    object: `Recommendation ${name}`,
    logName: `${namespace}/${name}`,
    // Per version that is read: an overage that was granted meanwhile makes a rejection one that changes pods.
    callerOf: (recommendation) => (intent.isChangingPods(recommendation) ? applyDryRun(ports, requestedBy, workload) : requestedBy),
    plan(recommendation, { caller }) {
      const item = { workload, recommendation };
      const plan = planOf(ports, caller, intent, item);
      return plan.kind === 'write' ? plannedWrite(ports, caller, intent, item, plan) : plan;
    },
    async readAgain(recommendation) {
      // An empty patch in a dry run answers the object as it is.
      const { object } = await ports.records.patchIntent(
        pathOf(workload, recommendation),
        {},
        { dryRun: true, fieldManager: FIELD_MANAGER },
      );
      const fresh = object as Recommendation | undefined;
      if (fresh === undefined || (fresh.metadata.uid ?? '') !== (recommendation.metadata.uid ?? '')) return null;
      const isSame = JSON.stringify(fresh.spec) === JSON.stringify(recommendation.spec);
      return requestedBy.unmoved === true && !isSame ? OBJECT_CHANGED : { kind: 'read', object: fresh };
    },
  });
}

interface Plan {
  readonly kind: 'write';
  readonly spec: SpecPatch['spec'];
  /** The annotation of idempotency keys; null where it does not change. */
  readonly keys: string | null;
}

function planOf(
  ports: CommandPorts,
  caller: Caller,
  intent: Intent,
  item: ChangedRecommendation,
): Plan | CommandOutcome<ChangedRecommendation> {
  const { workload, recommendation } = item;
  const now = ports.clock.now();
  const annotation = recommendation.metadata.annotations?.[IDEMPOTENCY_ANNOTATION];
  const unchanged = { kind: 'done', item, dryRun: caller.dryRun } as const;
  const meaning = meaningOfKey(annotation, intent.action, caller, now);
  if (meaning !== 'new') return meaning === 'repeat' ? unchanged : KEY_OF_ANOTHER;
  const mode = ports.modeOf(workload);
  const ineffective = intent.findIneffectiveReason(mode);
  if (ineffective !== null) return { kind: 'conflict', message: `${workload.kind} ${workload.name} is in mode ${mode}: ${ineffective}` };
  const decision = intent.decide(recommendation, now);
  if (decision === null) return unchanged;
  if (decision.kind !== 'patch') return decision;
  return { kind: 'write', spec: decision.spec, keys: withKey(annotation, intent.action, caller, now) };
}

/** The write is observed once the informers show it, or a version that is neither the one decided from nor the one shown at the write. */
function recordWritten(
  ports: CommandPorts,
  { dryRun }: Caller,
  workload: WorkloadRecord,
  [decidedFrom, wrote]: readonly [decidedFrom: Recommendation, wrote: Recommendation],
): void {
  if (dryRun) return;
  const version = (): string | undefined => ports.cluster.findRecommendation(workloadKey(workload))?.metadata.resourceVersion;
  const versionAtWrite = version();
  ports.written?.(() => {
    const current = version();
    return current === wrote.metadata.resourceVersion || (current !== versionAtWrite && current !== decidedFrom.metadata.resourceVersion);
  });
}

function plannedWrite(
  ports: CommandPorts,
  caller: Caller,
  intent: Intent,
  { workload, recommendation }: ChangedRecommendation,
  { spec, keys }: Plan,
): PlannedWrite<ChangedRecommendation> {
  const { name, namespace = workload.namespace, uid = '', resourceVersion } = recommendation.metadata;
  const subject = { apiVersion: recommendation.apiVersion, kind: recommendation.kind, namespace, name, uid };
  const patch = { ...(keys === null ? {} : { metadata: { annotations: { [IDEMPOTENCY_ANNOTATION]: keys } } }), spec };
  const guard = resourceVersion === undefined ? {} : { resourceVersion };
  return {
    kind: 'write',
    audit: { ...intent, subject, before: recommendation.spec, after: spec },
    write: () =>
      ports.records.patchIntent(pathOf(workload, recommendation), patch, { ...guard, dryRun: caller.dryRun, fieldManager: FIELD_MANAGER }),
    itemOf: (object) => {
      const written = object === undefined ? merged(recommendation, spec) : (object as Recommendation);
      recordWritten(ports, caller, workload, [recommendation, written]);
      return { workload, recommendation: written };
    },
  };
}

function pathOf(workload: WorkloadRecord, { metadata: { name, namespace = workload.namespace } }: Recommendation): OwnObject {
  return { plural: PLURALS.Recommendation, namespace, name };
}

/** Applies the patch locally, for a writer that does not return the object. */
function merged(recommendation: Recommendation, patch: SpecPatch['spec']): Recommendation {
  const fields = Object.entries({ ...recommendation.spec, ...patch }).filter(([, value]) => value !== null);
  return { ...recommendation, spec: Object.fromEntries(fields) as unknown as RecommendationSpec };
}
