// Writes a user request to the spec of a Recommendation, as approve, reject, roll back and wake do.

import type { ResizeMode } from '../apis/conditions.ts';
import { PLURALS, type Recommendation, type RecommendationSpec } from '../apis/v1alpha1/index.ts';
import type { Instant } from '#kube/units';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import type { WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import { recordAudit } from './audit.ts';
import { applyDryRun, FIELD_MANAGER, type Caller, type CommandPorts } from './context.ts';
import { findTarget } from './find-target.ts';
import { IDEMPOTENCY_ANNOTATION, KEY_OF_ANOTHER, meaningOfKey, withKey } from './idempotency.ts';
import { MOVED_ON, refusalOf, type CommandOutcome, type CommandRefusal } from './outcome.ts';

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
  whyIneffective(mode: ResizeMode): string | null;
  /** Whether the request changes pods, so that a dry run only validates it. */
  changesWorkload(recommendation: Recommendation): boolean;
  /** The merge patch of `spec`, null where the spec has the request already, or a refusal. */
  decide(recommendation: Recommendation, now: Instant): SpecPatch | null | CommandRefusal;
}

/** A merge patch of the spec; null removes a field. */
export type SpecPatch = { readonly kind: 'patch' } & {
  readonly spec: { readonly [Field in keyof RecommendationSpec]?: RecommendationSpec[Field] | null };
};

/** Attempts before a conflict is returned to the caller; another user or a status update may cause conflicts. */
const MAX_ATTEMPTS = 6;

/** Writes a request to the Recommendation of the target workload. */
export async function stateIntent(
  ports: CommandPorts,
  requestedBy: Caller,
  target: WorkloadTarget,
  intent: Intent,
): Promise<CommandOutcome<ChangedRecommendation>> {
  const resolved = findTarget(ports, requestedBy, target);
  if (resolved.kind !== 'workload') return resolved;
  const { workload } = resolved;
  let recommendation = ports.cluster.findRecommendation(workloadKey(workload));
  if (recommendation === undefined) {
    return {
      kind: 'conflict',
      message: `${workload.kind} ${workload.name} has no Recommendation: no decision was made yet, or its mode publishes none.`,
    };
  }
  const caller = intent.changesWorkload(recommendation) ? applyDryRun(ports, requestedBy, workload) : requestedBy;
  for (let tries = 1; ; tries += 1) {
    const plan = planOf(ports, caller, intent, { workload, recommendation });
    if (plan.kind !== 'write') return plan;
    const written = await write(ports, caller, intent, { workload, recommendation }, plan, tries < MAX_ATTEMPTS);
    if (written.kind !== 'moved-on') return written;
    if (caller.unmoved === true && JSON.stringify(written.recommendation.spec) !== JSON.stringify(recommendation.spec)) return MOVED_ON;
    recommendation = written.recommendation;
  }
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
  const ineffective = intent.whyIneffective(mode);
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

/** Conditional on the resourceVersion that was decided from, so that no concurrent write is lost. */
async function write(
  ports: CommandPorts,
  caller: Caller,
  intent: Intent,
  { workload, recommendation }: ChangedRecommendation,
  { spec, keys }: Plan,
  mayRepeat: boolean,
): Promise<CommandOutcome<ChangedRecommendation> | { readonly kind: 'moved-on'; readonly recommendation: Recommendation }> {
  const { name, namespace = workload.namespace, uid = '', resourceVersion } = recommendation.metadata;
  const subject = { apiVersion: recommendation.apiVersion, kind: recommendation.kind, namespace, name, uid };
  const audit = { ...intent, subject, before: recommendation.spec, after: spec } as const;
  const patch = { ...(keys === null ? {} : { metadata: { annotations: { [IDEMPOTENCY_ANNOTATION]: keys } } }), spec };
  const object = { plural: PLURALS.Recommendation, namespace, name };
  const guard = resourceVersion === undefined ? {} : { resourceVersion };
  let outcome;
  try {
    outcome = await ports.records.patchIntent(object, patch, { ...guard, dryRun: caller.dryRun, fieldManager: FIELD_MANAGER });
    if (outcome.kind === 'conflict' && mayRepeat) {
      // The informers may lag: an empty patch in a dry run returns the present object.
      const current = await ports.records.patchIntent(object, {}, { dryRun: true, fieldManager: FIELD_MANAGER });
      const fresh = current.object as Recommendation | undefined;
      if (fresh !== undefined && (fresh.metadata.uid ?? '') === uid) return { kind: 'moved-on', recommendation: fresh };
    }
  } catch (error) {
    ports.logger.warn('Writing user request failed', { object: `${namespace}/${name}`, err: error });
    recordAudit(ports, caller, { ...audit, outcome: 'error' });
    return { kind: 'unavailable', message: 'The API server cannot be reached, so nothing was changed. Try again shortly.' };
  }
  const refusal = refusalOf(outcome, `Recommendation ${name}`);
  recordAudit(ports, caller, { ...audit, outcome: refusal === null ? 'allowed' : 'error' });
  if (refusal !== null) return refusal;
  const written = outcome.object === undefined ? merged(recommendation, spec) : (outcome.object as Recommendation);
  recordWritten(ports, caller, workload, [recommendation, written]);
  return { kind: 'done', item: { workload, recommendation: written }, dryRun: caller.dryRun };
}

/** Applies the patch locally, for a writer that does not return the object. */
function merged(recommendation: Recommendation, patch: SpecPatch['spec']): Recommendation {
  const fields = Object.entries({ ...recommendation.spec, ...patch }).filter(([, value]) => value !== null);
  return { ...recommendation, spec: Object.fromEntries(fields) as unknown as RecommendationSpec };
}
