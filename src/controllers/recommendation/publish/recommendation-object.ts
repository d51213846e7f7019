// Writes a workload's Recommendation: the object once, its status on each change.

import { WORKLOAD_ANNOTATIONS } from '../../../apis/annotations.ts';
import { PLURALS, type Recommendation, type RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import { workloadPath, type WorkloadRecord } from '#kube/records/workload';
import { decidedPart, recommendationStatus, type StatusFacts } from '../../../core/resize/status/recommendation-status.ts';
import { findStatusChange, isWorthWriting } from '../../../core/resize/status/status-change.ts';
import { writePriority, type WritePriority } from '../../../core/resize/status/write-priority.ts';
import type { WorkloadDecision } from '../../../core/resize/model/decision.ts';
import { recommendationName } from '../../../core/recommendations/recommendation-name.ts';
import type { ApplyOptions, OwnObject, WriteOutcome } from '../../../ports/cluster/writers.ts';
import type { RecommendationPorts } from '../ports.ts';

/** Field manager of this controller's fields; user requests have other field managers and stay. */
const FIELD_MANAGER = 'evenkeel-recommendation';

/** The contents of a status. */
export interface StatusContents {
  readonly decision: WorkloadDecision;
  /** Without the generation, which is known once the object is written. */
  readonly facts: Omit<StatusFacts, 'generation'>;
  /** The status that was written last. */
  readonly before: RecommendationStatus | undefined;
}

/** A workload with the policy that governs it and its Recommendation as the informers show it. */
export interface RecommendationOwner {
  readonly workload: WorkloadRecord;
  /** null: no policy governs it. */
  readonly policy: string | null;
  readonly present: Recommendation | undefined;
  /** resourceVersion of the Recommendation that the decision was made from; undefined where none is known. */
  readonly resourceVersion: string | undefined;
}

/** What the object holds after a write. `conflict`: nothing was written, because it has changed since it was read. */
export type WrittenRecommendation = { readonly status: RecommendationStatus; readonly resourceVersion: string | undefined } | 'conflict';

/** What has to be written: the object, its status, or both. */
export interface DueWrite {
  readonly priority: WritePriority;
  /** Number of requests. The API server takes no status with a new object, because status is a subresource. */
  readonly writes: number;
}

/**
 * @param inObject the status in the object; undefined where it has none
 * @returns null where the object and its status are as they should be
 */
export function findDueWrite(
  { workload, policy, present }: RecommendationOwner,
  { decision, facts }: Pick<StatusContents, 'decision' | 'facts'>,
  inObject: RecommendationStatus | undefined,
): DueWrite | null {
  const isObjectDue = present === undefined || isOutdated(present, workload, policy);
  const generation = present?.metadata.generation ?? null;
  const statusChange = findStatusChange(inObject ?? {}, decidedPart(decision, { ...facts, generation }), facts.now);
  const change = isObjectDue && statusChange !== 'memory' ? 'state' : statusChange;
  if (change === null) return null;
  return { priority: writePriority(decision, inObject, change), writes: Number(isObjectDue) + 1 };
}

function recommendationObject(workload: WorkloadRecord): OwnObject {
  return { plural: PLURALS.Recommendation, namespace: workload.namespace, name: recommendationName(workload) };
}

/**
 * Creates the Recommendation where it is missing, updates its spec where its policy or owner has changed, and writes the status where it
 * differs.
 * @param inObject the status in the object; undefined where it has none
 * @throws when the API server refuses or cannot be reached, or when the object was deleted meanwhile: a decision that is not stored may not
 * be carried out
 */
export async function writeRecommendation(
  ports: RecommendationPorts,
  owner: RecommendationOwner,
  contents: StatusContents,
  inObject: RecommendationStatus | undefined,
  signal: AbortSignal,
): Promise<WrittenRecommendation> {
  const { decision, before } = contents;
  const ensured = await ensureRecommendation(ports, owner, signal);
  if (ensured === 'conflict') return ensured;
  const { generation, resourceVersion } = ensured;
  const facts = { ...contents.facts, generation };
  if (!isWorthWriting(inObject, decidedPart(decision, facts), facts.now) && inObject !== undefined)
    return { status: inObject, resourceVersion };
  const status = recommendationStatus(decision, facts, before);
  const object = recommendationObject(owner.workload);
  const outcome = await ports.records.applyStatus(object, status, applyOptions(resourceVersion), signal);
  if (outcome.kind === 'conflict') return 'conflict';
  if (outcome.kind !== 'done') throw new Error(`writing the status of Recommendation ${object.name}: ${describe(outcome)}`);
  return { status, resourceVersion: metadataOf(outcome)?.resourceVersion };
}

interface EnsuredRecommendation {
  /** null where the API server returned none. */
  readonly generation: number | null;
  readonly resourceVersion: string | undefined;
}

async function ensureRecommendation(
  ports: RecommendationPorts,
  { workload, policy, present, resourceVersion }: RecommendationOwner,
  signal: AbortSignal,
): Promise<EnsuredRecommendation | 'conflict'> {
  if (present !== undefined && !isOutdated(present, workload, policy)) {
    return { generation: present.metadata.generation ?? null, resourceVersion };
  }
  const object = recommendationObject(workload);
  // Without a precondition where the informers show no object: the API server refuses one for an object that is missing.
  const options = applyOptions(present === undefined ? undefined : resourceVersion);
  const outcome = await ports.records.apply(object, specOf(workload, policy, present), options, signal);
  if (outcome.kind === 'conflict') return 'conflict';
  if (outcome.kind !== 'done') throw new Error(`creating Recommendation ${object.name}: ${describe(outcome)}`);
  const applied = metadataOf(outcome);
  if (present !== undefined && applied !== undefined && applied.uid !== present.metadata.uid) {
    throw new Error(`creating Recommendation ${object.name}: it was deleted meanwhile, so its memory is discarded`);
  }
  return { generation: (applied ?? present?.metadata)?.generation ?? null, resourceVersion: applied?.resourceVersion };
}

function applyOptions(resourceVersion: string | undefined): ApplyOptions {
  return { fieldManager: FIELD_MANAGER, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

function metadataOf({ object }: { readonly object?: unknown }): Recommendation['metadata'] | undefined {
  return (object as Pick<Recommendation, 'metadata'> | undefined)?.metadata;
}

/**
 * Deletes the Recommendation where the mode publishes none. `conflict`: it has changed since it was read, and is still there.
 * @throws when the API server refuses or cannot be reached
 */
export async function deleteRecommendation(
  ports: RecommendationPorts,
  { workload, resourceVersion }: RecommendationOwner,
  signal: AbortSignal,
): Promise<'deleted' | 'conflict'> {
  const precondition = resourceVersion === undefined ? {} : { resourceVersion };
  const outcome = await ports.records.delete(recommendationObject(workload), signal, precondition);
  if (outcome.kind === 'done' || outcome.kind === 'gone') return 'deleted';
  if (outcome.kind === 'conflict') return 'conflict';
  throw new Error(`deleting Recommendation of ${workload.name}: ${describe(outcome)}`);
}

/** Annotates the workload with the applied change, for users who read the workload alone. A failed write is only logged. */
export async function annotateResized(
  ports: RecommendationPorts,
  workload: WorkloadRecord,
  status: RecommendationStatus,
  signal: AbortSignal,
): Promise<void> {
  const { lastApplied, previous } = status;
  const annotation = JSON.stringify({
    at: lastApplied?.at,
    by: lastApplied?.by,
    from: previous?.containers ?? null,
    to: lastApplied?.containers,
  });
  const outcome = await ports.records.annotate(workloadPath(workload), { [WORKLOAD_ANNOTATIONS.resized]: annotation }, {}, signal);
  if (outcome.kind !== 'done')
    ports.logger.warn('Annotating workload failed', { object: `${workload.namespace}/${workload.name}`, why: describe(outcome) });
}

function isOutdated(present: Recommendation, workload: WorkloadRecord, policy: string | null): boolean {
  if ((present.spec.policyRef?.name ?? null) !== policy) return true;
  return present.metadata.ownerReferences?.some(({ uid }) => uid === workload.uid) !== true;
}

function specOf({ apiVersion, kind, name, uid }: WorkloadRecord, policy: string | null, present: Recommendation | undefined): object {
  // spec.targetRef is immutable, and the served version of the workload's kind may change.
  const targetRef = { apiVersion: present?.spec.targetRef.apiVersion ?? apiVersion, kind, name };
  return {
    metadata: { ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false }] },
    spec: { targetRef, ...(policy === null ? {} : { policyRef: { name: policy } }) },
  };
}

function describe(outcome: WriteOutcome): string {
  return 'message' in outcome ? `${outcome.kind}: ${outcome.message}` : outcome.kind;
}
