import type { OperationSpec } from '../operation.ts';
import { enumFilter } from '../parameters.ts';
import { STREAM_TOPICS, type StreamTopic } from '../../stream/topics/index.ts';
import { anyObject, array, boolean, map, nullable, number, object, oneOf, ref, string, time, type Schema } from '../schema.ts';

export const SYSTEM_SCHEMAS: Readonly<Record<string, Schema>> = {
  HealthCheck: object({
    name: string(),
    status: oneOf(['ok', 'degraded', 'failed']),
    message: string('The problem and its effect; without object names for callers who are not admins.'),
    since: nullable(time('Start of the current status.')),
    latencyMs: nullable(number()),
  }),
  Mode: object({
    mode: oneOf(['active', 'dry-run', 'paused']),
    pause: nullable(
      object(
        { reason: string(), until: nullable(time('End of the pause; null: until the ConfigMap is deleted.')) },
        'The pause by the ConfigMap evenkeel-pause; null: none.',
      ),
    ),
    dryRun: object({ controller: boolean(), autoscaler: boolean() }),
    leader: nullable(string('Holder of the leader lease; null: none.')),
    version: string(),
    features: map(boolean(), 'Enabled features of the dashboard.'),
    auth: object({ enabled: boolean(), providers: array(string()) }),
    clusterName: string(),
  }),
};

export const SYSTEM_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listHealth',
    method: 'get',
    path: '/health',
    tag: 'System',
    title: 'Health checks of Evenkeel',
    description:
      'API server, each informer (its objects, restarts and the time of its last event), usage source, price source, store, leader election. Also answered before the caches have synced.',
    beforeReady: true,
    list: {
      defaultSort: 'name',
      namespaced: false,
      filters: [enumFilter('status', ['ok', 'degraded', 'failed'], 'Only checks in this state.')],
    },
    answer: { status: 200, description: 'Checks.', data: array(ref('HealthCheck')) },
  },
  {
    id: 'getMode',
    method: 'get',
    path: '/mode',
    tag: 'System',
    title: 'Mode of the controller and enabled features',
    beforeReady: true,
    answer: { status: 200, description: 'The mode.', data: ref('Mode') },
  },
  {
    id: 'getOpenApi',
    method: 'get',
    path: '/openapi.json',
    tag: 'System',
    title: 'This description',
    access: 'identified',
    beforeReady: true,
    answer: { status: 200, description: 'OpenAPI 3.1.', data: anyObject(), raw: 'application/json' },
  },
  {
    id: 'getDocs',
    method: 'get',
    path: '/docs',
    tag: 'System',
    title: 'This description as a web page',
    access: 'identified',
    beforeReady: true,
    answer: { status: 200, description: 'A page.', data: string(), raw: 'text/html' },
  },
  streamOperation(STREAM_TOPICS),
];

/** The stream operation for these topics. */
export function streamOperation(topics: readonly StreamTopic[]): OperationSpec {
  const names = topics.map(({ name }) => name);
  const events = topics.map(({ name, description }) => `Event \`${name}\` ${description}.`).join(' ');
  return {
    id: 'stream',
    method: 'get',
    path: '/stream',
    tag: 'System',
    title: 'Live changes (Server-Sent Events)',
    description: `${events} Each has an id: \`Last-Event-ID\` (header or parameter \`lastEventId\`) resumes after it. Where it is too old the first event is \`reset\`, and clients must read everything again. A comment every 15 s keeps the connection alive.`,
    access: 'viewer',
    parameters: [
      {
        name: 'topic',
        in: 'query',
        description: 'Topics to subscribe to; omitted: all. Repeatable.',
        schema: array(oneOf(names), undefined, { maxItems: 10 }),
      },
      { name: 'lastEventId', in: 'query', description: 'Same as header Last-Event-ID.', schema: string(undefined, { maxLength: 100 }) },
    ],
    answer: { status: 200, description: 'A stream.', data: string(), raw: 'text/event-stream' },
  };
}
