import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { anAccessEvent } from '../../../test/builders/access-events.ts';
import { ACCESS_EVENT_OPTIONS } from '../../../test/fakes/test-signer.ts';
import { ApiWorld } from '#embedded-cluster/testing/api-world';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { openNodeSqlite } from '../../adapters/history/node-sqlite.ts';
import { openSqliteHistory } from '../../adapters/history/sqlite-history.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { NO_METRICS } from '../../runtime/metrics.ts';
import type { Terminal } from '../command.ts';
import type { ClusterConnection } from '../connect.ts';
import { createAuditCommand } from './command.ts';

const { writer: WRITER } = ACCESS_EVENT_OPTIONS;

let folder: string;
let path: string;
let world: ApiWorld;
let shown: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-audit-'));
  path = join(folder, 'history.sqlite');
  world = new ApiWorld();
  await world.post('/api/v1/namespaces', { metadata: { name: 'evenkeel-system' } });
  const key = Buffer.alloc(32, 7).toString('base64');
  await world.post('/api/v1/namespaces/evenkeel-system/secrets', { metadata: { name: 'evenkeel-record-key' }, data: { key } });
  await append(1, 5);
});
afterEach(() => rmSync(folder, { recursive: true }));

async function append(from: number, to: number, writer = WRITER): Promise<void> {
  const clock = new FakeClock();
  const bounds = { retentionMs: 1e9, maxBytes: 1e9, clock, machine: clock, logger: SILENT_LOGGER, metrics: NO_METRICS };
  const history = await openSqliteHistory({ ...ACCESS_EVENT_OPTIONS, ...bounds, path, writer });
  for (let index = from; index <= to; index += 1) history.appendAccessEvent(anAccessEvent(index));
  await history.close();
}

function change(statement: string): void {
  const { raw } = openNodeSqlite(path);
  raw.exec(statement);
  raw.close();
}

/** Runs the command; the exit code and what it printed. */
async function run(...args: readonly string[]): Promise<readonly [number, readonly string[]]> {
  shown = [];
  const terminal: Terminal = {
    out: (line) => void shown.push(line),
    err: (line) => void shown.push(`! ${line}`),
    environment: {},
    interrupted: new AbortController().signal,
  };
  const connection = { transport: world.transport, close: () => undefined } as unknown as ClusterConnection;
  const code = await createAuditCommand(() => Promise.resolve(connection)).run(args, terminal);
  return [code, shown];
}
const verify = (...args: readonly string[]) => run('verify', '--store', `sqlite:${path}`, ...args);

describe('evenkeel audit verify', () => {
  test('reports an intact trail, and changes nothing in the store', async () => {
    const before = readFileSync(path);
    expect(await verify()).toEqual([0, ['OK: 5 events in 1 chain']]);
    expect(readFileSync(path)).toEqual(before);
  });

  test('names a changed and a removed event', async () => {
    change(`update access_events set target = 'Deployment/shop/other' where sequence = 2`);
    change('delete from access_events where sequence = 5');
    expect(await verify()).toEqual([
      1,
      [
        `changed: ${WRITER}-000000002 was changed: its hash does not match its content`,
        `removed: ${WRITER}-000000005 was removed from the end of the chain`,
        'BROKEN: 2 faults in 4 events in 1 chain',
      ],
    ]);
  });

  test('without the cluster verifies no signatures, and says so', async () => {
    const [code, [warning, result]] = await verify('--offline');
    expect([code, result]).toEqual([0, 'OK, unsigned: 5 events in 1 chain']);
    expect(warning).toMatch(/signatures were not verified/);
  });

  test('does not pass a chain whose end is no longer signed: it may have been written anew', async () => {
    change(`update access_chains set record = json_remove(record, '$.signature')`);
    const [code, [warning, result]] = await verify();
    expect([code, result]).toEqual([3, 'OK, unsigned: 5 events in 1 chain']);
    expect(warning).toContain(`a rewritten chain is not found: ${WRITER}`);
  });

  test('finds a head that was signed with another key', async () => {
    await world.delete('/api/v1/namespaces/evenkeel-system/secrets/evenkeel-record-key');
    const key = Buffer.alloc(32, 8).toString('base64');
    await world.post('/api/v1/namespaces/evenkeel-system/secrets', { metadata: { name: 'evenkeel-record-key' }, data: { key } });
    expect((await verify())[1][0]).toMatch(/^head: .*signed with another key/);
  });

  test('finds a store that was set back to an earlier time by the saved heads, which it then leaves as they are', async () => {
    const heads = join(folder, 'heads.json');
    const earlier = readFileSync(path);
    await append(1, 3, 'other');
    expect(await verify('--heads', heads)).toEqual([0, ['OK: 8 events in 2 chains']]);
    const saved = readFileSync(heads, 'utf8');
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    writeFileSync(path, earlier);
    expect((await verify())[0]).toBe(0);
    const [code, lines] = await verify('--heads', heads);
    expect([code, lines.at(-2)]).toEqual([1, 'removed: other-000000001 to other-000000003 were removed from the end of the chain']);
    expect(readFileSync(heads, 'utf8')).toBe(saved);
  });

  test('refuses a missing store and wrong arguments', async () => {
    expect(await run('verify')).toEqual([2, [expect.stringContaining('no store')]]);
    expect((await run('prune', '--store', 'sqlite:x'))[0]).toBe(2);
    const missing = join(folder, 'missing.sqlite');
    expect((await run('verify', '--store', `sqlite:${missing}`))[0]).toBe(1);
    expect(existsSync(missing)).toBe(false);
  });
});
