import type { Recommendation } from '../../../apis/http/types.generated.ts';
import { fnv1a } from '#kube/fnv1a';
import { parseWorkloadKey, type WorkloadKey, type WorkloadRef } from '#kube/records/workload';
import { type StreamTopic, type TopicEvent, type TopicFeed, VIEWER_OF_GRANTED } from './topic.ts';

export const RECOMMENDATIONS_TOPIC: StreamTopic = {
  name: 'recommendations',
  description: 'contains `{ changed, removed }`',
  requires: VIEWER_OF_GRANTED,
  openFeed: () => new RecommendationsFeed(),
};

/** Length of a text in the fingerprint. */
const LENGTH_RADIX = 2 ** 32;

class RecommendationsFeed implements TopicFeed {
  /** Fingerprints of the published records; their texts would take 30 MB for 20,000 workloads. */
  readonly #published = new Map<WorkloadKey, number>();
  #changed: Recommendation[] = [];
  #removed: WorkloadRef[] = [];

  remember(): void {
    // It publishes workloads alone.
  }

  rememberWorkload(key: WorkloadKey, record: Recommendation): void {
    this.#published.set(key, fingerprint(record));
  }

  observeWorkload(key: WorkloadKey, record: Recommendation | undefined): void {
    if (record === undefined) {
      if (this.#published.delete(key)) this.#removed.push(parseWorkloadKey(key));
      return;
    }
    const after = fingerprint(record);
    if (this.#published.get(key) === after) return;
    this.#published.set(key, after);
    this.#changed.push(record);
  }

  mark(): void {
    // The hub marks the workloads that a change affects.
  }

  collect(): TopicEvent | null {
    const [changed, removed] = [this.#changed, this.#removed];
    this.#changed = [];
    this.#removed = [];
    return changed.length + removed.length === 0 ? null : recommendationsEvent(changed, removed);
  }

  close(): void {
    this.#published.clear();
  }
}

/** Equal records have equal ones; different records too with a probability of one in four billion, and then an event is missing. */
function fingerprint(record: Recommendation): number {
  const text = JSON.stringify(record);
  return text.length * LENGTH_RADIX + fnv1a(text);
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
