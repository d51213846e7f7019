// A dashboard over an access world, and requests to it as each caller.

import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { isoTime } from '#kube/time/iso-time';
import { workloadKey } from '#kube/records/workload';
import { newSession, sealSession, type Session } from '../../../src/server/auth/session-cookie.ts';
import type { DashboardWorld } from '../dashboard-world.ts';
import { startDashboard } from '../../fakes/clients/dashboard-client.ts';
import { accessWorld, apiKeyOf, nodeEntry, SESSION_NOW, storeKeys, type AccessWorld, type TwinNamespaces } from './access-world.ts';
import { ACCESS_CALLERS, ADMIN, type AccessCaller } from './callers.ts';

/** An answer, without what differs between any two answers: the date, and the sealed text of a session. */
export interface AccessAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

export interface AccessServer extends AccessWorld {
  /** @param body sent as JSON; undefined: none */
  ask(caller: AccessCaller, method: string, path: string, body?: unknown, headers?: Headers): Promise<AccessAnswer>;
  /** A response whose body is still to be read. */
  open(caller: AccessCaller, method: string, path: string, body?: unknown, headers?: Headers): Promise<IncomingMessage>;
  /** Everything that a change can write. */
  effects(): unknown;
  /** Changes objects of every namespace and of none, as the informers and the leader report it, and lets the stream publish that. */
  change(): void;
  /** Undoes every change since the start. */
  restore(): void;
  close(): Promise<void>;
}

/** Interval at which the stream publishes changes. */
const STREAM_TICK_MS = 2000;
/** Interval of the stream's heartbeat, after which every event of a change has been sent. */
export const HEARTBEAT_MS = 15_000;
/** The reverse proxy that identifies users, at the address of the test. */
const PROXY = { header: 'x-authenticated-user', addresses: ['127.0.0.1'] };
const REQUEST_ID = 'access-test';

/** @param authEnabled false: the server asks for no credential */
export async function startAccessServer(
  namespaces: TwinNamespaces,
  passwordHash: string,
  { authEnabled = true, prepare = () => undefined }: { readonly authEnabled?: boolean; readonly prepare?: (of: AccessWorld) => void } = {},
): Promise<AccessServer> {
  const { world, store } = accessWorld(namespaces, passwordHash);
  storeKeys({ world, store }, ACCESS_CALLERS);
  for (const caller of ACCESS_CALLERS) if (caller.credential === 'ended session') store.ended.set(sessionOf(caller).id, SESSION_NOW);
  prepare({ world, store });
  const access = authEnabled ? { store, now: () => SESSION_NOW, isLocalEnabled: true, proxy: PROXY } : null;
  const sources = { ...world.sources, access: authEnabled ? store : null };
  const dashboard = await startDashboard({ ...world, sources }, {}, access);
  const agent = new Agent({ keepAlive: true });
  const undo = undoer({ world, store });
  const open: AccessServer['open'] = (caller, method, path, body, more = {}) =>
    new Promise((resolve, reject) => {
      const json = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        'x-request-id': REQUEST_ID,
        ...(json === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
        ...headersOf(caller, store.keys),
        ...more,
      };
      const sent = httpRequest({ host: '127.0.0.1', port: dashboard.port, method, path, headers, agent }, resolve);
      sent.once('error', reject);
      sent.end(json);
    });
  return {
    world,
    store,
    open,
    ask: async (caller, method, path, body, more) => {
      const response = await open(caller, method, path, body, more);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const { date: _, 'set-cookie': cookies, ...headers } = response.headers;
      const cookie = cookies?.map((each) => each.replace(/^(\w+)=[^;]+/, '$1=SEALED'));
      return { status: response.statusCode ?? 0, headers: { ...headers, cookie }, text: masked(Buffer.concat(chunks).toString('utf8')) };
    },
    effects: () => ({
      written: [...world.records.written],
      events: [...world.events],
      keys: [...store.stored.keys()].sort(),
      ended: [...store.ended.keys()].sort(),
      // Ids of new access requests are random.
      access: masked(JSON.stringify(lists(store))),
    }),
    change: () => changeEverything(world),
    restore: undo,
    close: async () => {
      agent.destroy();
      await dashboard.close();
    },
  };
}

/** The text without the random ids of access requests. */
function masked(text: string): string {
  return text.replaceAll(/\{"id":"[a-z0-9]{12}","email":("[^"]+"),"(name|requestedRole)"/g, '{"id":"ID","email":$1,"$2"');
}

function sessionOf({ name, email }: AccessCaller): Session {
  return { ...newSession(email ?? '', SESSION_NOW), id: `session of ${name}` };
}

const REVOKED_KEY = apiKeyOf({ ...ADMIN, name: 'a revoked key' });

function headersOf(caller: AccessCaller, keys: AccessWorld['store']['keys']): Headers {
  const cookie = (of: AccessCaller): Headers => ({ cookie: `evenkeel=${sealSession(sessionOf(of), keys)}` });
  return {
    ...(caller.credential === 'session' || caller.credential === 'ended session' ? cookie(caller) : {}),
    ...(caller.hasAdminSession ? cookie(ADMIN) : {}),
    ...(caller.credential === 'API key' ? { authorization: `Bearer ${apiKeyOf(caller).text}` } : {}),
    ...(caller.credential === 'revoked key' ? { authorization: `Bearer ${REVOKED_KEY.text}` } : {}),
    ...(caller.credential === 'header of a proxy' ? { [PROXY.header]: caller.email ?? '' } : {}),
    ...(caller.page === 'page of another site' ? { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' } : {}),
    ...(caller.page === 'other origin' ? { origin: 'https://elsewhere.example.com' } : {}),
  };
}

/** First objects of other namespaces alone, then the other ones: the stream has events of which a caller may get none. */
function changeEverything({ cluster, history, timer, clock }: DashboardWorld): void {
  for (const names of [['risk-score'], ['web', 'ledger']]) {
    const workloads = cluster.workloadList.filter(({ name }) => names.includes(name));
    for (const workload of workloads) {
      const { namespace, kind, name } = workload;
      cluster.recommendationList = cluster.recommendationList.map((each) =>
        each.spec.targetRef.name === name
          ? { ...each, status: { ...each.status, state: 'applying', updatedAt: isoTime(clock.now()) } }
          : each,
      );
      cluster.announce({ kind: 'recommendation', key: name, workload: workloadKey(workload) });
      history.appendEntry({ ...nodeEntry(name, clock.now()), namespace, object: { kind, name } });
    }
    // A twin has no nodes' entries, which only admins see.
    if (history.entries.some(({ namespace }) => namespace === null)) history.appendEntry(nodeEntry('n-2', clock.now()));
    cluster.nodeList = cluster.nodeList.slice(1);
    cluster.announce({ kind: 'node', key: 'n-0' });
    timer.advance(STREAM_TICK_MS);
  }
}

/** The lists of an object, and its numbers, such as a version. */
function lists(of: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(of as Readonly<Record<string, unknown>>).flatMap(([name, value]): [string, unknown][] => {
      if (Array.isArray(value)) return [[name, [...(value as readonly unknown[])]]];
      return typeof value === 'number' ? [[name, value]] : [];
    }),
  );
}

/** Remembers the present state of a world. Returns the function that restores it. */
function undoer({ world, store }: AccessWorld): () => void {
  const { cluster, history, records, events } = world;
  const before = { cluster: lists(cluster), history: lists(history), store: lists(store) };
  const [stored, ended] = [new Map(store.stored), new Map(store.ended)];
  return () => {
    Object.assign(cluster, lists(before.cluster));
    Object.assign(history, lists(before.history));
    records.written.length = 0;
    events.length = 0;
    Object.assign(store, lists(before.store));
    replace(store.stored, stored);
    replace(store.ended, ended);
    for (const workload of cluster.workloadList) {
      cluster.announce({ kind: 'recommendation', key: workload.name, workload: workloadKey(workload) });
    }
    cluster.announce({ kind: 'node', key: 'n-0' });
    world.timer.advance(STREAM_TICK_MS);
  };
}

function replace<Key, Value>(map: Map<Key, Value>, by: ReadonlyMap<Key, Value>): void {
  map.clear();
  for (const [key, value] of by) map.set(key, value);
}
