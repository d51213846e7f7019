// Writes a workload's Recommendation: the object once, its status on every meaningful change.

import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { PLURALS, type Recommendation, type RecommendationStatus } from '../../apis/v1alpha1/index.ts';
import { workloadPath, type WorkloadRecord } from '#kube/records/workload';
import { decidedPart, isWorthWriting, recommendationStatus, type StatusFacts } from '../../core/resize/status/recommendation-status.ts';
import type { WorkloadDecision } from '../../core/resize/model/decision.ts';
import { recommendationName } from '../../core/recommendations/recommendation-name.ts';
import type { OwnObject, WriteOutcome } from '../../ports/writers.ts';
import type { RecommendationPorts } from './ports.ts';

/** Owner of the fields that this controller writes; user requests have other owners and stay. */
const FIELD_MANAGER = 'evenkeel-recommendation';

/** What a status is made of. */
export interface StatusDependencies {
  readonly decision: WorkloadDecision;
  readonly facts: StatusFacts;
  /** Remembered as written last. */
  readonly before: RecommendationStatus | undefined;
}

function recommendationObject(workload: WorkloadRecord): OwnObject {
  return { plural: PLURALS.Recommendation, namespace: workload.namespace, name: recommendationName(workload) };
}

/**
 * Makes the object where it is missing or belongs to another policy now. Answers its generation; null where the server
 * has not told.
 * @throws when the API server refuses or cannot be reached
 */
export async function ensureObject(
  ports: RecommendationPorts,
  workload: WorkloadRecord,
  policy: string | null,
  present: Recommendation | undefined,
  signal: AbortSignal,
): Promise<number | null> {
  if (present !== undefined && !needsObject(present, workload, policy)) return present.metadata.generation ?? null;
  const object = recommendationObject(workload);
  const outcome = await ports.records.apply(object, specOf(workload, policy, present), FIELD_MANAGER, signal);
  if (outcome.kind !== 'done') throw new Error(`making Recommendation ${object.name}: ${describe(outcome)}`);
  const made = outcome.object as Pick<Recommendation, 'metadata'> | undefined;
  if (present !== undefined && made !== undefined && made.metadata.uid !== present.metadata.uid) {
    throw new Error(`making Recommendation ${object.name}: it was deleted meanwhile, and what it remembered is to be forgotten`);
  }
  return made?.metadata.generation ?? present?.metadata.generation ?? null;
}

/**
 * Writes the status if it says something new; answers the status as it now stands.
 * @param earlier as it stands in the object, which one that was only just made has none of
 * @throws when the API server refuses or cannot be reached: nothing may be acted on that is not written down
 */
export async function publish(
  ports: RecommendationPorts,
  workload: WorkloadRecord,
  { decision, facts, before }: StatusDependencies,
  earlier: RecommendationStatus | undefined,
  signal: AbortSignal,
): Promise<RecommendationStatus> {
  if (earlier !== undefined && !isWorthWriting(earlier, decidedPart(decision, facts), facts.now)) return earlier;
  const status = recommendationStatus(decision, facts, before);
  const object = recommendationObject(workload);
  const outcome = await ports.records.applyStatus(object, status, FIELD_MANAGER, signal);
  if (outcome.kind !== 'done') throw new Error(`writing the status of Recommendation ${object.name}: ${describe(outcome)}`);
  return status;
}

/** Takes back what is published, where a mode publishes nothing any more. */
export async function unpublish(ports: RecommendationPorts, workload: WorkloadRecord, signal: AbortSignal): Promise<void> {
  const outcome = await ports.records.delete(recommendationObject(workload), signal);
  if (outcome.kind !== 'done' && outcome.kind !== 'gone')
    throw new Error(`deleting Recommendation of ${workload.name}: ${describe(outcome)}`);
}

/** Leaves on the workload what was applied, so that it is known even without the Recommendation. */
export async function noteOnWorkload(
  ports: RecommendationPorts,
  workload: WorkloadRecord,
  status: RecommendationStatus,
  signal: AbortSignal,
): Promise<void> {
  const { lastApplied, previous } = status;
  const note = JSON.stringify({
    at: lastApplied?.at,
    by: lastApplied?.by,
    from: previous?.containers ?? null,
    to: lastApplied?.containers,
  });
  const outcome = await ports.records.annotate(workloadPath(workload), { [WORKLOAD_ANNOTATIONS.resized]: note }, {}, signal);
  // The Recommendation has it all: the note is for people who look at the workload alone.
  if (outcome.kind !== 'done')
    ports.logger.warn('The workload could not be annotated', { object: `${workload.namespace}/${workload.name}`, why: describe(outcome) });
}

function needsObject(present: Recommendation, workload: WorkloadRecord, policy: string | null): boolean {
  if ((present.spec.policyRef?.name ?? null) !== policy) return true;
  return present.metadata.ownerReferences?.some(({ uid }) => uid === workload.uid) !== true;
}

function specOf({ apiVersion, kind, name, uid }: WorkloadRecord, policy: string | null, present: Recommendation | undefined): object {
  // The target of an object never changes, and the version that a kind is served in may.
  const targetRef = { apiVersion: present?.spec.targetRef.apiVersion ?? apiVersion, kind, name };
  return {
    metadata: { ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false }] },
    spec: { targetRef, ...(policy === null ? {} : { policyRef: { name: policy } }) },
  };
}

function describe(outcome: WriteOutcome): string {
  return 'message' in outcome ? `${outcome.kind}: ${outcome.message}` : outcome.kind;
}
