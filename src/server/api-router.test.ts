// One router serves any API: its paths, records, validation, reference and CSV.

import { afterEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NO_CREDENTIAL } from '../../test/builders/tenants/scopes.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { EVERYONE_IS_ADMIN, type Scope } from '../core/access/scope.ts';
import { ApiRouter, type ApiRouterOptions } from './api-router.ts';
import { docsPage } from './docs/docs-page.ts';
import type { Envelope } from './envelope.ts';
import { errorHandler } from './error-handler.ts';
import { openApiDescription, type ApiDocument } from './openapi/api-document.ts';
import { array, integer, object, ref, string } from './openapi/schema.ts';
import { replyOf, type Reply } from './reply.ts';

interface SnippetApi {
  readonly listSnippets: {
    readonly path: Readonly<Record<string, never>>;
    readonly query: { readonly page?: number };
    readonly body: undefined;
    readonly data: readonly { readonly name: string; readonly installs: number }[];
    readonly summary: undefined;
  };
}

const SNIPPETS: ApiDocument = {
  title: 'Snippets',
  description: 'Bundles of policies.',
  basePath: '/snippets',
  statusPath: null,
  schemas: { Snippet: object({ name: string('Its name.'), installs: integer() }) },
  errorResponses: { '400': 'Wrong.' },
  operations: [
    {
      id: 'listSnippets',
      method: 'get',
      path: '/snippet',
      tag: 'Snippets',
      title: 'All snippets',
      access: 'identified',
      takesIfMatch: false,
      parameters: [{ name: 'page', in: 'query', description: 'Page.', schema: integer(undefined, { minimum: 1 }) }],
      list: { sort: ['name', 'installs'], defaultSort: 'name', namespaced: false },
      answer: { status: 200, description: 'Snippets.', data: array(ref('Snippet')) },
    },
  ],
};

let server: Server | undefined;
afterEach(() => new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve))));

/** An envelope without `data` and `meta`. */
const PLAIN: Envelope = {
  success: (data) => data,
  error: ({ code, message, details }) => JSON.stringify({ reason: code, message, fields: details?.map(({ path }) => path) }),
};

const NO_BOUNDS: ApiRouterOptions['bounds'] = {
  admit: (_request, _response, next) => next(),
  admitBody: (_request, _response, next) => next(),
};

async function serve(scope: Scope, ready = true): Promise<string> {
  const api = new ApiRouter<SnippetApi>(SNIPPETS, {
    envelope: PLAIN,
    bounds: NO_BOUNDS,
    isReady: () => ready,
    scopeOf: () => scope,
    observe: () => undefined,
    nowMs: () => 0,
  });
  const items = [{ name: 'night', installs: 3 }];
  api.on('listSnippets', () => replyOf({ kind: 'page', items, total: 1, nextCursor: null }) as Reply<SnippetApi['listSnippets']>);
  api.close();
  const app = express();
  app.set('query parser', false);
  app.use(SNIPPETS.basePath, api.router);
  app.use(errorHandler(PLAIN, new RecordingLogger()));
  const listening = app.listen(0, '127.0.0.1');
  server = listening;
  await new Promise((resolve) => listening.once('listening', resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/snippets`;
}

test.each([undefined, null, '', 'everyone', 'toString'])('an operation whose access is %j does not start', (access) => {
  const [operation] = SNIPPETS.operations;
  const open = { ...SNIPPETS, operations: [{ ...operation, access }] } as unknown as ApiDocument;
  const options = {
    envelope: PLAIN,
    bounds: NO_BOUNDS,
    isReady: () => true,
    scopeOf: () => NO_CREDENTIAL,
    observe: () => undefined,
    nowMs: () => 0,
  };
  const api = new ApiRouter<SnippetApi>(open, options);
  expect(() => api.raw('listSnippets', () => undefined)).toThrow('operation listSnippets declares no access');
});

describe('a router of another API', () => {
  test('answers its operations, as JSON and as CSV with the columns of its records', async () => {
    const base = await serve(EVERYONE_IS_ADMIN);
    expect(await (await fetch(`${base}/snippet`)).json()).toEqual([{ name: 'night', installs: 3 }]);
    expect(await (await fetch(`${base}/snippet?format=csv`)).text()).toBe('name,installs\r\nnight,3\r\n');
  });

  test('indents JSON for curl, with the same ETag', async () => {
    const base = await serve(EVERYONE_IS_ADMIN);
    const curl = { headers: { 'User-Agent': 'curl/8.14.1' } };
    const [forProgram, forPerson] = [await fetch(`${base}/snippet`), await fetch(`${base}/snippet`, curl)];
    expect(await forPerson.text()).toBe('[\n  {\n    "name": "night",\n    "installs": 3\n  }\n]\n');
    expect(forPerson.headers.get('etag')).toBe(forProgram.headers.get('etag'));
    expect(await (await fetch(`${base}/snippet?page=0`, curl)).text()).toContain('\n  "reason": "invalid_request",');
  });

  test('rejects invalid requests and unauthorized callers', async () => {
    const base = await serve(EVERYONE_IS_ADMIN);
    const wrong = await fetch(`${base}/snippet?page=0`);
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { reason: 'invalid_request', fields: ['query.page'] }]);
    await new Promise((resolve) => server?.close(resolve));
    const stranger = await fetch(`${await serve(NO_CREDENTIAL)}/snippet`);
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  test('answers 503 before it is ready, without a status path where the API has none', async () => {
    const early = await fetch(`${await serve(EVERYONE_IS_ADMIN, false)}/snippet`);
    expect([early.status, await early.json()]).toEqual([
      503,
      { reason: 'not_ready', message: 'The caches have not synced yet. Try again shortly.' },
    ]);
  });

  test('is described by the same functions', () => {
    expect(openApiDescription(SNIPPETS, '1')).toMatchObject({
      info: { title: 'Snippets' },
      paths: { '/snippet': { get: { 'x-evenkeel-access': 'identified' } } },
    });
    expect(docsPage(SNIPPETS, '1').html).toContain('GET /snippet');
  });
});
