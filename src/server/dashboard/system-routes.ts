import type { Request } from 'express';
import type { Scope } from '../../core/access/scope.ts';
import { addressGroup } from '../../runtime/clients/address-group.ts';
import type { Operations } from '../../apis/http/types.generated.ts';
import type { ApiRouter } from '../api-router.ts';
import { docsPage } from '../docs/docs-page.ts';
import { contentSecurityPolicy } from '../guards/security-headers.ts';
import { DASHBOARD_API } from '../openapi/document.ts';
import { openApiDescription } from '../openapi/api-document.ts';
import { FixedText } from '../fixed-text.ts';
import type { EventStreams } from '../stream/event-stream.ts';
import { STREAM_TOPICS } from '../stream/topics/index.ts';

interface SystemDependencies {
  readonly streams: EventStreams;
  readonly version: string;
  /** The scope that a stream's request has now; null: its credential is no longer valid. */
  readonly currentScope: (request: Request, opened: Scope) => Promise<Scope | null>;
}

/** Serves the OpenAPI description, its reference page and the event stream. */
export function systemRoutes(api: ApiRouter<Operations>, { streams, version, currentScope }: SystemDependencies): void {
  const json = new FixedText('application/json; charset=utf-8', JSON.stringify(openApiDescription(DASHBOARD_API, version), null, 1));
  api.raw('getOpenApi', ({ http }, response) => json.send(http, response));

  const { html, styleHash } = docsPage(DASHBOARD_API, version);
  const docs = new FixedText('text/html; charset=utf-8', html);
  api.raw('getDocs', ({ http }, response) => {
    response.setHeader('Content-Security-Policy', contentSecurityPolicy(styleHash));
    docs.send(http, response);
  });

  api.raw('stream', ({ http, query, scope, address }, response) => {
    const lastEventId = http.get('last-event-id') ?? query.lastEventId ?? null;
    const client = addressGroup(address);
    streams.open(response, {
      topics: new Set(query.topic ?? STREAM_TOPICS.map(({ name }) => name)),
      scope,
      lastEventId,
      client,
      currentScope: () => currentScope(http, scope),
    });
  });
}
