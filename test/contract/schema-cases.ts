// The contract of a store when its schema is upgraded, and when an older version opens it again.

import { expect, test } from '@jest/globals';
import { type ColumnTypes, SCHEMA_STEPS, type SchemaStep } from '../../src/adapters/history/schema-steps.ts';
import type { HistoryStore } from '../../src/ports/store/history-store.ts';
import { aCycle, anEntry } from './history-cases.ts';

/** A store, and direct access to its database. */
export interface SchemaUnderTest {
  open(steps?: readonly SchemaStep[]): Promise<HistoryStore>;
  /** Deletes everything. */
  clear(): Promise<void>;
  query(statement: string): Promise<readonly object[]>;
  /** Creates the tables of the last version before schema steps. */
  createTablesOfVersion2(): Promise<void>;
  /** The version number that code before schema steps compares with its own. */
  readVersion(): Promise<number>;
  writeVersion(version: number): Promise<void>;
}

const NEWEST = SCHEMA_STEPS.at(-1)?.number ?? 0;
const NEXT = NEWEST + 1;
/** The schema before the timeline had a table. */
const SCHEMA_2 = SCHEMA_STEPS.slice(0, 2);

/** A step of a later version: a table, an index, and a column that older code does not write. */
const ADDITIVE: SchemaStep = {
  number: NEXT,
  oldestReader: NEWEST,
  statements: ({ integer }) => [
    `create table notes (id ${integer} primary key, body text not null)`,
    'create index notes_by_body on notes (body)',
    'alter table cycles add column note text',
    `alter table applied add column revision ${integer} not null default 0`,
  ],
};

/** A step that older code would misinterpret. */
const BREAKING: SchemaStep = { number: NEXT, oldestReader: NEXT, statements: () => ['alter table cycles rename column body to content'] };

/** A timeline entry in the format before schema 3. */
const APPLIED = {
  workload: { namespace: 'shop', kind: 'Deployment', name: 'web' },
  pod: 'web-1',
  container: 'app',
  from: {},
  to: { cpu: '120m' },
  reason: 'over-provisioned',
  actor: 'policy/default',
  outcome: 'applied',
  message: '',
};

/** Declares the contract as tests. */
export function schemaCases(subject: SchemaUnderTest): void {
  async function readSteps(): Promise<readonly number[]> {
    const rows = await subject.query('select number from evenkeel_schema_steps order by number');
    return rows.map((row) => (row as { number: number }).number);
  }

  async function readCheckpointKeys(history: HistoryStore): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const { key } of history.loadCheckpoints()) keys.push(key);
    return keys;
  }

  const checkpoint = (key: string) => ({ key, savedAt: 1, version: 1, data: Uint8Array.of(1) });

  const insertApplied = (id: string, at: number, body: object): Promise<unknown> =>
    subject.query(`insert into applied (id, at, workload, body) values ('${id}', ${at}, 'shop/Deployment/web', '${JSON.stringify(body)}')`);

  /** Outcome of a read: a store that refuses the schema may do so only after the start. */
  async function readCycles(steps: readonly SchemaStep[]): Promise<unknown> {
    const history = await subject.open(steps);
    try {
      return await history.readCycles(10);
    } finally {
      await history.close();
    }
  }

  test('a new store runs each step once, even when it is opened again', async () => {
    await subject.clear();
    await (await subject.open()).close();
    await subject.query('update evenkeel_schema_steps set applied_at = -1');
    await (await subject.open()).close();
    expect(await readSteps()).toEqual(SCHEMA_STEPS.map(({ number }) => number));
    expect(await subject.query('select number from evenkeel_schema_steps where applied_at <> -1')).toEqual([]);
  });

  test('a new store can be read by code before schema steps, whose tables have version 2', async () => {
    await subject.clear();
    await (await subject.open()).close();
    expect(await subject.readVersion()).toBe(2);
  });

  test('a store that newer code extended is read and written by older code, and then by the newer code again', async () => {
    await subject.clear();
    const newer = await subject.open([...SCHEMA_STEPS, ADDITIVE]);
    newer.appendCycle(aCycle('newer', 1));
    newer.appendEntry(anEntry('newer', 1));
    await newer.saveCheckpoints([checkpoint('newer')], 1);
    await newer.close();

    const older = await subject.open();
    expect(await older.readCycles(10)).toEqual([aCycle('newer', 1)]);
    expect(await older.readEntries({ limit: 10 })).toEqual([anEntry('newer', 1)]);
    older.appendCycle(aCycle('older', 2));
    older.appendEntry(anEntry('older', 2));
    await older.saveCheckpoints([checkpoint('older')], 2);
    await older.flush();
    expect(older.status()).toMatchObject({ ok: true });
    await older.close();

    const again = await subject.open([...SCHEMA_STEPS, ADDITIVE]);
    expect((await again.readCycles(10)).map(({ id }) => id)).toEqual(['older', 'newer']);
    expect((await again.readEntries({ limit: 10 })).map(({ id }) => id)).toEqual(['older', 'newer']);
    expect(await readCheckpointKeys(again)).toEqual(['newer', 'older']);
    await again.close();
    expect(await readSteps()).toEqual([...SCHEMA_STEPS, ADDITIVE].map(({ number }) => number));
  });

  test('entries that a version of schema 2 writes after a rollback are read together with earlier ones', async () => {
    await subject.clear();
    const newer = await subject.open();
    newer.appendEntry(anEntry('newer', 2));
    await newer.close();
    await (await subject.open(SCHEMA_2)).close();
    await insertApplied('rolled back', 3, { ...APPLIED, id: 'rolled back', at: 3 });
    const again = await subject.open();
    expect((await again.readEntries({ limit: 10 })).map(({ id }) => id)).toEqual(['rolled back', 'newer']);
    await again.close();
  });

  test('a store with a step that older code would misinterpret is refused by it with both numbers and the remedy, and not changed', async () => {
    await subject.clear();
    await (await subject.open([...SCHEMA_STEPS, BREAKING])).close();
    const refusal = new RegExp(
      `schema ${NEXT} or later, and this version has schema ${NEWEST}: deploy the version that upgraded the store or a later one, ` +
        'or set history\\.url to a new store$',
    );
    await expect(subject.open()).rejects.toThrow(refusal);
    expect(await readSteps()).toEqual([...SCHEMA_STEPS, BREAKING].map(({ number }) => number));
    expect(await subject.readVersion()).toBe(NEXT);
    await (await subject.open([...SCHEMA_STEPS, BREAKING])).close();
  });

  test('a step that fails is rolled back, and runs at the next start', async () => {
    await subject.clear();
    const failing: SchemaStep = { ...ADDITIVE, statements: (types) => [...ADDITIVE.statements(types), 'create table cycles (id text)'] };
    await expect(readCycles([...SCHEMA_STEPS, failing])).rejects.toThrow(/cycles/);
    expect(await readCycles([...SCHEMA_STEPS, ADDITIVE])).toEqual([]);
    expect(await readSteps()).toEqual([...SCHEMA_STEPS, ADDITIVE].map(({ number }) => number));
  });

  test('a store before schema steps is adopted with all its data', async () => {
    await subject.clear();
    await subject.createTablesOfVersion2();
    await subject.writeVersion(2);
    await subject.query(`insert into cycles (id, started_at, body) values ('c', 1, '${JSON.stringify(aCycle('c', 1))}')`);
    await subject.query(`insert into checkpoints (key, saved_at, version, data, term) values ('a', 1, 1, 'data', 4)`);
    await insertApplied('new', 3, { ...APPLIED, id: 'new', at: 3.5, durationMs: 20, costDeltaPerHourUsd: -0.01 });
    await insertApplied('act', 2, { ...APPLIED, id: 'act', at: 2, act: 'hpa', pod: '', container: '', from: null, to: '70 % → 85 %' });
    await insertApplied('old', 1, { ...APPLIED, id: 'old', at: 1 });
    const history = await subject.open();
    expect(await history.readCycles(10)).toEqual([aCycle('c', 1)]);
    const stored = { ...anEntry('old', 1), message: '', durationMs: null };
    const object = { namespace: 'shop', kind: 'Deployment', name: 'web' };
    expect(await history.readEntries({ object, limit: 10 })).toEqual([
      { ...stored, id: 'new', at: 3.5, durationMs: 20, costDeltaPerHourUsd: -0.01 },
      { ...stored, id: 'act', at: 2, kind: 'hpa', pod: null, container: null, from: null, to: '70 % → 85 %' },
      stored,
    ]);
    history.appendEntry(anEntry('between', 2.5));
    expect((await history.readEntries({ since: 2, limit: 2 })).map(({ id }) => id)).toEqual(['new', 'between']);
    expect(await history.readEntries({ object: { ...object, namespace: null }, limit: 10 })).toEqual([]);
    const accepting = (accepted: string) => history.readEntries({ acceptsNamespace: (namespace) => namespace === accepted, limit: 10 });
    expect([(await accepting('shop')).length, (await accepting('sho')).length]).toEqual([4, 0]);
    expect(await history.saveCheckpoints([checkpoint('a')], 3)).toBe(4);
    expect(await history.saveCheckpoints([checkpoint('b')], 4)).toBeNull();
    expect(await readCheckpointKeys(history)).toEqual(['a', 'b']);
    await history.close();
    expect(await readSteps()).toEqual(SCHEMA_STEPS.map(({ number }) => number));
    expect(await subject.readVersion()).toBe(2);
  });

  test('a store of the first version, whose checkpoints have no term, is adopted with all its data', async () => {
    await subject.clear();
    await subject.createTablesOfVersion2();
    await subject.query('alter table checkpoints drop column term');
    await subject.query('drop table shared_records');
    await subject.writeVersion(1);
    await subject.query(`insert into checkpoints (key, saved_at, version, data) values ('a', 1, 1, 'data')`);
    const history = await subject.open();
    expect(await history.saveCheckpoints([checkpoint('b')], 3)).toBeNull();
    expect(await readCheckpointKeys(history)).toEqual(['a', 'b']);
    await history.close();
    expect(await subject.query('select key from shared_records')).toEqual([]);
    expect(await subject.query('select key from checkpoints where term = 3')).toEqual([{ key: 'b' }]);
    expect(await subject.readVersion()).toBe(2);
  });
}

/** The statements of the last version before schema steps. */
export function tablesOfVersion2({ integer, real, bytes, text, byKey }: ColumnTypes): readonly string[] {
  const points = `cpu_millicores ${real}, memory_bytes ${real}, replicas ${integer} not null`;
  const shared = `topic ${text} not null, key ${text} not null, at ${integer} not null, changed ${integer} not null, body text not null`;
  return [
    `create table checkpoints (key ${text} primary key, saved_at ${integer} not null, version ${integer} not null, data ${bytes} not null, term ${integer} not null)${byKey}`,
    `create table cycles (id ${text} primary key, started_at ${integer} not null, body text not null)`,
    'create index cycles_by_time on cycles (started_at)',
    `create table applied (id ${text} primary key, at ${integer} not null, workload ${text} not null, body text not null)`,
    'create index applied_by_workload on applied (workload, at)',
    'create index applied_by_time on applied (at)',
    `create table usage_points (key ${text} not null, at ${integer} not null, ${points}, primary key (key, at))${byKey}`,
    'create index usage_by_time on usage_points (at)',
    `create table cluster_points (at ${integer} primary key, body text not null)`,
    `create table shared_records (${shared}, primary key (topic, key))`,
    'create index shared_by_change on shared_records (changed)',
  ];
}
