import type { Recommendation } from '../../../apis/http/types.generated.ts';
import type { ChangeSource } from '../../../application/index.ts';
import type { Requirement } from '../../../core/access/requirement.ts';
import type { Scope } from '../../../core/access/scope.ts';
import type { Instant } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import type { ClusterChange } from '../../../ports/cluster/cluster-reader.ts';

/** Payload of an event, stored for clients that reconnect. */
export interface TopicEvent {
  /** Number of recommendations in it. */
  readonly records: number;
  /** Data of the event that the scope may see; null: none, so no event is sent. */
  dataFor(scope: Scope): unknown;
}

/** Collects changes of one topic while the hub runs. */
export interface TopicFeed {
  /**
   * Records the current state as published: listeners read everything before they follow changes. Not called before the caches have synced.
   */
  remember(nowMs: Instant): void;
  /** Records the state of a workload as published. */
  rememberWorkload?(key: WorkloadKey, record: Recommendation): void;
  /** The state of a workload that may have changed; undefined: it does not exist. */
  observeWorkload?(key: WorkloadKey, record: Recommendation | undefined): void;
  /** Marks what a change of the cluster affects. */
  mark(change: ClusterChange): void;
  /** Changes since the last call, of the workloads observed since; null: none. */
  collect(nowMs: Instant): TopicEvent | null;
  close(): void;
}

/** A stream topic. The hub, authorization, the OpenAPI enum and the description derive from the list of topics. */
export interface StreamTopic {
  readonly name: string;
  /** Content of an event, for the API reference. */
  readonly description: string;
  /** Access required to receive its events; `TopicEvent.dataFor` restricts each to the granted namespaces. */
  readonly requires: Requirement<TopicEvent>;
  openFeed(sources: ChangeSource): TopicFeed;
}

/** Requires any grant: each event contains only the granted part. */
export const VIEWER_OF_GRANTED = { who: 'viewer', namespaces: (): readonly string[] => [] } as const;
