// Writes a user request as annotations of a workload: decided from the present workload, and written only while it is unchanged.

import type { WorkloadRecord } from '#kube/records/workload';
import { workloadKey, workloadPath } from '#kube/records/workload';
import type { Instant } from '#kube/units';
import { fingerprintIntent } from '../../core/overrides/intent.ts';
import type { WorkloadTarget } from '../../core/recommendations/resolve-workload.ts';
import type { WriteOutcome } from '../../ports/cluster/writers.ts';
import type { AuditEntry } from '../audit.ts';
import { applyDryRun, FIELD_MANAGER, type Caller, type CommandPorts } from '../context.ts';
import { findTarget } from '../find-target.ts';
import { IDEMPOTENCY_ANNOTATION, KEY_OF_ANOTHER, meaningOfKey, withKey } from '../idempotency.ts';
import { writeGuarded } from '../guarded-write.ts';
import { OBJECT_CHANGED, type CommandOutcome, type CommandRefusal } from '../outcome.ts';

/** The result of a change for the present workload. */
export type AnnotationPlan =
  | {
      readonly kind: 'write';
      /** null removes an annotation. */
      readonly annotations: Readonly<Record<string, string | null>>;
      readonly audit: Pick<AuditEntry, 'action' | 'eventReason' | 'message' | 'before' | 'after'>;
    }
  /** The workload has the annotations already. */
  | { readonly kind: 'same' }
  | CommandRefusal;

export interface AnnotationChange {
  /** Part of the identity of an idempotency key. */
  readonly action: string;
  /** Whether the request changes pods, so that a dry run only validates it. */
  readonly changesWorkload?: true;
  decide(workload: WorkloadRecord, now: Instant): AnnotationPlan;
}

/** @returns the workload after the change (in a dry run as it would be) */
export async function annotateWorkload(
  ports: CommandPorts,
  caller: Caller,
  target: WorkloadTarget,
  change: AnnotationChange,
): Promise<CommandOutcome<WorkloadRecord>> {
  const resolved = findTarget(ports, caller, target);
  if (resolved.kind !== 'workload') return resolved;
  const { workload } = resolved;
  return annotateFound(ports, change.changesWorkload === true ? applyDryRun(ports, caller, workload) : caller, workload, change);
}

function annotateFound(
  ports: CommandPorts,
  caller: Caller,
  observed: WorkloadRecord,
  change: AnnotationChange,
): Promise<CommandOutcome<WorkloadRecord>> {
  const { apiVersion, kind, namespace, name, uid } = observed;
  const subject = { apiVersion, kind, namespace, name, uid };
  const now = ports.clock.now();
  return writeGuarded(ports, observed, {
    object: `${kind} ${name}`,
    logName: `${namespace}/${name}`,
    callerOf: () => caller,
    plan(workload) {
      const keys = workload.annotations[IDEMPOTENCY_ANNOTATION];
      const meaning = meaningOfKey(keys, change.action, caller, now);
      if (meaning === 'another') return KEY_OF_ANOTHER;
      if (meaning === 'repeat') return { kind: 'done', item: workload, dryRun: caller.dryRun };
      const plan = planOf(ports, change, workload, now);
      if (plan.kind === 'same') return { kind: 'done', item: workload, dryRun: caller.dryRun };
      if (plan.kind !== 'write') return plan;
      const key = withKey(keys, change.action, caller, now);
      const annotations = { ...plan.annotations, ...(key === null ? {} : { [IDEMPOTENCY_ANNOTATION]: key }) };
      return {
        kind: 'write',
        audit: { ...plan.audit, subject },
        write: () => write(ports, caller, workload, annotations),
        itemOf: (object) => {
          recordWritten(ports, caller, [observed, workload], annotations);
          return annotated(workload, annotations, object);
        },
      };
    },
    async readAgain(workload) {
      const fresh = await readAgain(ports, workload);
      if (fresh === null) return null;
      return caller.unmoved === true && fingerprintIntent(fresh.annotations) !== fingerprintIntent(workload.annotations)
        ? OBJECT_CHANGED
        : { kind: 'read', object: fresh };
    },
  });
}

/** Refuses overrides that a policy with `workloadOverrides: Stricter` would ignore; present ones are not refused. */
function planOf(ports: CommandPorts, change: AnnotationChange, workload: WorkloadRecord, now: Instant): AnnotationPlan {
  const plan = change.decide(workload, now);
  if (plan.kind !== 'write') return plan;
  const before = ports.wideningOf(workload)?.overrides ?? [];
  const after = ports.wideningOf(annotated(workload, plan.annotations, undefined));
  const added = after?.overrides.filter((override) => !before.includes(override)) ?? [];
  if (after === null || added.length === 0) return plan;
  return {
    kind: 'conflict',
    message: `PodResizePolicy ${after.policy} accepts only overrides that are stricter than itself (spec.workloadOverrides): ${added.join('; ')}.`,
  };
}

/** The write is observed once the informers show the annotations, or another version than those that were decided from. */
function recordWritten(
  ports: CommandPorts,
  { dryRun }: Caller,
  decidedFrom: readonly [observed: WorkloadRecord, fresh: WorkloadRecord],
  annotations: Readonly<Record<string, string | null>>,
): void {
  if (dryRun) return;
  ports.written?.(() => {
    const now = ports.cluster.findWorkload(workloadKey(decidedFrom[0]));
    if (now === undefined) return true;
    if (decidedFrom.every(({ resourceVersion }) => resourceVersion !== now.resourceVersion)) return true;
    return Object.entries(annotations).every(([annotation, value]) => (now.annotations[annotation] ?? null) === value);
  });
}

/** Conditional on the resourceVersion that was decided from, so that no concurrent write is lost. */
function write(
  ports: CommandPorts,
  caller: Caller,
  workload: WorkloadRecord,
  annotations: Readonly<Record<string, string | null>>,
): Promise<WriteOutcome & { readonly object?: unknown }> {
  const { resourceVersion } = workload;
  const guard = resourceVersion === '' ? {} : { resourceVersion };
  return ports.records.annotate(workloadPath(workload), annotations, { ...guard, dryRun: caller.dryRun, fieldManager: FIELD_MANAGER });
}

/**
 * Reads the workload from the API server, because informers may lag. An empty patch in a dry run returns the object and needs no other
 * permission than the one to annotate.
 * @returns null where the workload was deleted or replaced
 */
async function readAgain({ records }: CommandPorts, workload: WorkloadRecord): Promise<WorkloadRecord | null> {
  const { object } = await records.annotate(workloadPath(workload), {}, { dryRun: true, fieldManager: FIELD_MANAGER });
  const metadata = metadataOf(object);
  if (metadata?.resourceVersion === undefined || metadata.uid !== workload.uid) return null;
  return { ...workload, annotations: metadata.annotations ?? {}, resourceVersion: metadata.resourceVersion };
}

function annotated(workload: WorkloadRecord, changed: Readonly<Record<string, string | null>>, object: unknown): WorkloadRecord {
  const resourceVersion = metadataOf(object)?.resourceVersion ?? workload.resourceVersion;
  const annotations = Object.entries({ ...workload.annotations, ...changed }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return { ...workload, resourceVersion, annotations: Object.fromEntries(annotations) };
}

interface FreshMetadata {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

function metadataOf(object: unknown): FreshMetadata | undefined {
  return (object as { readonly metadata?: FreshMetadata } | undefined)?.metadata;
}
