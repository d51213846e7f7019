import type { OperationSpec } from './operation.ts';
import { enumFilter } from './parameters.ts';
import { STREAM_TOPICS, type StreamTopic } from '../stream/topics/index.ts';
import { anyObject, array, boolean, map, nullable, number, object, oneOf, ref, string, time, type Schema } from './schema.ts';

export const SYSTEM_SCHEMAS: Readonly<Record<string, Schema>> = {
  HealthCheck: object({
    name: string(),
    status: oneOf(['ok', 'degraded', 'failed']),
    message: string('What is wrong and what follows from it; for callers that are not admins without names of objects.'),
    since: nullable(time('Since when it is so.')),
    latencyMs: nullable(number()),
  }),
  Mode: object({
    mode: oneOf(['active', 'dry-run', 'paused']),
    dryRun: object({ controller: boolean(), autoscaler: boolean() }),
    leader: nullable(string('Who holds the lease; null where nobody does.')),
    version: string(),
    features: map(boolean(), 'Parts of the dashboard that are switched on.'),
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
    title: 'Checks of the system itself',
    description:
      'API server, each informer (its objects, restarts and the time of its last event), usage source, price source, store, leader election. Answers before the caches have synced too.',
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
    title: 'Mode of the controller and what is switched on',
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
    title: 'This description, to read',
    access: 'identified',
    beforeReady: true,
    answer: { status: 200, description: 'A page.', data: string(), raw: 'text/html' },
  },
  streamOperation(STREAM_TOPICS),
];

/** The stream of these topics. */
export function streamOperation(topics: readonly StreamTopic[]): OperationSpec {
  const names = topics.map(({ name }) => name);
  const events = topics.map(({ name, description }) => `Event \`${name}\` ${description}.`).join(' ');
  return {
    id: 'stream',
    method: 'get',
    path: '/stream',
    tag: 'System',
    title: 'Changes as they happen (Server-Sent Events)',
    description: `${events} Each has an id: \`Last-Event-ID\` (the header, or the parameter of that name) resumes after it; where that is too long ago the first event is \`reset\`, and everything is to be read again. A comment every 15 s keeps the connection alive.`,
    access: 'viewer',
    parameters: [
      {
        name: 'topic',
        in: 'query',
        description: 'What to hear of; left out: everything. Repeatable.',
        schema: array(oneOf(names), undefined, { maxItems: 10 }),
      },
      { name: 'lastEventId', in: 'query', description: 'As the header Last-Event-ID.', schema: string(undefined, { maxLength: 100 }) },
    ],
    answer: { status: 200, description: 'A stream.', data: string(), raw: 'text/event-stream' },
  };
}
