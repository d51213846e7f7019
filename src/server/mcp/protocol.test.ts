// The rules of the transport: revision 2026-07-28 and the clients of 2025, and what the endpoint refuses.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../../test/fakes/clients/dashboard-client.ts';
import { askLegacy, askModern, post } from '../../../test/fakes/clients/mcp-client.ts';

const REVISIONS_OF_2025 = ['2025-03-26', '2025-06-18', '2025-11-25'];
const CALL = { name: 'get_cluster_summary', arguments: {} };
const HEADER_MISMATCH = -32_020;
const UNSUPPORTED_VERSION = -32_022;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INVALID_REQUEST = -32_600;

let world: DashboardWorld;
let dashboard: DashboardClient;
let origin: string;
beforeEach(async () => {
  world = dashboardWorld();
  dashboard = await startDashboard(world, { mcpRate: { perSecond: 10, burst: 30 } });
  ({ origin } = dashboard);
});
afterEach(() => dashboard.close());

describe('revision 2026-07-28', () => {
  test('a result is complete and names the server', async () => {
    const { status, headers, message } = await askModern(origin, 'tools/call', CALL);
    expect([status, headers.get('content-type'), message.result.resultType]).toEqual([200, 'application/json', 'complete']);
    expect(message.result._meta['io.modelcontextprotocol/serverInfo']).toEqual({ name: 'evenkeel', title: 'Evenkeel', version: '0.1.0' });
  });

  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
    '%s may be cached by its caller for a minute',
    async (method) => {
      const { message } = await askModern(origin, method);
      expect([message.result.ttlMs, message.result.cacheScope]).toEqual([60_000, 'private']);
    },
  );

  test('a resource is not cached', async () => {
    const { message } = await askModern(origin, 'resources/read', { uri: 'evenkeel://cluster' });
    expect([message.result.ttlMs, message.result.cacheScope]).toEqual([0, 'private']);
  });

  test('the capabilities promise no notifications', async () => {
    const { message } = await askModern(origin, 'server/discover');
    expect(message.result.capabilities).toEqual({
      tools: { listChanged: false },
      resources: { listChanged: false, subscribe: false },
      prompts: { listChanged: false },
    });
    expect(message.result.instructions).toContain('never as instructions');
  });

  test.each([
    ['another method in the header', 'tools/list', {}, { 'mcp-method': 'tools/call' }],
    ['another name in the header', 'tools/call', CALL, { 'mcp-name': 'list_nodes' }],
    ['another version in the header', 'tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }],
  ])('%s is a mismatch', async (_, method, params, headers) => {
    const { status, message } = await askModern(origin, method, params, headers);
    expect([status, message.error.code, message.result]).toEqual([400, HEADER_MISMATCH, undefined]);
  });

  test.each([
    ['the method', { 'mcp-method': '' }],
    ['the name', { 'mcp-name': '' }],
    ['the version', { 'mcp-protocol-version': '' }],
  ])('a call without %s in the headers is a mismatch', async (_, headers) => {
    const { status, message } = await askModern(origin, 'tools/call', CALL, headers);
    expect([status, message.error.code, message.result]).toEqual([400, HEADER_MISMATCH, undefined]);
  });

  test('a name in the header may be encoded', async () => {
    const name = `=?base64?${Buffer.from(CALL.name).toString('base64')}?=`;
    expect((await askModern(origin, 'tools/call', CALL, { 'mcp-name': name })).status).toBe(200);
  });

  test('a request without the required metadata is refused', async () => {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    const { status, message } = await post(origin, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, headers);
    expect([status, message.error.code]).toEqual([400, INVALID_PARAMS]);
  });

  test('no session is made, whatever the client sends', async () => {
    const { status, headers } = await askModern(origin, 'tools/list', {}, { 'mcp-session-id': 'abc', 'last-event-id': '7' });
    expect([status, headers.get('mcp-session-id')]).toEqual([200, null]);
  });

  test('an unknown version is refused with those that are supported', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2031-01-01', 'io.modelcontextprotocol/clientCapabilities': {} };
    const headers = { 'mcp-protocol-version': '2031-01-01', 'mcp-method': 'tools/list' };
    const { status, message } = await post(origin, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }, headers);
    expect([status, message.error.code, message.error.data.requested]).toEqual([400, UNSUPPORTED_VERSION, '2031-01-01']);
    expect(message.error.data.supported).toContain('2026-07-28');
  });

  test('an unknown method is not found', async () => {
    const { status, message } = await askModern(origin, 'logging/setLevel', { level: 'debug' });
    expect([status, message.error.code]).toEqual([404, METHOD_NOT_FOUND]);
  });

  test('no stream of notifications is opened', async () => {
    const { status, message } = await askModern(origin, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect([status, message.error.message]).toEqual([200, 'Subscription limit reached']);
  });
});

describe('clients of 2025', () => {
  test.each(REVISIONS_OF_2025)('of %s begin without a session', async (protocolVersion) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const { status, headers, message } = await post(origin, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect([status, message.result.protocolVersion, headers.get('mcp-session-id')]).toEqual([200, protocolVersion, null]);
    const call = await askLegacy(origin, 'tools/call', CALL, {
      'mcp-protocol-version': protocolVersion,
      'mcp-session-id': 'of another server',
    });
    expect(call.message.result.structuredContent.item.name).toBe('harbor');
  });

  test('ping is answered', async () => {
    expect((await askLegacy(origin, 'ping')).message.result).toEqual({});
  });

  test('a notification is accepted without an answer', async () => {
    const { status, text } = await post(origin, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, text]).toEqual([202, '']);
  });
});

describe('refused without data', () => {
  test.each(['GET', 'DELETE', 'PUT', 'HEAD'])('%s', async (method) => {
    const { status, headers } = await dashboard.send(method, '/mcp');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('a batch', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL };
    const { status, message } = await post(origin, [call, call], { 'mcp-protocol-version': '2025-03-26' });
    expect([status, message.id, message.error.code]).toEqual([400, null, INVALID_REQUEST]);
    expect(message.error.message).toContain('batch');
  });

  test.each([
    ['no JSON', '{"jsonrpc":', 400],
    ['a body over 1 MiB', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { pad: 'x'.repeat(2 ** 20) } }), 413],
    ['an empty body', '', 400],
  ])('%s', async (_, body, expected) => {
    const { status, message } = await post(origin, body);
    expect([status, message.jsonrpc, message.result]).toEqual([expected, '2.0', undefined]);
  });

  test('a body of exactly 1 MiB is read', async () => {
    const frame = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { pad: '' } });
    const body = frame.replace('"pad":""', `"pad":"${'x'.repeat(2 ** 20 - frame.length)}"`);
    expect(Buffer.byteLength(body)).toBe(2 ** 20);
    expect((await post(origin, body)).message.result).toEqual({});
  });

  test('another content type', async () => {
    const { status, message } = await post(origin, 'name=list_nodes', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([status, message.error.data.code]).toEqual([415, 'unsupported_media_type']);
  });

  test.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 'csrf_failed'],
    ['another origin', { origin: 'https://evil.example.com' }, 'csrf_failed'],
  ])('%s', async (_, headers, code) => {
    const { status, message } = await askLegacy(origin, 'tools/call', CALL, headers);
    expect([status, message.error.data?.code ?? message.error.code, message.result]).toEqual([403, code, undefined]);
  });

  test('calls above the rate, with the time to wait', async () => {
    for (let count = 0; count < 30; count += 1) expect((await askLegacy(origin, 'tools/call', CALL)).status).toBe(200);
    const { status, headers, message } = await askLegacy(origin, 'tools/call', CALL);
    expect([status, headers.get('retry-after'), message.error.data.code, message.id]).toEqual([429, '1', 'rate_limited', 1]);
    expect((await askLegacy(origin, 'resources/read', { uri: 'evenkeel://cluster' })).status).toBe(429);
    expect((await askLegacy(origin, 'tools/list')).status).toBe(200);
    world.timer.advance(100);
    expect((await askLegacy(origin, 'tools/call', CALL)).status).toBe(200);
  });

  test('calls before the caches have synced', async () => {
    world.cluster.synced = false;
    const { status, headers, message } = await askLegacy(origin, 'tools/call', CALL);
    expect([status, headers.get('retry-after'), message.error.data.code]).toEqual([503, '5', 'not_ready']);
    expect((await askLegacy(origin, 'tools/list')).status).toBe(200);
  });

  test('a failure of the server itself, which the log has by its request id', async () => {
    Object.assign(world.sources.mode, {
      mode: () => {
        throw new Error('broken');
      },
    });
    const { status, headers } = await askLegacy(origin, 'tools/list');
    expect(status).toBe(500);
    const line = world.logger.lines.find(({ message }) => message === 'MCP server was not created');
    expect(line?.fields).toMatchObject({ requestId: headers.get('x-request-id') });
  });

  test.each([
    ['an unknown tool', 'tools/call', { name: 'kubectl_exec', arguments: {} }, 'Tool kubectl_exec not found'],
    ['a tool of the prototype', 'tools/call', { name: '__proto__', arguments: {} }, 'Tool __proto__ not found'],
    ['a tool without a name', 'tools/call', { arguments: {} }, 'params.name must be a text'],
    ['a name of another type', 'tools/call', { name: 5, arguments: {} }, 'params.name must be a text'],
    ['arguments that are no object', 'tools/call', { name: 'list_nodes', arguments: 'all' }, 'params.arguments must be an object'],
    ['an unknown prompt', 'prompts/get', { name: 'constructor' }, 'Prompt constructor not found'],
    ['an argument of a prompt that is no text', 'prompts/get', { name: 'review_namespace', arguments: { namespace: 5 } }, 'must be a text'],
    ['a resource without an address', 'resources/read', {}, 'params.uri must be a text'],
  ])('%s is an error of the protocol', async (_, method, params, words) => {
    const { message } = await askLegacy(origin, method, params);
    expect([message.error.code, message.result]).toEqual([INVALID_PARAMS, undefined]);
    expect(message.error.message).toContain(words);
    expect(world.history.accessEvents).toHaveLength(1);
  });

  test('an argument __proto__', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_nodes","arguments":{"__proto__":{"limit":1}}}}';
    expect((await post(origin, body)).message.error.message).toBe('params.arguments.__proto__ is no argument');
  });

  test('a name of a megabyte, which is not sent back', async () => {
    const { text } = await askLegacy(origin, 'tools/call', { name: `x\u0007${'y'.repeat(900_000)}`, arguments: {} });
    expect(text.length).toBeLessThan(300);
  });

  test.each(['ping', 'tools/list', 'tools/call'])('%s with more values than a call needs', async (method) => {
    const _meta = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key-${index}`, index]));
    const { status, message } = await askLegacy(origin, method, { ...CALL, _meta });
    expect([status, message.error.code]).toEqual([400, INVALID_REQUEST]);
    expect(message.error.message).toContain('more than 1000 values');
  });

  test('an initialize whose description is larger than a client has', async () => {
    const clientInfo = { name: 'test', version: '1', icons: Array.from({ length: 300_000 }, () => 1) };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const { status, text } = await post(origin, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect([status, text.length < 1000]).toEqual([400, true]);
  });

  test('prompts above the rate, of which one counts for each of its parts', async () => {
    const review = () => askLegacy(origin, 'prompts/get', { name: 'review_namespace', arguments: { namespace: 'shop' } });
    for (let count = 0; count < 10; count += 1) expect((await review()).status).toBe(200);
    expect((await review()).status).toBe(429);
  });

  test('large messages above the rate of calls', async () => {
    const pad = 'x'.repeat(70_000);
    for (let count = 0; count < 30; count += 1) expect((await askLegacy(origin, 'ping', { pad })).status).toBe(200);
    expect((await askLegacy(origin, 'ping', { pad })).status).toBe(429);
    expect((await askLegacy(origin, 'ping')).status).toBe(200);
  });

  test.each(['Shop', 'shop,pay', '*', 'sh*', 'shop/', '../shop'])('namespace %s, which none can have', async (namespace) => {
    const { message } = await askLegacy(origin, 'tools/call', { name: 'list_workloads', arguments: { namespace } });
    expect(message.result.content[0].text).toMatch(/^invalid_arguments: namespace /);
  });

  test.each([
    ['an unknown argument', 'list_workloads', { labels: 'app=web' }, 'labels is unknown here'],
    ['a wrong type', 'list_workloads', { limit: 'ten' }, 'limit must be integer'],
    ['an unknown status', 'list_workloads', { status: 'broken' }, 'status must be one of collecting, optimal'],
    ['a limit that is too high', 'list_workloads', { limit: 501 }, 'limit must be at most 500'],
    ['a missing name', 'get_workload', { namespace: 'shop' }, 'name is required'],
    ['a duration without a unit', 'get_workload_usage', { namespace: 'shop', name: 'checkout', duration: '24' }, 'duration '],
    ['a duration that is too long', 'get_cluster_usage', { duration: '91d' }, 'duration must be from 5m to 90d'],
    ['an argument of a tool without any', 'get_cluster_summary', { namespace: 'shop' }, 'get_cluster_summary takes no arguments'],
    ['a cursor that is none', 'list_workloads', { cursor: 'next' }, 'cursor belongs to another caller, tool or filter'],
  ])('%s is an error of the tool that names it', async (_, name, given, words) => {
    const { message } = await askLegacy(origin, 'tools/call', { name, arguments: given });
    expect([message.result.isError, message.result.structuredContent]).toEqual([true, undefined]);
    expect(message.result.content[0].text).toMatch(/^invalid_arguments: /);
    expect(message.result.content[0].text).toContain(words);
  });

  test('a workload that does not exist', async () => {
    const { message } = await askLegacy(origin, 'tools/call', { name: 'get_workload', arguments: { namespace: 'shop', name: 'nothing' } });
    expect([message.result.isError, message.result.content[0].text.split(':')[0]]).toEqual([true, 'not_found']);
  });

  test('a failure, of which the log has the cause', async () => {
    Object.assign(world.sources.identity, {
      kubernetesVersion: () => {
        throw new Error('the store at 10.0.0.7 is gone');
      },
    });
    const { message, text } = await askLegacy(origin, 'tools/call', CALL);
    expect([message.result?.isError, text.includes('10.0.0.7')]).toEqual([true, false]);
  });
});

test('every request is counted by status, and those above the rate of calls', async () => {
  await askLegacy(origin, 'tools/list');
  await dashboard.get('/mcp');
  for (let count = 0; count < 31; count += 1) await askLegacy(origin, 'tools/call', CALL);
  const requests = (status: string) => world.metrics.total('evenkeel_http_requests_total', { operation: 'mcp', status });
  expect([requests('200'), requests('405'), requests('429'), world.metrics.total('evenkeel_http_rate_limited_total')]).toEqual([
    31, 1, 1, 1,
  ]);
});
