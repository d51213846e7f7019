// History in PostgreSQL: the contract of the port, and the failures that only a server across a network has.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openPostgresHistory, type PostgresHistoryOptions } from '../../src/adapters/history/postgres-history.ts';
import { POSTGRES_TYPES, SCHEMA_STEPS, type SchemaStep } from '../../src/adapters/history/schema-steps.ts';
import type { HistoryStore } from '../../src/ports/store/history-store.ts';
import type { SharedRecord } from '../../src/ports/cluster/shared-state.ts';
import { NO_METRICS } from '../../src/runtime/metrics.ts';
import { SeededRandom } from '../../src/runtime/random.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { makeServingCertificate } from '#embedded-cluster/api/http/serving-certificate';
import { aCycle, anEntry, historyBounds, historyCases } from '../contract/history-cases.ts';
import { schemaCases, tablesOfVersion2 } from '../contract/schema-cases.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { freePorts } from '../e2e/free-ports.ts';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { PASSWORD, PostgresServer } from './postgres-server.ts';
import { ACCESS_EVENT_OPTIONS } from '../fakes/test-signer.ts';
import { accessEventCases, accessEventRetentionCases } from '../contract/access-event-cases.ts';

const clock = new FakeClock();
const logger = new RecordingLogger();
let server: PostgresServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-history-'));
  server = await PostgresServer.start();
}, HANG_TEST_MS);
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

function open(options: Partial<PostgresHistoryOptions> = {}): Promise<HistoryStore> {
  return openPostgresHistory({
    url: server.url,
    password: PASSWORD,
    caFile: '',
    identity: 'evenkeel-controller-0_abc',
    ...ACCESS_EVENT_OPTIONS,
    retentionMs: 1e9,
    maxBytes: 1e12,
    clock,
    machine: new SystemTimer(),
    random: new SeededRandom(1),
    logger,
    metrics: NO_METRICS,
    ...options,
  });
}

async function clear(): Promise<void> {
  await server.query('drop schema public cascade; create schema public');
}

describe('History in PostgreSQL', () => {
  historyCases({ open, clear });

  test('has totals before the first write', async () => {
    await clear();
    const history = await open();
    expect([await history.readCycles(5), await history.readUsage({ keyPrefix: '', from: 0, to: 1e15 })]).toEqual([[], []]);
    await history.close();
  });
});

describe('Access events in PostgreSQL', () => {
  const subject = { open, clear, query: (statement: string) => server.query(statement) };
  accessEventCases(subject);
  accessEventRetentionCases(subject, clock);
});

describe('The schema in PostgreSQL', () => {
  schemaCases({
    open: (steps) => open(steps === undefined ? {} : { steps }),
    clear,
    query: (statement) => server.query(statement),
    createTablesOfVersion2: async () => {
      for (const statement of tablesOfVersion2(POSTGRES_TYPES)) await server.query(statement);
      await server.query('create table evenkeel_schema (version integer not null)');
    },
    readVersion: async () => (await server.query<{ version: number }>('select version from evenkeel_schema'))[0]?.version ?? 0,
    writeVersion: async (version) => {
      await server.query(`insert into evenkeel_schema (version) values (${version})`);
    },
  });

  test('an error names the server, never the password', async () => {
    await clear();
    await (await open()).close();
    await server.query('update evenkeel_schema set version = 99');
    await expect(open()).rejects.toThrow(/^the history store postgres:\/\/evenkeel@127\.0\.0\.1.* schema 99 or later, /);
  });
});

describe('History in PostgreSQL, bounded', () => {
  historyBounds(async (bounds) => {
    await clear();
    return open(bounds);
  }, clock);

  test('the space of deleted rows is not counted', async () => {
    await clear();
    const bounds = { retentionMs: 1e9, maxBytes: 2_000_000 };
    const history = await open(bounds);
    const begun = clock.now();
    const points = Array.from({ length: 30_000 }, (_, index) => {
      return { key: `shop/Deployment/web-${index % 100}/app`, at: begun + index, cpuMillicores: 1, memoryBytes: 1, replicas: 1 };
    });
    history.appendUsage(points);
    await clock.advance(30_000);
    // Far more flushes than needed until the size fits: deleting beyond that would leave nothing.
    for (let flush = 0; flush < 40 * 600; flush += 600) {
      for (let row = 0; row < 600; row += 1) {
        history.appendCluster({ at: clock.now() } as never);
        await history.flush();
      }
    }
    const remaining = await history.readUsage({ keyPrefix: 'shop/', from: 0, to: begun + 60_000 });
    expect(remaining.length).toBeGreaterThan(2_000);
    expect(remaining.length).toBeLessThan(20_000);
    await history.close();
  });
});

describe('Two replicas on one store', () => {
  const usage = (key: string, at: number, value: number): SharedRecord => ({ topic: 'usage', key, at, body: { value } });

  test('that start at the same time on an empty database both succeed', async () => {
    await clear();
    const all = await Promise.all(Array.from({ length: 6 }, () => open()));
    for (const [index, history] of all.entries()) history.appendCycle(aCycle(`c${index}`, index));
    await Promise.all(all.map((history) => history.flush()));
    expect(await all[0]?.readCycles(10)).toHaveLength(6);
    expect(await server.query('select version from evenkeel_schema')).toEqual([{ version: 2 }]);
    await Promise.all(all.map((history) => history.close()));
  });

  test('that are upgraded at the same time run a migration once, while a replica of the previous version reads and writes', async () => {
    await clear();
    const older = await open();
    const step: SchemaStep = { number: 99, oldestReader: 2, statements: () => ['create table notes (body text)'] };
    const newer = await Promise.all(Array.from({ length: 6 }, () => open({ steps: [...SCHEMA_STEPS, step] })));
    for (const [index, history] of [older, ...newer].entries()) history.appendCycle(aCycle(`c${index}`, index));
    await Promise.all([older, ...newer].map((history) => history.flush()));
    expect(await older.readCycles(10)).toHaveLength(7);
    expect(await server.query('select number from evenkeel_schema_steps where number = 99')).toHaveLength(1);
    await Promise.all([older, ...newer].map((history) => history.close()));
  });

  test('one writes, and the other reads the newest value of each key that changed since its last read', async () => {
    await clear();
    const [leader, follower] = [await open(), await open()];
    leader.shared?.share(usage('n1', 1, 10));
    leader.shared?.share(usage('n1', 2, 11));
    leader.shared?.share(usage('n2', 2, 20));
    leader.shared?.share({ topic: 'summary', key: 'n1', at: 2.5, body: [null, 'text'] });
    await leader.flush();
    const first = await follower.shared!.changes(0);
    expect(first.records).toEqual([usage('n1', 2, 11), usage('n2', 2, 20), { topic: 'summary', key: 'n1', at: 2, body: [null, 'text'] }]);
    expect((await follower.shared!.changes(first.cursor)).records).toEqual([]);
    leader.shared?.share(usage('n2', 3, 21));
    await leader.flush();
    const second = await follower.shared!.changes(first.cursor);
    expect(second.records).toEqual([usage('n2', 3, 21)]);
    expect((await follower.shared!.changes(0)).records).toHaveLength(3);
    await Promise.all([leader.close(), follower.close()]);
  });

  test('with concurrent writers a reader never skips an uncommitted change', async () => {
    await clear();
    const writers = await Promise.all([open(), open()]);
    const reader = await open();
    const seen = new Set<string>();
    let cursor = 0;
    const read = async (): Promise<void> => {
      for (let more = true; more;) {
        const changes = await reader.shared!.changes(cursor);
        ({ cursor, more } = changes);
        for (const { key } of changes.records) seen.add(key);
      }
    };
    for (let round = 0; round < 40; round += 1) {
      for (const [index, writer] of writers.entries()) {
        for (let node = 0; node < 20; node += 1) writer.shared?.share(usage(`${index}-${round}-${node}`, 1, node));
      }
      await Promise.all([...writers.map((writer) => writer.flush()), read()]);
    }
    await read();
    expect(seen.size).toBe(2 * 40 * 20);
    await Promise.all([...writers, reader].map((history) => history.close()));
  });
});

describe('An unavailable server', () => {
  test('does not prevent a start; writes meanwhile arrive when it is back', async () => {
    await clear();
    await server.down();
    const history = await open();
    expect(logger.lines.some(({ message }) => message.includes('is unreachable; starting without it'))).toBe(true);
    history.appendEntry(anEntry('a1', 1));
    await eventually('the status reports the store as unavailable: its server was stopped', HANG_MS, () => !history.status().ok);
    expect(history.status().message).toMatch(/not writable: .*1 rows waiting, 0 dropped/);
    await expect(history.readEntries({ limit: 1 })).rejects.toThrow(/reading the timeline: /);
    await server.up();
    // Without a further call: it retries on its own.
    await eventuallyReads(
      'the store is written again: its server was started',
      HANG_MS,
      () => history.status(),
      ({ ok }) => ok,
    );
    expect(await history.readEntries({ limit: 10 })).toEqual([anEntry('a1', 1)]);
    await history.close();
  });

  test('reads fail at once while it is known to be unavailable, and work again when it is back', async () => {
    await clear();
    const history = await open();
    history.appendCycle(aCycle('c1', 1));
    await history.flush();
    await server.down('immediate');
    await expect(history.readCycles(1)).rejects.toThrow();
    await expect(history.shared!.changes(0)).rejects.toThrow(/reading what the leader shares/);
    await server.up();
    await eventually('cycles are read again: the server was started', HANG_MS, async () => (await history.readCycles(1)).length === 1);
    await history.close();
  });

  test('a closed connection is replaced without an error', async () => {
    await clear();
    const history = await open();
    history.appendCycle(aCycle('c1', 1));
    await history.flush();
    for (let round = 0; round < 3; round += 1) {
      await server.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'evenkeel/%'");
      expect(await history.readCycles(5)).toHaveLength(1);
    }
    await history.close();
  });

  test('a connection that closes in a transaction is replaced, and affects no other', async () => {
    await clear();
    const history = await open();
    const unlock = await server.lock('cycles');
    history.appendCycle(aCycle('c1', 1));
    const pendingWrite = history.flush();
    const ours = "application_name like 'evenkeel/%'";
    await eventually('the write waits: the table is locked', HANG_MS, async () => {
      const waiting = await server.query(`select pid from pg_stat_activity where ${ours} and wait_event_type = 'Lock'`);
      return waiting.length > 0;
    });
    await server.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${ours}`);
    await unlock();
    await pendingWrite;
    expect(await history.readCycles(5)).toHaveLength(1);
    await history.close();
  });

  test('connections are bounded and have an application name', async () => {
    await clear();
    const history = await open();
    await Promise.all(Array.from({ length: 40 }, () => history.readCycles(1)));
    const [row] = await server.query<{ count: string; names: number }>(
      "select count(*), count(distinct application_name) as names from pg_stat_activity where application_name = 'evenkeel/evenkeel-controller-0_abc'",
    );
    expect(Number(row?.count)).toBeGreaterThan(0);
    expect(Number(row?.count)).toBeLessThanOrEqual(4);
    await history.close();
  });
});

describe('A configuration error stops the start, with a message without the password', () => {
  const WRONG = 'not-the-password-42';

  test.each<[string, () => Partial<PostgresHistoryOptions>, RegExp]>([
    ['a wrong password', () => ({ password: WRONG }), /password authentication failed.*EVENKEEL_HISTORY_PASSWORD/s],
    ['a wrong password in the URL', () => ({ url: server.url.replace('@', `:${WRONG}@`), password: '' }), /password authentication failed/],
    ['no password', () => ({ password: '' }), /EVENKEEL_HISTORY_PASSWORD/],
    ['no such database', () => ({ url: `${server.url}-none` }), /does not exist; create the database/],
    ['TLS on a server without TLS', () => ({ url: `${server.url}?sslmode=require` }), /sslmode=disable/],
    ['an unknown sslmode', () => ({ url: `${server.url}?sslmode=maybe` }), /must be one of disable, require, verify-ca, verify-full/],
    ['an unknown parameter', () => ({ url: `${server.url}?pool=9` }), /pool: only sslmode and host/],
    ['no database named', () => ({ url: 'postgres://evenkeel@127.0.0.1' }), /names no database/],
    ['no URL', () => ({ url: `postgres://:${WRONG}@:x` }), /is not a URL/],
  ])('%s', async (_what, options, words) => {
    await clear();
    const failed = await open(options()).then(
      () => null,
      (err: unknown) => err as Error,
    );
    expect(failed?.message).toMatch(words);
    expect(everythingIn(failed)).not.toContain(WRONG);
  });
});

describe('Over TLS', () => {
  test('verify-full accepts only the configured authority; require accepts any', async () => {
    const certificate = await makeServingCertificate('127.0.0.1');
    const tls = await PostgresServer.start({ tls: certificate });
    try {
      const caFile = join(folder, 'ca.pem');
      const otherFile = join(folder, 'other.pem');
      writeFileSync(caFile, certificate.caCertificate);
      writeFileSync(otherFile, (await makeServingCertificate('127.0.0.1')).caCertificate);
      const attempt = (sslmode: string, file: string): Promise<HistoryStore> =>
        open({ url: `${tls.url}?sslmode=${sslmode}`, caFile: file });
      for (const [mode, file] of [
        ['verify-full', caFile],
        ['verify-ca', caFile],
        ['require', ''],
      ] as const) {
        const history = await attempt(mode, file);
        history.appendCycle(aCycle('c1', 1));
        expect(await history.readCycles(1)).toHaveLength(1);
        await history.close();
      }
      await expect(attempt('verify-full', otherFile)).rejects.toThrow(/history\.caFile/);
      await expect(attempt('verify-full', '')).rejects.toThrow(/history\.caFile/);
      await expect(attempt('verify-ca', join(folder, 'none.pem'))).rejects.toThrow(/none\.pem cannot be read/);
    } finally {
      await tls.stop();
    }
  });
});

describe('An address without a server', () => {
  test('counts as unavailable, not as a configuration error', async () => {
    const [port = 0] = await freePorts(1);
    const history = await open({ url: `postgres://evenkeel@127.0.0.1:${port}/history` });
    await expect(history.readCycles(1)).rejects.toThrow(/away|ECONNREFUSED/);
    await history.close();
  });
});

/** Message, stack and all own properties of an error and its causes. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return `${error.message} ${String(error.stack)} ${JSON.stringify(error)} ${everythingIn(error.cause)}`;
}
