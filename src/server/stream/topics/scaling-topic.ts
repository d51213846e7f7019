import type { Recommendation } from '../../../apis/http/types.generated.ts';
import type { ChangeSource } from '../../../application/index.ts';
import { parseWorkloadKey, type WorkloadKey } from '#kube/records/workload';
import type { TimelineEntry, TimelineObject } from '../../../ports/store/timeline.ts';
import { type StreamTopic, type TopicEvent, type TopicFeed, VIEWER_OF_GRANTED } from './topic.ts';

/** An object of the timeline, of any kind; namespace null: cluster-scoped. */
type ScaledObject = TimelineObject & Pick<TimelineEntry, 'namespace'>;

export const SCALING_TOPIC: StreamTopic = {
  name: 'scaling',
  description:
    'contains `{ objects }`, each `{ namespace, kind, name }` of any kind, with new entries in `GET /scaling`; cluster-scoped ones only for admins',
  requires: VIEWER_OF_GRANTED,
  openFeed: (sources) => new ScalingFeed(sources),
};

/**
 * Objects with new timeline entries. A process reports the entries that it appends itself; other replicas detect the leader's changes by
 * the workload's recommendation.
 */
class ScalingFeed implements TopicFeed {
  /** Applied state of each workload at the last collection. */
  readonly #inForce = new Map<WorkloadKey, string>();
  readonly #recorded = new Map<string, ScaledObject>();
  readonly #unsubscribe: () => void;

  constructor(sources: ChangeSource) {
    this.#unsubscribe = sources.onTimelineEntry(({ namespace, object: { kind, name } }) => {
      this.#recorded.set(`${namespace ?? ''}/${kind}/${name}`, { namespace, kind, name });
    });
  }

  remember(): void {
    // It publishes workloads alone.
  }

  rememberWorkload(key: WorkloadKey, record: Recommendation): void {
    this.#inForce.set(key, inForce(record));
  }

  observeWorkload(key: WorkloadKey, record: Recommendation | undefined): void {
    if (record === undefined) {
      this.#inForce.delete(key);
      return;
    }
    const [before, now] = [this.#inForce.get(key), inForce(record)];
    this.#inForce.set(key, now);
    if (before !== undefined && before !== now) this.#recorded.set(key, parseWorkloadKey(key));
  }

  mark(): void {
    // The hub marks the workloads that a change affects.
  }

  collect(): TopicEvent | null {
    const objects = [...this.#recorded.values()];
    this.#recorded.clear();
    return objects.length === 0 ? null : scalingEvent(objects);
  }

  close(): void {
    this.#unsubscribe();
    this.#inForce.clear();
    this.#recorded.clear();
  }
}

function scalingEvent(objects: readonly ScaledObject[]): TopicEvent {
  return {
    records: 0,
    dataFor: (scope) => {
      const granted = objects.filter(({ namespace }) => (namespace === null ? scope.admin : scope.canView(namespace)));
      return granted.length === 0 ? null : { objects: granted };
    },
  };
}

/** The scaled properties: applied values, replicas and autoscaler targets, as visible to every replica. */
function inForce({ appliedAt, replicas, hpa }: Recommendation): string {
  return JSON.stringify([appliedAt, replicas, hpa?.cpuTargetRatio, hpa?.memoryTargetRatio, hpa?.minReplicas, hpa?.maxReplicas]);
}
