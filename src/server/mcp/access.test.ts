// Every tool × every caller: the outcome that the contract requires, and an answer that has what the caller may read alone.
// `test/builders/access` derives callers and outcomes; docs/access.md has the table.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startAccessServer, type AccessAnswer, type AccessServer } from '../../../test/builders/access/access-server.ts';
import { LOCAL_ADMIN } from '../../../test/builders/access/access-world.ts';
import {
  ACCESS_CALLERS,
  ADMIN,
  canRead,
  FOREIGN,
  OTHER_NAMESPACE,
  TARGET_NAMESPACE,
  VIEWER_OF_ALL,
  type AccessCaller,
} from '../../../test/builders/access/callers.ts';
import { callArguments, callOf, expectedToolOutcome, MCP_TOOLS, type ToolOutcome } from '../../../test/builders/access/mcp-calls.ts';
import type { Json } from '../../../test/fakes/clients/mcp-client.ts';
import { hashPassword } from '../../runtime/passwords/password-hash.ts';
import { isAdminTool, type Tool } from './tool.ts';

const ACCEPT = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };

let full: AccessServer;
let open: AccessServer;
/** By readable namespaces. */
const twins = new Map<string, AccessServer>();
beforeAll(async () => {
  const passwordHash = await hashPassword(LOCAL_ADMIN.password);
  full = await startAccessServer('full', passwordHash);
  open = await startAccessServer('full', passwordHash, { authEnabled: false });
  for (const namespaces of ['all', [TARGET_NAMESPACE], [OTHER_NAMESPACE]] as const) {
    twins.set(String(namespaces), await startAccessServer(namespaces, passwordHash));
  }
});
afterAll(async () => {
  for (const server of [full, open, ...twins.values()]) await server.close();
});

const serverOf = ({ authEnabled }: AccessCaller): AccessServer => (authEnabled ? full : open);

/** The world that contains only what the caller may read; undefined for an admin. */
function twinOf(caller: AccessCaller): AccessServer | undefined {
  if (!caller.authEnabled || caller.grant === null || caller.grant.role === 'admin') return undefined;
  const readable = [TARGET_NAMESPACE, OTHER_NAMESPACE].filter((namespace) => canRead(caller, namespace));
  return twins.get(readable.length === 2 ? 'all' : String(readable));
}

async function ask(server: AccessServer, caller: AccessCaller, body: object): Promise<AccessAnswer & { readonly message: Json }> {
  // Failed attempts of an address are counted for a minute.
  server.world.timer.advance(60_000);
  const answer = await server.ask(caller, 'POST', '/mcp', body, ACCEPT);
  const json = /^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text;
  return { ...answer, message: JSON.parse(json) };
}

/** Answers of a caller in the complete world and in its twin, which must be the same. */
async function inBoth(caller: AccessCaller, body: object): Promise<Awaited<ReturnType<typeof ask>>> {
  const answer = await ask(serverOf(caller), caller, body);
  const twin = twinOf(caller);
  if (twin !== undefined) expect(answer).toEqual(await ask(twin, caller, body));
  return answer;
}

function outcomeOf({ status, message }: Awaited<ReturnType<typeof ask>>): ToolOutcome {
  if (status !== 200) return status as ToolOutcome;
  if (message.error !== undefined)
    return /^Tool \S+ not found$/.test(message.error.message) ? 'unknown tool' : (message.error.message as never);
  if (message.result.isError !== true) return 'answered';
  const [code] = message.result.content[0].text.split(':') as string[];
  return code === 'forbidden' ? 'not authorized' : code === 'not_found' ? 'not found' : (code as never);
}

/** A refusal has no data. */
function expectNoData({ message }: Awaited<ReturnType<typeof ask>>): void {
  expect([message.result?.structuredContent, message.error?.data?.details]).toEqual([undefined, undefined]);
}

async function testCell(tool: Tool, caller: AccessCaller): Promise<void> {
  const outcome = expectedToolOutcome(tool, caller);
  const answer = await inBoth(caller, callOf(tool.name, callArguments(tool)));
  expect(outcomeOf(answer)).toBe(outcome);
  if (outcome === 'answered') await testAnswer(tool, caller, answer);
  else expectNoData(answer);
  if (outcome !== 401 && outcome !== 403 && outcome !== 'unknown tool') await testForeign(tool, caller);
}

/** What a caller reads is what a reader of everything reads in the world that has only that. */
async function testAnswer(tool: Tool, caller: AccessCaller, answer: Awaited<ReturnType<typeof ask>>): Promise<void> {
  const twin = twinOf(caller);
  if (twin === undefined) {
    const ofAdmin = await ask(full, ADMIN, callOf(tool.name, callArguments(tool)));
    expect(answer.message).toEqual(ofAdmin.message);
    return;
  }
  const reference = twin === twins.get('all') ? ADMIN : VIEWER_OF_ALL;
  expect(answer.message).toEqual((await ask(twin, reference, callOf(tool.name, callArguments(tool)))).message);
}

/** The same error for an object of another namespace, whether it exists or not. */
async function testForeign(tool: Tool, caller: AccessCaller): Promise<void> {
  if (tool.arguments['namespace'] === undefined || canRead(caller, 'no-such-namespace')) return;
  const readable = canRead(caller, TARGET_NAMESPACE) ? TARGET_NAMESPACE : OTHER_NAMESPACE;
  const texts = new Set<string>();
  for (const [namespace, name] of FOREIGN[readable]) {
    const given = tool.required.includes('name') ? { namespace, name } : { namespace };
    const answer = await inBoth(caller, callOf(tool.name, given));
    expect([outcomeOf(answer), expectedToolOutcome(tool, caller, namespace)]).toEqual(['not authorized', 'not authorized']);
    expectNoData(answer);
    expect(answer.message.result.content[0].text).toContain(`not authorized for namespace ${namespace}`);
    texts.add(answer.text.replaceAll(namespace, 'NAMESPACE'));
  }
  expect(texts.size).toBe(1);
}

/** Cells that were tested, by tool. */
const tested = new Map<string, Set<string>>(MCP_TOOLS.map(({ name }) => [name, new Set()]));

describe.each(ACCESS_CALLERS.map((caller) => [caller.name, caller] as const))('%s', (_, caller) => {
  test.each(MCP_TOOLS.map((tool) => [tool.name, tool] as const))('%s', async (name, tool) => {
    await testCell(tool, caller);
    tested.get(name)?.add(caller.name);
  });

  test('lists the tools that it may call', async () => {
    const { status, message } = await ask(serverOf(caller), caller, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const expected = MCP_TOOLS.filter((tool) => !['unknown tool', 401, 403].includes(expectedToolOutcome(tool, caller)));
    if (expected.length === 0) expect([401, 403]).toContain(status);
    else expect(message.result.tools.map((tool: { readonly name: string }) => tool.name)).toEqual(expected.map(({ name }) => name));
  });
});

test("a viewer's attempt to read what only admins have is a denied access event", async () => {
  const viewer = ACCESS_CALLERS.find(({ name }) => name === 'key of viewer');
  if (viewer === undefined) throw new Error('no viewer');
  full.world.history.accessEvents = [];
  const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'evenkeel://cluster' } };
  expect((await ask(full, viewer, read)).message.result).toBeUndefined();
  await ask(full, viewer, callOf('list_nodes', {}));
  expect(full.world.history.accessEvents.map(({ action, target, outcome }) => [action, target, outcome])).toEqual([
    ['mcp/unknown-tool', 'list_nodes', 'denied'],
    ['mcp/unknown-resource', 'evenkeel://cluster', 'denied'],
  ]);
});

test('a cursor is refused to another caller', async () => {
  const [first, second] = ['viewer of *', 'operator of *'].map((name) => ACCESS_CALLERS.find((caller) => caller.name === name));
  if (first === undefined || second === undefined) throw new Error('no callers');
  const page = await ask(full, first, callOf('list_workloads', { limit: 2 }));
  const { nextCursor } = page.message.result.structuredContent;
  const next = callOf('list_workloads', { limit: 2, cursor: nextCursor });
  expect((await ask(full, first, next)).message.result.structuredContent.items).toHaveLength(2);
  const refused = await ask(full, second, next);
  expectNoData(refused);
  expect(refused.message.result.content[0].text).toContain('cursor belongs to another caller');
});

test('a cursor of one replica continues on another', async () => {
  const other = await startAccessServer('full', await hashPassword(LOCAL_ADMIN.password));
  const page = await ask(full, ADMIN, callOf('list_workloads', { limit: 2 }));
  const next = callOf('list_workloads', { limit: 2, cursor: page.message.result.structuredContent.nextCursor });
  const [here, there] = [await ask(full, ADMIN, next), await ask(other, ADMIN, next)];
  await other.close();
  expect(there.message).toEqual(here.message);
});

test('admin tools are those that the contract lists', () => {
  expect(MCP_TOOLS.filter(isAdminTool).map(({ name }) => name)).toEqual([
    'list_nodes',
    'get_scaling_status',
    'get_cluster_summary',
    'get_cluster_usage',
    'get_maintenance_status',
  ]);
});

test('no cell is untested', () => {
  const untested = MCP_TOOLS.flatMap(({ name }) =>
    ACCESS_CALLERS.filter((caller) => tested.get(name)?.has(caller.name) !== true).map((caller) => `${name} × ${caller.name}`),
  );
  process.stdout.write(`MCP cells ${MCP_TOOLS.length * ACCESS_CALLERS.length}, untested ${untested.length}\n`);
  expect(untested).toEqual([]);
});
