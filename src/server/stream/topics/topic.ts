import type { ChangeSource } from '../../../application/index.ts';
import type { Requirement } from '../../../core/access/requirement.ts';
import type { Scope } from '../../../core/access/scope.ts';
import type { Instant } from '#kube/units';
import type { ClusterChange } from '../../../ports/cluster-reader.ts';

/** The payload of one event, kept for listeners that reconnect. */
export interface TopicEvent {
  /** Recommendations that it keeps in memory. */
  readonly records: number;
  /** The event's data, restricted to what the scope allows; null: nothing of it, so no event is sent. */
  dataFor(scope: Scope): unknown;
}

/** Collects one topic's changes while the hub has listeners. */
export interface TopicFeed {
  /** Takes the current state as published: listeners read everything before they follow changes. Not called before the caches have synced. */
  remember(nowMs: Instant): void;
  mark(change: ClusterChange): void;
  /** What changed since the last call; null: nothing. */
  collect(nowMs: Instant): TopicEvent | null;
  close(): void;
}

/** One topic of the stream. The hub, the authorization of listeners, the OpenAPI enum and its description derive from the list of these. */
export interface StreamTopic {
  readonly name: string;
  /** For the API reference: what an event holds. */
  readonly description: string;
  /** Who receives its events at all; `TopicEvent.dataFor` restricts each of them to the granted namespaces. */
  readonly requires: Requirement<TopicEvent>;
  openFeed(sources: ChangeSource): TopicFeed;
}

/** Any grant: each event holds the granted part alone. */
export const VIEWER_OF_GRANTED = { who: 'viewer', namespaces: (): readonly string[] => [] } as const;
