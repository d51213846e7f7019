import { CLUSTER_TOPIC } from './cluster-topic.ts';
import { RECOMMENDATIONS_TOPIC } from './recommendations-topic.ts';
import { SCALING_TOPIC } from './scaling-topic.ts';
import type { StreamTopic } from './topic.ts';

export type { StreamTopic, TopicEvent, TopicFeed } from './topic.ts';

/** All stream topics, in the order in which changes of one tick are sent. */
export const STREAM_TOPICS: readonly StreamTopic[] = [CLUSTER_TOPIC, RECOMMENDATIONS_TOPIC, SCALING_TOPIC];
