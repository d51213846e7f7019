// What approve, reject and roll-back share: find the object, let the rule decide on the new spec, write it, tell of it.

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

/** The workload and its Recommendation as it now is (in a dry run: as it would be). */
export interface ChangedRecommendation {
  readonly workload: WorkloadRecord;
  readonly recommendation: Recommendation;
}

/** One kind of intent. */
export interface Intent {
  readonly action: string;
  readonly eventReason: string;
  readonly message: string;
  /** Why it would have no effect in a mode; null: it has one there. An intent that waits for another mode would surprise. */
  whyIneffective(mode: ResizeMode): string | null;
  /** Whether it changes what runs, so that it is only validated in a dry run. */
  changesWorkload(recommendation: Recommendation): boolean;
  /** The change of `spec` as a merge patch (null removes), `null` where it stands there already, or why not. */
  decide(recommendation: Recommendation, now: Instant): SpecPatch | null | CommandRefusal;
}

/** A merge patch of the spec: what a person states, or null to take it back. */
export type SpecPatch = { readonly kind: 'patch' } & {
  readonly spec: { readonly [Field in keyof RecommendationSpec]?: RecommendationSpec[Field] | null };
};

/** Two people at once, or a status that moves meanwhile: looked at again this often before it is the caller's turn. */
const MAX_TRIES = 6;

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
  let recommendation = ports.cluster.findRecommendation(workloadKey(workload));
  if (recommendation === undefined) {
    return {
      kind: 'conflict',
      message: `${workload.kind} ${workload.name} has no Recommendation: it is still being looked at, or its mode publishes none.`,
    };
  }
  const caller = intent.changesWorkload(recommendation) ? applyDryRun(ports, requestedBy, workload) : requestedBy;
  for (let tries = 1; ; tries += 1) {
    const plan = planOf(ports, caller, intent, { workload, recommendation });
    if (plan.kind !== 'write') return plan;
    const written = await write(ports, caller, intent, { workload, recommendation }, plan, tries < MAX_TRIES);
    if (written.kind !== 'moved-on') return written;
    if (caller.unmoved === true && JSON.stringify(written.recommendation.spec) !== JSON.stringify(recommendation.spec)) return MOVED_ON;
    recommendation = written.recommendation;
  }
}

interface Plan {
  readonly kind: 'write';
  readonly spec: SpecPatch['spec'];
  /** The annotation of repeats; null: none. */
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

/** Seen once the informers tell of what was written, or of another version than that it was decided from and they knew. */
function recordWritten(
  ports: CommandPorts,
  { dryRun }: Caller,
  workload: WorkloadRecord,
  [decidedFrom, wrote]: readonly [decidedFrom: Recommendation, wrote: Recommendation],
): void {
  if (dryRun) return;
  const version = (): string | undefined => ports.cluster.findRecommendation(workloadKey(workload))?.metadata.resourceVersion;
  const known = version();
  ports.written?.(() => {
    const now = version();
    return now === wrote.metadata.resourceVersion || (now !== known && now !== decidedFrom.metadata.resourceVersion);
  });
}

/** Guarded by the version that was decided from: what another has stated meanwhile is never lost. */
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
      // Informers may be a moment behind, and the status moves on: an empty patch in a dry run answers the object as it is.
      const now = await ports.records.patchIntent(object, {}, { dryRun: true, fieldManager: FIELD_MANAGER });
      const fresh = now.object as Recommendation | undefined;
      if (fresh !== undefined && (fresh.metadata.uid ?? '') === uid) return { kind: 'moved-on', recommendation: fresh };
    }
  } catch (error) {
    ports.logger.warn('writing intent failed', { object: `${namespace}/${name}`, err: error });
    recordAudit(ports, caller, { ...audit, outcome: 'error' });
    return { kind: 'unavailable', message: 'The API server is out of reach, so nothing was changed. Try again shortly.' };
  }
  const refusal = refusalOf(outcome, `Recommendation ${name}`);
  recordAudit(ports, caller, { ...audit, outcome: refusal === null ? 'allowed' : 'error' });
  if (refusal !== null) return refusal;
  const written = outcome.object === undefined ? merged(recommendation, spec) : (outcome.object as Recommendation);
  recordWritten(ports, caller, workload, [recommendation, written]);
  return { kind: 'done', item: { workload, recommendation: written }, dryRun: caller.dryRun };
}

/** The patch carried out here, for a writer that does not answer the object. */
function merged(recommendation: Recommendation, patch: SpecPatch['spec']): Recommendation {
  const fields = Object.entries({ ...recommendation.spec, ...patch }).filter(([, value]) => value !== null);
  return { ...recommendation, spec: Object.fromEntries(fields) as unknown as RecommendationSpec };
}
