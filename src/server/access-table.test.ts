// Every route × every caller: the status that the contract requires, and a body from which a caller learns nothing about what it may not
// read. `test/builders/access` derives the routes, the callers and the expected outcomes; docs/access.md has the table.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HEARTBEAT_MS, startAccessServer, type AccessAnswer, type AccessServer } from '../../test/builders/access/access-server.ts';
import {
  ACCESS_CALLERS,
  ADMIN,
  canRead,
  FOREIGN,
  OTHER_NAMESPACE,
  TARGET_NAMESPACE,
  VIEWER_OF_ALL,
  type AccessCaller,
} from '../../test/builders/access/callers.ts';
import { expectedOutcome, statusOf, type Outcome } from '../../test/builders/access/expected-outcome.ts';
import { listQueries, NAMED_NAMESPACES, PAGED } from '../../test/builders/access/list-queries.ts';
import { requiredByContract } from '../../test/builders/access/required-by-contract.ts';
import { accessRoutes, type AccessRoute } from '../../test/builders/access/routes.ts';
import { sampleOf } from '../../test/builders/access/samples.ts';
import type { IRouter } from 'express';
import { applicationOf, DASHBOARD_OPTIONS } from '../../test/fakes/clients/dashboard-client.ts';
import { DEFAULT_SESSION_LIMITS } from '../core/access/session-limits.ts';
import { httpMetrics } from './http-metrics.ts';
import { dashboardApp } from './server.ts';
import { ChangeHub } from './stream/change-hub.ts';
import { EventStreams } from './stream/event-stream.ts';
import { hashPassword } from '../runtime/passwords/password-hash.ts';
import { isMutation } from './openapi/operation.ts';
import { OPERATIONS } from './openapi/document.ts';
import { LOCAL_ADMIN, nodeEntry, type AccessWorld } from '../../test/builders/access/access-world.ts';
import { readClientModules } from './page/client-modules.ts';
import { SILENT_LOGGER } from '../runtime/logging.ts';
import { STREAM_TOPICS } from './stream/topics/index.ts';

const ROUTES = accessRoutes();
const ASSET = readClientModules().main;

/** Callers that read every list in every way. The permissions of the others are among theirs: they make a part of the queries. */
const WITH_ALL_QUERIES: ReadonlySet<string> = new Set(['viewer', 'viewer elsewhere', 'viewer of *']);
const EVERY_NTH_QUERY = 8;

/** Cells that were tested, by route. */
const tested = new Map<string, Set<string>>(ROUTES.map(({ title }) => [title, new Set()]));

let passwordHash: string;
let full: AccessServer;
let open: AccessServer;
/** By readable namespaces. */
const twins = new Map<string, AccessServer>();
beforeAll(async () => {
  passwordHash = await hashPassword(LOCAL_ADMIN.password);
  full = await startAccessServer('full', passwordHash);
  open = await startAccessServer('full', passwordHash, { authEnabled: false });
  for (const namespaces of ['all', [TARGET_NAMESPACE], [OTHER_NAMESPACE], []] as const) {
    twins.set(String(namespaces), await startAccessServer(namespaces, passwordHash));
  }
});
afterAll(async () => {
  for (const server of [full, open, ...twins.values()]) await server.close();
});

/** The world that contains only what the caller may read; undefined for an admin. */
function twinOf(caller: AccessCaller): AccessServer | undefined {
  if (!caller.authEnabled || caller.grant?.role === 'admin') return undefined;
  const readable = [TARGET_NAMESPACE, OTHER_NAMESPACE].filter((namespace) => canRead(caller, namespace));
  return twins.get(readable.length === 2 ? 'all' : String(readable));
}

const serverOf = (caller: AccessCaller): AccessServer => (caller.authEnabled ? full : open);
const codeOf = ({ text }: AccessAnswer): string | undefined =>
  (JSON.parse(text) as { readonly error?: { readonly code: string } }).error?.code;

/** The path of a request, with the namespace and the workload of the arguments. */
function pathOf({ path, query, operation }: AccessRoute, { ns = TARGET_NAMESPACE, name }: { ns?: string; name?: string } = {}): string {
  const values: Readonly<Record<string, string>> = {
    path: ASSET,
    ...(operation === null ? {} : sampleOf(operation).path),
    ns,
    ...(name === undefined ? {} : { name }),
  };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? '');
  return query === '' ? filled : `${filled}?${query}`;
}

const withQuery = (path: string, query: string): string => (query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`);

/** Answers of a caller in the complete world and in its twin, which must be the same bytes. */
async function inBoth(caller: AccessCaller, method: string, path: string, body?: unknown): Promise<AccessAnswer> {
  const [answer, inTwin] = await both(caller, method, path, body);
  expectSame(path, answer, inTwin ?? answer);
  return answer;
}

/** Compares tens of thousands of answers, which `toEqual` alone is slow for. */
function expectSame(path: string, answer: AccessAnswer, expected: AccessAnswer): void {
  const isSame = answer.status === expected.status && answer.text === expected.text;
  if (!isSame || JSON.stringify(answer.headers) !== JSON.stringify(expected.headers)) {
    expect({ path, ...answer }).toEqual({ path, ...expected });
  }
}

async function both(caller: AccessCaller, method: string, path: string, body: unknown): Promise<[AccessAnswer, AccessAnswer | undefined]> {
  // Failed attempts of an address are counted for a minute.
  const twin = twinOf(caller);
  for (const server of [serverOf(caller), twin]) server?.world.timer.advance(60_000);
  return [await serverOf(caller).ask(caller, method, path, body), await twin?.ask(caller, method, path, body)];
}

/** A refusal names neither the data nor the reason beyond the requirement. */
function expectRefusal(route: AccessRoute, answer: AccessAnswer, outcome: Outcome): void {
  expect([answer.status, codeOf(answer)]).toEqual([statusOf(route, outcome), outcome]);
  const { data, error, meta } = JSON.parse(answer.text) as { data: unknown; error: object; meta: object };
  expect([data, Object.keys(error), Object.keys(meta)]).toEqual([null, ['code', 'message'], ['total', 'timestamp', 'requestId']]);
}

async function testRead(route: AccessRoute, caller: AccessCaller): Promise<void> {
  const outcome = expectedOutcome(route, caller);
  const path = pathOf(route);
  const answer = await inBoth(caller, route.method, path);
  if (route.form === 'page' && outcome !== 'csrf_failed') {
    // A page signs out.
    for (const server of [serverOf(caller), twinOf(caller)]) server?.restore();
    expect(answer.status).toBe(statusOf(route, outcome));
    return;
  }
  if (outcome !== 'answered') {
    expectRefusal(route, answer, outcome);
    return;
  }
  expect(answer.status).toBe(statusOf(route, outcome));
  const head = await inBoth(caller, 'HEAD', path);
  expect([head.status, head.text]).toEqual([answer.status, '']);
  const { operation } = route;
  if (operation?.id === 'getSession') expectSession(caller, answer);
  // Each server has a trail of its own.
  else if (!caller.authEnabled && operation?.id !== 'listAccessEvents') expectSame(path, answer, await full.ask(ADMIN, 'GET', path));
  const twin = twinOf(caller);
  if (operation === null || twin === undefined) return;
  await expectTagOfOwnScope(route, caller, answer);
  if (operation.access === 'viewer' && operation.list !== undefined) await testList(route, operation as never, caller, twin);
}

/** The session is the caller's own. */
function expectSession({ credential, email, grant, authEnabled }: AccessCaller, { text }: AccessAnswer): void {
  const known = credential === 'ended session' ? null : email;
  const role = authEnabled ? (grant?.role ?? null) : 'admin';
  expect((JSON.parse(text) as { readonly data: unknown }).data).toMatchObject({
    authenticated: known !== null,
    email: known,
    role,
    authEnabled,
  });
}

/** A client with the ETag of another scope gets an answer of its own. */
async function expectTagOfOwnScope(route: AccessRoute, caller: AccessCaller, { headers }: AccessAnswer): Promise<void> {
  if (route.form === 'raw' || headers['etag'] === undefined) return;
  const tagOf = async (of: AccessCaller): Promise<string> => String((await full.ask(of, 'GET', pathOf(route))).headers['etag']);
  const statusWith = async (tag: string): Promise<number> =>
    (await full.ask(caller, 'GET', pathOf(route), undefined, { 'if-none-match': tag })).status;
  expect([await statusWith(await tagOf(caller)), await statusWith(await tagOf(ADMIN))]).toEqual([304, 200]);
}

async function testList(
  route: AccessRoute,
  operation: Parameters<typeof listQueries>[0],
  caller: AccessCaller,
  twin: AccessServer,
): Promise<void> {
  const reference = twin === twins.get('all') ? ADMIN : VIEWER_OF_ALL;
  const start = route.form === 'csv' ? EVERY_NTH_QUERY >> 1 : 0;
  for (const [index, query] of listQueries(operation).entries()) {
    if (!WITH_ALL_QUERIES.has(caller.name) && index % EVERY_NTH_QUERY !== start) continue;
    const path = withQuery(pathOf(route), query);
    const answer = await inBoth(caller, 'GET', path);
    const expected = await twin.ask(reference, 'GET', path);
    expectSame(path, { ...answer, headers: {} }, { ...expected, headers: {} });
  }
  await testPages(route, caller);
  for (const named of NAMED_NAMESPACES) {
    const path = withQuery(pathOf(route), named.map((namespace) => `namespace=${namespace}`).join('&'));
    const answer = await inBoth(caller, 'GET', path);
    const foreign = named.find((namespace) => !canRead(caller, namespace));
    if (foreign === undefined) expect(answer.status).toBe(200);
    else expect([answer.status, answer.text.includes(foreign), codeOf(answer)]).toEqual([403, true, 'forbidden']);
  }
}

async function testPages(route: AccessRoute, caller: AccessCaller): Promise<void> {
  let cursor: string | undefined;
  let pages = 0;
  do {
    const query = cursor === undefined ? PAGED : `${PAGED}&cursor=${encodeURIComponent(cursor)}`;
    const { text, headers } = await inBoth(caller, 'GET', withQuery(pathOf(route), query));
    cursor =
      route.form === 'csv'
        ? (headers['x-next-cursor'] as string | undefined)
        : (JSON.parse(text) as { meta: { nextCursor?: string } }).meta.nextCursor;
    pages += 1;
  } while (cursor !== undefined && pages < 50);
  expect(cursor).toBeUndefined();
}

/** The same answer for an object of another namespace, whether it exists or not, and without an effect. */
async function testForeign(route: AccessRoute, caller: AccessCaller): Promise<void> {
  if (!route.path.includes('{ns}') || !['viewer', 'operator'].includes(caller.grant?.role ?? '')) return;
  const readable = canRead(caller, TARGET_NAMESPACE) ? TARGET_NAMESPACE : OTHER_NAMESPACE;
  if (canRead(caller, 'no-such-namespace')) return;
  const answers = new Set<string>();
  for (const [ns, name] of FOREIGN[readable]) {
    const outcome = expectedOutcome(route, caller, ns);
    const answer = await inBoth(caller, route.method, pathOf(route, { ns, name }), bodyOf(route));
    expectRefusal(route, answer, outcome);
    answers.add(answer.text.replaceAll(ns, 'NAMESPACE'));
  }
  expect(answers.size).toBe(1);
}

const bodyOf = ({ operation }: AccessRoute): unknown => (operation === null ? undefined : sampleOf(operation).body);

async function testChange(route: AccessRoute, caller: AccessCaller): Promise<void> {
  const [server, twin] = [serverOf(caller), twinOf(caller)];
  const before = server.effects();
  const outcome = expectedOutcome(route, caller);
  const answer = await inBoth(caller, route.method, pathOf(route), bodyOf(route));
  if (outcome === 'answered') {
    expect([answer.status, answer.text]).toEqual([statusOf(route, outcome), answer.text]);
    if (twin !== undefined) expect(server.effects()).toEqual(twin.effects());
  } else {
    expectRefusal(route, answer, outcome);
    expect(server.effects()).toEqual(before);
  }
  const isBulk = Array.isArray((bodyOf(route) as { items?: unknown } | undefined)?.items);
  if (isBulk && outcome === 'answered') expectOwnItems(route, caller, answer);
  for (const each of [server, twin]) each?.restore();
  const untouched = server.effects();
  await testForeign(route, caller);
  expect(server.effects()).toEqual(untouched);
}

/** Items of other namespaces are refused, with the same words whether they exist or not. */
function expectOwnItems(route: AccessRoute, caller: AccessCaller, { text }: AccessAnswer): void {
  const items = (bodyOf(route) as { readonly items: readonly { readonly namespace: string }[] }).items;
  const { data } = JSON.parse(text) as { data: readonly { index: number; ok: boolean; error?: { code: string; message: string } }[] };
  const words = new Set<string>();
  for (const [index, { namespace }] of items.entries()) {
    const isForeign = !canRead(caller, namespace);
    expect(data[index]?.error?.code === 'forbidden').toBe(isForeign);
    if (isForeign) words.add(JSON.stringify({ ...data[index], index: 0 }).replaceAll(namespace, 'NAMESPACE'));
  }
  expect(words.size).toBeLessThanOrEqual(1);
  expect(data.some(({ ok }) => ok)).toBe(caller.grant === null || items.some(({ namespace }) => canRead(caller, namespace)));
}

interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

/** The events of a stream until the heartbeat after a change, and those after its first id that another stream resumes with. */
async function eventsOf(server: AccessServer, caller: AccessCaller, path: string): Promise<readonly StreamEvent[]> {
  server.restore();
  const stream = await server.open(caller, 'GET', path);
  expect([stream.statusCode, stream.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const hello = await readUntil(stream, 'event: hello');
  server.change();
  server.world.timer.advance(HEARTBEAT_MS);
  const live = await readUntil(stream, ': keep-alive');
  stream.destroy();
  const resumed = await server.open(caller, 'GET', `${path}&lastEventId=${/^id: (.+)$/m.exec(hello)?.[1] ?? ''}`);
  server.world.timer.advance(HEARTBEAT_MS);
  const missed = await readUntil(resumed, ': keep-alive');
  resumed.destroy();
  server.restore();
  return [hello, live, missed].flatMap((text) =>
    [...text.matchAll(/^event: (.+)\ndata: (.+)$/gm)].map(([, event = '', data = '']) => ({ event, data: JSON.parse(data) as unknown })),
  );
}

async function readUntil(stream: IncomingMessage, mark: string): Promise<string> {
  let text = '';
  while (!text.includes(mark) || !text.endsWith('\n\n')) {
    const chunk = stream.read() as Buffer | null;
    if (chunk === null) await once(stream, 'readable');
    else text += chunk.toString('utf8');
  }
  return text;
}

async function testStream(route: AccessRoute, caller: AccessCaller): Promise<void> {
  const outcome = expectedOutcome(route, caller);
  const path = pathOf(route);
  if (outcome !== 'answered') {
    expectRefusal(route, await inBoth(caller, 'GET', path), outcome);
    return;
  }
  const topic = STREAM_TOPICS.find(({ name }) => name === new URLSearchParams(route.query).get('topic'));
  const events = await eventsOf(serverOf(caller), caller, path);
  const isAdmin = !caller.authEnabled || caller.grant?.role === 'admin';
  const isSent = isAdmin || topic?.requires.who === 'viewer';
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['hello', ...(isSent ? [topic?.name] : [])]));
  const twin = twinOf(caller);
  if (twin !== undefined) expect(events).toEqual(await eventsOf(twin, caller, path));
}

async function testCell(route: AccessRoute, caller: AccessCaller): Promise<void> {
  if (route.form === 'stream') await testStream(route, caller);
  else if (route.operation !== null && isMutation(route.operation)) await testChange(route, caller);
  else {
    await testRead(route, caller);
    await testForeign(route, caller);
  }
}

/** `GET /pods/:name`, of a router and those in it. */
function routedBy({ stack }: IRouter): readonly string[] {
  return stack.flatMap(({ route, handle }) => {
    if (route === undefined) return 'stack' in handle ? routedBy(handle as unknown as IRouter) : [];
    const { path, methods } = route as unknown as { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
    // `_all` answers 405 to the other methods of a path.
    return Object.keys(methods).flatMap((method) => (method === '_all' ? [] : [`${method.toUpperCase()} ${path}`]));
  });
}

test('every path of the server is in the table', () => {
  const { world, store } = full;
  const { sources, metrics, timer } = world;
  const streams = new EventStreams(
    new ChangeHub(applicationOf(world).changes, timer, STREAM_TOPICS, SILENT_LOGGER),
    timer,
    () => undefined,
  );
  const access = { store, now: () => 0, sessions: DEFAULT_SESSION_LIMITS, isLocalEnabled: true, proxy: null };
  const dependencies = {
    application: applicationOf(world),
    version: '1',
    clock: sources.clock,
    logger: sources.logger,
    timer,
    metrics,
    access,
  };
  const app = dashboardApp({ ...dependencies, certificate: null, options: DASHBOARD_OPTIONS }, streams, httpMetrics(metrics));
  const inTable = ROUTES.filter(({ form }) => form !== 'not served').map(
    ({ method, path, operation }) => `${method} ${(operation?.path ?? path).replaceAll(/\{(\w+)\}/g, ':$1').replace(':path', '*path')}`,
  );
  expect(new Set(routedBy(app.router))).toEqual(new Set(inTable));
});

test('each route requires what the contract lists', () => {
  const wrong = OPERATIONS.filter((operation) => operation.access !== requiredByContract(operation));
  expect(wrong.map(({ id, access }) => [id, access])).toEqual([]);
});

describe.each(ACCESS_CALLERS.map((caller) => [caller.name, caller] as const))('%s', (_, caller) => {
  test.each(ROUTES.map((route) => [route.title, route] as const))('%s', async (title, route) => {
    await testCell(route, caller);
    tested.get(title)?.add(caller.name);
  });
});

test('changes of other namespaces take no place among those of the caller', async () => {
  const prepare = ({ world }: AccessWorld): void => {
    const foreign = Array.from({ length: 20_000 }, (_, index) => ({
      ...nodeEntry(`n-${index}`, world.clock.now()),
      namespace: OTHER_NAMESPACE,
    }));
    world.history.entries = [...foreign, ...world.history.entries];
  };
  const busy = await startAccessServer('full', passwordHash, { prepare });
  const caller = ACCESS_CALLERS.find(({ name }) => name === 'viewer');
  if (caller === undefined) throw new Error('no viewer');
  const path = '/api/v1/scaling?duration=30d';
  const [answer, expected] = [await busy.ask(caller, 'GET', path), await twinOf(caller)?.ask(caller, 'GET', path)];
  await busy.close();
  expect(answer).toEqual(expected);
});

describe('while sources have problems that name objects', () => {
  const NAMED = 'list pods in namespace treasury, of vault on n-99';
  const prepare = ({ world }: AccessWorld): void => {
    const { sources, history, clock } = world;
    history.away = true;
    Object.assign(sources, {
      usage: { ...sources.usage, problem: () => NAMED, confirmedAt: () => clock.now() },
      missingPermissions: () => [NAMED],
      pastUsageProblem: () => NAMED,
      health: [{ name: 'api-server', status: () => ({ status: 'failed', message: NAMED, since: null, latencyMs: null }) }],
    });
  };
  let troubled: AccessServer;
  beforeAll(async () => {
    troubled = await startAccessServer([TARGET_NAMESPACE], passwordHash, { prepare });
  });
  afterAll(() => troubled.close());

  const readers = ACCESS_CALLERS.filter(({ authEnabled, grant, page }) => authEnabled && grant?.role !== 'admin' && page === 'own page');
  const reads = ROUTES.filter(({ method, form }) => method === 'GET' && form !== 'stream');
  test.each(readers.map((caller) => [caller.name, caller] as const))('no answer to %s names one', async (_, caller) => {
    for (const route of reads) {
      troubled.world.timer.advance(60_000);
      const { text } = await troubled.ask(caller, 'GET', pathOf(route));
      // The description and the page have no data.
      if (route.form !== 'raw' && route.form !== 'page')
        expect([route.title, /n-99|vault|treasury/.exec(text)]).toEqual([route.title, null]);
    }
  });

  test('an admin reads them', async () => {
    expect((await troubled.ask(ADMIN, 'GET', '/api/v1/pods')).text).toContain(NAMED);
  });
});

test('no route switches to a WebSocket', async () => {
  const headers = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  for (const route of ROUTES.filter(({ method }) => method === 'GET')) {
    const method = route.form === 'stream' ? 'HEAD' : 'GET';
    const { status } = await full.ask(ADMIN, method, pathOf(route), undefined, headers);
    expect([route.title, status]).toEqual([route.title, statusOf(route, expectedOutcome(route, ADMIN))]);
  }
});

test('no cell is untested', () => {
  const cells = ROUTES.length * ACCESS_CALLERS.length;
  const untested = ROUTES.flatMap(({ title }) =>
    ACCESS_CALLERS.filter(({ name }) => tested.get(title)?.has(name) !== true).map(({ name }) => `${title} × ${name}`),
  );
  process.stdout.write(`cells ${cells}, untested ${untested.length}\n`);
  expect(untested).toEqual([]);
});
