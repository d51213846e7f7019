import type { ChangeSource } from '../../../application/index.ts';
import { ADMIN } from '../../../core/access/requirement.ts';
import type { Instant } from '#kube/units';
import type { ClusterChange } from '../../../ports/cluster/cluster-reader.ts';
import type { StreamTopic, TopicEvent, TopicFeed } from './topic.ts';

/** Interval of reading the cluster record without changes, since it contains the age of its sources. */
const SILENCE_MS = 15_000;

export const CLUSTER_TOPIC: StreamTopic = {
  name: 'cluster',
  description: 'contains the cluster record, only for admins',
  requires: ADMIN,
  openFeed: (sources) => new ClusterFeed(sources),
};

class ClusterFeed implements TopicFeed {
  readonly #sources: ChangeSource;
  #isDirty = false;
  #published = '';
  #usageAt: Instant | null = null;
  #readAtMs: Instant = 0;

  constructor(sources: ChangeSource) {
    this.#sources = sources;
  }

  remember(nowMs: Instant): void {
    this.#published = JSON.stringify(this.#sources.cluster());
    this.#readAtMs = nowMs;
  }

  mark(change: ClusterChange): void {
    // Records do not contain them; their effects are changes of recommendations.
    this.#isDirty ||= change.kind !== 'vpa' && change.kind !== 'scaledobject';
  }

  collect(nowMs: Instant): TopicEvent | null {
    const usageAt = this.#sources.usageConfirmedAt();
    const silent = nowMs - this.#readAtMs >= SILENCE_MS;
    if (!this.#isDirty && usageAt === this.#usageAt && !silent) return null;
    this.#isDirty = false;
    this.#readAtMs = nowMs;
    this.#usageAt = usageAt;
    const record = this.#sources.cluster();
    const text = JSON.stringify(record);
    if (text === this.#published) return null;
    this.#published = text;
    return { records: 0, dataFor: () => record };
  }

  close(): void {
    this.#published = '';
  }
}
