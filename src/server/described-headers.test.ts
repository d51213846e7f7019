// Response headers match the description, and only described request headers are read.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { openApiDescription } from './openapi/api-document.ts';
import { DASHBOARD_API, OPERATIONS } from './openapi/document.ts';

interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters: readonly { readonly name: string }[]; readonly responses: Responses }>>>
  >;
}
type Responses = Readonly<Record<string, { readonly headers?: Readonly<Record<string, unknown>> }>>;

const described = openApiDescription(DASHBOARD_API, '1') as unknown as Described;

let client: DashboardClient;
beforeEach(async () => {
  client = await startDashboard(dashboardWorld());
});
afterEach(() => client.close());

const nameOf = (path: string): string => (path.startsWith('/nodes') ? 'n-1' : path.startsWith('/policies') ? 'shop' : 'web');
const pathOf = (path: string): string =>
  `/api/v1${path.replace('{ns}', 'shop').replace('{kind}', 'PodResizePolicy').replace('{name}', nameOf(path))}`;
/** Without those that need a session, which no caller has while authentication is off. */
const reads = OPERATIONS.filter(({ access }) => access !== 'admin-session')
  .filter(({ method, answer }) => method === 'get' && answer.raw !== 'text/event-stream')
  .map(({ path }) => path);

describe('headers', () => {
  test.each(reads)('GET %s sends the described headers, and 304 for a known ETag', async (path) => {
    const { status, headers } = await client.get(pathOf(path));
    expect(status).toBe(200);
    for (const name of Object.keys(described.paths[path]?.['get']?.responses['200']?.headers ?? {})) {
      if (name !== 'X-Next-Cursor') expect([name, headers.get(name)]).toEqual([name, expect.any(String)]);
    }
    expect((await client.get(pathOf(path), { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
  });

  test('a CSV page has the cursor of the next one', async () => {
    const json = await client.get('/api/v1/recommendations?limit=1');
    const csv = await client.get('/api/v1/recommendations?limit=1&format=csv');
    expect(csv.headers.get('x-next-cursor')).toBe(json.body.meta.nextCursor);
  });

  test.each<[string, string, string, unknown]>([
    ['bulk of overrides', 'post', '/overrides/bulk', { items: [{ namespace: 'shop', name: 'web', action: 'remove' }] }],
    ['bulk of recommendations', 'post', '/recommendations/bulk', { items: [{ namespace: 'shop', name: 'web', action: 'rollback' }] }],
    ['bulk of the audit', 'post', '/resource-audit/bulk', { action: 'strip-annotations', items: [{ namespace: 'shop', name: 'web' }] }],
    ['trigger', 'post', '/resize-cycle/trigger', undefined],
  ])('If-Match is not accepted by a %s, and is not described', async (_, method, path, body) => {
    const names = described.paths[path]?.[method]?.parameters.map(({ name }) => name);
    expect(names).not.toContain('If-Match');
    const answer = await client.send(method.toUpperCase(), `/api/v1${path}`, body, { 'if-match': '*' });
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'header.if-match']);
  });
});
