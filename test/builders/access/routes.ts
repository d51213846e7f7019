// Every route of the server, from the description of its API, its stream topics and its page.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DASHBOARD_API } from '../../../src/server/openapi/document.ts';
import type { Operation } from '../../../src/server/openapi/operation.ts';
import { STREAM_TOPICS } from '../../../src/server/stream/topics/index.ts';

/** A row of the access test. */
export interface AccessRoute {
  /** Unique: `GET /pods` of the API, `GET :9090/` outside of it. */
  readonly title: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  /** Query that the row always has. */
  readonly query: string;
  /** null: outside the API. */
  readonly operation: Operation | null;
  readonly form: 'json' | 'csv' | 'raw' | 'stream' | 'page' | 'not served';
}

/** Pages for browsers, outside the API. A test compares them with what the server routes. */
function routedPages(): readonly (readonly [method: string, path: string])[] {
  const folder = join(import.meta.dirname, '../../../src/server');
  const routers = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('-routes.ts'));
  const pages = routers.flatMap((path) => [...readFileSync(join(folder, path), 'utf8').matchAll(/\brouter\.(get|post)\('([^']+)'/g)]);
  return [...pages.map(([, method = '', path = '']) => [method.toUpperCase(), path] as const), ['GET', '/assets/{path}']];
}

/** Paths of the metrics and probe listeners, which have ports of their own: the dashboard's port serves none of them. */
const OTHER_PORTS = ['/metrics', '/healthz', '/readyz'];

export function accessRoutes(): readonly AccessRoute[] {
  return [
    ...DASHBOARD_API.operations.flatMap(routesOf),
    ...routedPages().map(([method, path]): AccessRoute => ({
      ...{ title: `${method} :9090${path}`, method, path, query: '', operation: null, form: 'page' },
    })),
    ...[...OTHER_PORTS, `${DASHBOARD_API.basePath}/no-such-path`].map((path): AccessRoute => ({
      title: `GET :9090${path}`,
      method: 'GET',
      path,
      query: '',
      operation: null,
      form: 'not served',
    })),
  ];
}

function routesOf(operation: Operation): readonly AccessRoute[] {
  const method = operation.method.toUpperCase();
  const title = `${method} ${operation.path}`;
  const route: AccessRoute = { title, method, path: `${DASHBOARD_API.basePath}${operation.path}`, query: '', operation, form: 'json' };
  if (operation.answer.raw === 'text/event-stream') {
    return STREAM_TOPICS.map(({ name }) => ({ ...route, title: `${title}?topic=${name}`, query: `topic=${name}`, form: 'stream' }));
  }
  if (operation.answer.raw !== undefined) return [{ ...route, form: 'raw' }];
  if (operation.list === undefined) return [route];
  return [route, { ...route, title: `${title}?format=csv`, query: 'format=csv', form: 'csv' }];
}
