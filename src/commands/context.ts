import type { ResizeMode } from '../apis/conditions.ts';
import type { PodResizePolicy } from '../apis/v1alpha1/index.ts';
import type { PodTool } from '../core/access/requirement.ts';
import type { Scope } from '../core/access/scope.ts';
import type { WorkloadRecord } from '#kube/records/workload';
import type { AccessStore } from '../ports/access-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClusterReader } from '../ports/cluster/cluster-reader.ts';
import type { EventRecorder } from '../ports/cluster/event-recorder.ts';
import type { Logger } from '../ports/logger.ts';
import type { RecordSigner } from '../ports/record-signer.ts';
import type { CallTrail } from './call-trail.ts';
import type { RecordWriter } from '../ports/cluster/writers.ts';

/** The ports of commands. Commands write user requests; only the leader carries them out. */
export interface CommandPorts {
  readonly clock: Clock;
  readonly cluster: ClusterReader;
  /** The mode in force; a request without effect in it is refused. */
  modeOf(workload: WorkloadRecord): ResizeMode;
  /** Why every request for a workload or a bare pod is refused (its namespace is reserved or excluded); null where requests are allowed. */
  protectionOf(object: Pick<WorkloadRecord, 'namespace' | 'kind' | 'labels'>): string | null;
  /** Whether a policy selects only reserved namespaces, so that no cycle of it is triggered. */
  isProtectedPolicy(policy: PodResizePolicy): boolean;
  /** Whether a tool that accesses running pods is enabled. */
  readonly isEnabled: (tool: PodTool) => boolean;
  /** Whether the setting, or the workload's policy with its overrides, is in dry run. */
  isDryRun(workload: WorkloadRecord): boolean;
  /** Whether the setting, or the policy with its overrides, is in dry run. */
  isDryRunPolicy(policy: PodResizePolicy): boolean;
  /** The policy that accepts only stricter overrides, and the workload's overrides that are wider; null where none is. */
  wideningOf(workload: WorkloadRecord): { readonly policy: string; readonly overrides: readonly string[] } | null;
  /** Grants and API keys; null while authentication is off. */
  readonly access: AccessStore | null;
  /** Uniform integer from 0 to below its argument, from a cryptographic source. */
  readonly draw: (below: number) => number;
  readonly records: RecordWriter;
  readonly signer: RecordSigner;
  /** Called for every write, with a predicate that returns whether the informers show it. Absent where no response waits for it. */
  written?(isObserved: () => boolean): void;
  readonly events: EventRecorder;
  /** Lines with the message `audit` are the audit log. */
  readonly logger: Logger;
}

/** The caller of a command, with the options of its request. */
export interface Caller {
  readonly scope: Scope;
  readonly requestId: string;
  readonly address: string;
  readonly dryRun: boolean;
  /** A request with the same key for the same object within 24 hours is not repeated; null where the request has none. */
  readonly idempotencyKey: string | null;
  /** Hash of the body, because another body under the same key is another request. Absent where it is not compared. */
  readonly bodyHash?: string;
  /** Whether the command is conditional: it is refused where the object has changed since it was read. */
  readonly unmoved?: boolean;
  /** The access events of the call. Absent where none are recorded. */
  readonly trail?: CallTrail;
}

/**
 * Turns a command that changes pods into a dry run where the workload is in one: it is validated and not stored, because a stored request
 * would be carried out once the dry run ends. Commands that set rules (bounds, mode, exclusion) are stored.
 */
export function applyDryRun(ports: CommandPorts, caller: Caller, workload: WorkloadRecord): Caller {
  return caller.dryRun || !ports.isDryRun(workload) ? caller : { ...caller, dryRun: true };
}

/** Field manager of user requests through the API. */
export const FIELD_MANAGER = 'evenkeel-dashboard';

/** Reasons of the Events that commands record on their objects. */
export const COMMAND_EVENT = {
  approved: 'Approved',
  rejected: 'Rejected',
  rollbackRequested: 'RollbackRequested',
  modeSet: 'ModeSet',
  held: 'Held',
  holdEnded: 'HoldEnded',
  wakeRequested: 'WakeRequested',
  cycleTriggered: 'CycleTriggered',
  overrideSet: 'OverrideSet',
  overrideRemoved: 'OverrideRemoved',
  exclusionSet: 'ExclusionSet',
  resetRequested: 'ResetRequested',
  annotationsStripped: 'AnnotationsStripped',
  recommendationDeleted: 'RecommendationDeleted',
  apiKeyCreated: 'ApiKeyCreated',
  apiKeyRevoked: 'ApiKeyRevoked',
  accessPolicyChanged: 'AccessPolicyChanged',
  accessRequested: 'AccessRequested',
  accessRequestApproved: 'AccessRequestApproved',
  accessRequestDenied: 'AccessRequestDenied',
} as const;
