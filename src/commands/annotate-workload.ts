// A person's word on one workload, as annotations: decided from the workload as it stands, written only if it still stands so.

import type { WorkloadRecord } from '#kube/records/workload';
import { workloadKey, workloadPath } from '#kube/records/workload';
import type { Instant } from '#kube/units';
import { fingerprintIntent } from '../core/overrides/intent.ts';
import type { WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import type { WriteOutcome } from '../ports/writers.ts';
import type { AuditEntry } from './audit.ts';
import { applyDryRun, FIELD_MANAGER, type Caller, type CommandPorts } from './context.ts';
import { findTarget } from './find-target.ts';
import { IDEMPOTENCY_ANNOTATION, KEY_OF_ANOTHER, meaningOfKey, withKey } from './idempotency.ts';
import { writeGuarded } from './guarded-write.ts';
import { MOVED_ON, type CommandOutcome, type CommandRefusal } from './outcome.ts';

/** What a change comes to on a workload as it stands. */
export type AnnotationPlan =
  | {
      readonly kind: 'write';
      /** null removes one. */
      readonly annotations: Readonly<Record<string, string | null>>;
      readonly audit: Pick<AuditEntry, 'action' | 'eventReason' | 'message' | 'before' | 'after'>;
    }
  /** It stands there already. */
  | { readonly kind: 'same' }
  | CommandRefusal;

export interface AnnotationChange {
  /** Repeats of a key are told apart by it. */
  readonly action: string;
  /** It changes what runs, so that it is only validated in a dry run. */
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
  known: WorkloadRecord,
  change: AnnotationChange,
): Promise<CommandOutcome<WorkloadRecord>> {
  const { apiVersion, kind, namespace, name, uid } = observed;
  const subject = { apiVersion, kind, namespace, name, uid };
  const now = ports.clock.now();
  return writeGuarded(ports, caller, observed, {
    object: `${kind} ${name}`,
    logName: `${namespace}/${name}`,
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
      return caller.unmoved === true && intentOf(fresh.annotations) !== intentOf(workload.annotations)
        ? MOVED_ON
        : { kind: 'read', object: fresh };
    },
  });
}

/** Refuses overrides that the policy named; what is there already is not. */
function planOf(ports: CommandPorts, change: AnnotationChange, workload: WorkloadRecord, now: Instant): AnnotationPlan {
  const plan = change.decide(workload, now);
  if (plan.kind !== 'write') return plan;
  const before = ports.wideningOf(workload)?.overrides ?? [];
  const after = ports.wideningOf(annotated(workload, plan.annotations, undefined));
  const added = after?.overrides.filter((each) => !before.includes(each)) ?? [];
  if (after === null || added.length === 0) return plan;
  return {
    kind: 'conflict',
    message: `PodResizePolicy ${after.policy} takes only overrides that are stricter than itself (spec.workloadOverrides): ${added.join('; ')}.`,
  };
}

/** Seen once the informers tell of another version than those that were decided from, or of the very annotations. */
function recordWritten(
  ports: CommandPorts,
  { dryRun }: Caller,
  decidedFrom: readonly [known: WorkloadRecord, fresh: WorkloadRecord],
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

/** Guarded by the version that was decided from: what another has written meanwhile is never lost. */
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
 * The workload as the server has it: informers may be a moment behind. An empty patch in a dry run answers the object, and
 * asks for no permission besides that to annotate. null where it is gone, or replaced
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
