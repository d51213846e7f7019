import type { Recommendation } from '../../../apis/http/types.generated.ts';
import type { ChangeSource } from '../../../application/index.ts';
import { parseWorkloadKey, type WorkloadKey, type WorkloadRef } from '#kube/records/workload';
import type { ClusterChange } from '../../../ports/cluster/cluster-reader.ts';
import { DirtyWorkloads } from './dirty-workloads.ts';
import { type StreamTopic, type TopicEvent, type TopicFeed, VIEWER_OF_GRANTED } from './topic.ts';

export const RECOMMENDATIONS_TOPIC: StreamTopic = {
  name: 'recommendations',
  description: 'contains `{ changed, removed }`',
  requires: VIEWER_OF_GRANTED,
  openFeed: (sources) => new RecommendationsFeed(sources),
};

class RecommendationsFeed implements TopicFeed {
  readonly #sources: ChangeSource;
  readonly #dirty = new DirtyWorkloads(true);
  readonly #published = new Map<WorkloadKey, string>();

  constructor(sources: ChangeSource) {
    this.#sources = sources;
  }

  remember(): void {
    this.#dirty.clear();
    for (const key of this.#sources.workloadKeys()) {
      const record = this.#sources.recommendation(key);
      if (record !== undefined) this.#published.set(key, JSON.stringify(record));
    }
  }

  mark(change: ClusterChange): void {
    this.#dirty.mark(change);
  }

  collect(): TopicEvent | null {
    const changed: Recommendation[] = [];
    const removed: WorkloadRef[] = [];
    for (const key of this.#dirty.take(() => [...this.#published.keys(), ...this.#sources.workloadKeys()])) {
      const record = this.#sources.recommendation(key);
      if (record === undefined) {
        if (this.#published.delete(key)) removed.push(parseWorkloadKey(key));
        continue;
      }
      const text = JSON.stringify(record);
      if (this.#published.get(key) === text) continue;
      this.#published.set(key, text);
      changed.push(record);
    }
    return changed.length + removed.length === 0 ? null : recommendationsEvent(changed, removed);
  }

  close(): void {
    this.#published.clear();
  }
}

function recommendationsEvent(changed: readonly Recommendation[], removed: readonly WorkloadRef[]): TopicEvent {
  return {
    records: changed.length,
    dataFor: (scope) => {
      const isGranted = ({ namespace }: WorkloadRef): boolean => scope.canView(namespace);
      const granted = { changed: changed.filter(isGranted), removed: removed.filter(isGranted) };
      return granted.changed.length + granted.removed.length === 0 ? null : granted;
    },
  };
}
