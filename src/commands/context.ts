import type { ResizeMode } from '../apis/conditions.ts';
import type { PodResizePolicy } from '../apis/v1alpha1/index.ts';
import type { PodTool } from '../core/access/requirement.ts';
import type { Scope } from '../core/access/scope.ts';
import type { WorkloadRecord } from '#kube/records/workload';
import type { Clock } from '../ports/clock.ts';
import type { ClusterReader } from '../ports/cluster-reader.ts';
import type { EventRecorder } from '../ports/event-recorder.ts';
import type { Logger } from '../ports/logger.ts';
import type { RecordSigner } from '../ports/record-signer.ts';
import type { RecordWriter } from '../ports/writers.ts';

/** What every command acts through. It writes intent; only the leader acts on it. */
export interface CommandPorts {
  readonly clock: Clock;
  readonly cluster: ClusterReader;
  /** The mode in force: what a person asks for must have an effect in it. */
  modeOf(workload: WorkloadRecord): ResizeMode;
  /** Why nothing is asked of a workload, or of a single pod, for anyone, in a sentence: its namespace is reserved or excluded; null: it may be. */
  protectionOf(object: Pick<WorkloadRecord, 'namespace' | 'kind' | 'labels'>): string | null;
  /** Whether a policy selects only reserved namespaces, so that no cycle of it is triggered. */
  isProtectedPolicy(policy: PodResizePolicy): boolean;
  /** Whether a tool that reaches into running pods is switched on. */
  readonly isEnabled: (tool: PodTool) => boolean;
  /** Whether changes of a workload are validated and not carried out now: by the setting, or by its policy with the overrides. */
  isDryRun(workload: WorkloadRecord): boolean;
  /** The same of all that one policy governs. */
  isDryRunPolicy(policy: PodResizePolicy): boolean;
  /** The policy that takes only stricter overrides, and what the workload's annotations ask for beyond it; null: nothing. */
  wideningOf(workload: WorkloadRecord): { readonly policy: string; readonly overrides: readonly string[] } | null;
  readonly records: RecordWriter;
  readonly signer: RecordSigner;
  /** Told of every write that was carried out, with how to know that the informers have told of it. Left out: nobody waits. */
  written?(isSeen: () => boolean): void;
  readonly events: EventRecorder;
  /** Lines with the message `audit` are the trail of who asked for what. */
  readonly logger: Logger;
}

/** Who asks, and how. */
export interface Caller {
  readonly scope: Scope;
  readonly requestId: string;
  readonly address: string;
  readonly dryRun: boolean;
  /** The same key on the same object within 24 hours is not carried out twice; null: none given. */
  readonly idempotencyKey: string | null;
  /** Tells what came with the key: another body is another request. Left out: nobody looks. */
  readonly bodyHash?: string;
  /** Write only if the object is unchanged since it was read: a change meanwhile is refused, not decided again. */
  readonly unmoved?: boolean;
}

/**
 * The caller of a command that changes the workload itself, asking for a dry run where the workload is in one. Such a command is
 * then validated and not stored: a stored request would be carried out when the dry run ends. Commands that state rules (bounds,
 * mode, exclusion) are stored.
 */
export function applyDryRun(ports: CommandPorts, caller: Caller, workload: WorkloadRecord): Caller {
  return caller.dryRun || !ports.isDryRun(workload) ? caller : { ...caller, dryRun: true };
}

/** Field manager of what a person states through the dashboard. */
export const FIELD_MANAGER = 'evenkeel-dashboard';

/** Reasons of the Kubernetes Events that commands leave on their object. */
export const COMMAND_EVENT = {
  approved: 'Approved',
  rejected: 'Rejected',
  rollbackRequested: 'RollbackRequested',
  modeSet: 'ModeSet',
  wakeRequested: 'WakeRequested',
  cycleTriggered: 'CycleTriggered',
  overrideSet: 'OverrideSet',
  overrideRemoved: 'OverrideRemoved',
  exclusionSet: 'ExclusionSet',
  resetRequested: 'ResetRequested',
  annotationsStripped: 'AnnotationsStripped',
  recommendationDeleted: 'RecommendationDeleted',
} as const;
