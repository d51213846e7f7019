import type { ReadModels } from '../../queries/read-models.ts';
import { addressGroup } from '../../runtime/clients/address-group.ts';
import type { ApiRouter } from '../api-router.ts';
import { docsPage } from '../docs/docs-page.ts';
import { contentSecurityPolicy } from '../guards/security-headers.ts';
import { STREAM_TOPICS } from '../openapi/system-section.ts';
import { list, one } from '../reply.ts';
import { FixedText } from '../fixed-text.ts';
import type { EventStreams } from '../stream/event-stream.ts';

/** Health, mode, the description and its page, the stream. */
export function systemRoutes(
  api: ApiRouter,
  { system }: ReadModels,
  parts: { readonly streams: EventStreams; readonly description: Readonly<Record<string, unknown>> },
): void {
  api.on('listHealth', ({ scope, query }) => list(system.health(scope, query)));
  api.on('getMode', () => one<'getMode'>(system.mode()));

  const json = new FixedText('application/json; charset=utf-8', JSON.stringify(parts.description, null, 1));
  api.raw('getOpenApi', ({ http }, response) => json.send(http, response));

  const { html, styleHash } = docsPage(parts.description);
  const docs = new FixedText('text/html; charset=utf-8', html);
  api.raw('getDocs', ({ http }, response) => {
    response.setHeader('Content-Security-Policy', contentSecurityPolicy(styleHash));
    docs.send(http, response);
  });

  api.raw('stream', ({ http, query, scope, address }, response) => {
    const lastEventId = http.get('last-event-id') ?? query.lastEventId ?? null;
    const client = addressGroup(address);
    parts.streams.open(response, { topics: new Set(query.topic ?? STREAM_TOPICS), scope, lastEventId, client });
  });
}
