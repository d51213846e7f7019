// The contract of a store's access events: chained, bounded by retention, and verified against changes behind Evenkeel's back.

import { expect, test } from '@jest/globals';
import type { AccessEventVerification, ChainWitnesses } from '../../src/ports/store/access-events.ts';
import type { HistoryStore } from '../../src/ports/store/history-store.ts';
import type { RecordSigner } from '../../src/ports/record-signer.ts';
import { HmacSigner } from '../../src/runtime/hmac-signer.ts';
import { DAY_MS } from '#kube/units';
import { anAccessEvent } from '../builders/access-events.ts';
import { ACCESS_EVENT_OPTIONS, TEST_SIGNER } from '../fakes/test-signer.ts';

/** A store, and direct access to its database. */
export interface AccessEventsUnderTest {
  open(options?: {
    readonly writer?: string;
    readonly signer?: RecordSigner;
    readonly accessEventRetentionMs?: number;
    readonly maxBytes?: number;
  }): Promise<HistoryStore>;
  /** Deletes everything. */
  clear(): Promise<void>;
  query(statement: string): Promise<readonly object[]>;
}

const { writer: WRITER } = ACCESS_EVENT_OPTIONS;
const NO_WITNESSES: ChainWitnesses = new Map();
const idOf = (sequence: number): string => `${WRITER}-${String(sequence).padStart(9, '0')}`;

/** What verification finds: kind and id of each fault. */
const faultsOf = ({ faults }: AccessEventVerification): readonly string[] => faults.map(({ kind, id }) => `${kind} ${id ?? ''}`.trim());

/** Declares the contract as tests. */
export function accessEventCases(subject: AccessEventsUnderTest): void {
  async function aStore(events: number): Promise<HistoryStore> {
    await subject.clear();
    const history = await subject.open();
    for (let index = 1; index <= events; index += 1) history.appendAccessEvent(anAccessEvent(index));
    await history.flush();
    return history;
  }

  /** Verifies a store of nine events after a change of its database. */
  async function afterChange(...statements: readonly string[]): Promise<AccessEventVerification> {
    const history = await aStore(9);
    for (const statement of statements) await subject.query(statement);
    const verification = await history.verifyAccessEvents(NO_WITNESSES);
    await history.close();
    return verification;
  }

  test('events are read newest first and filtered, with their place in the chain', async () => {
    const history = await aStore(3);
    const events = await history.readAccessEvents({ limit: 10 });
    expect(events.map(({ id }) => id)).toEqual([idOf(3), idOf(2), idOf(1)]);
    expect(events[0]).toMatchObject({ ...anAccessEvent(3), writer: WRITER, sequence: 3, previousHash: events[1]?.hash });
    const idsOf = async (filter: object) => (await history.readAccessEvents({ ...filter, limit: 10 })).map(({ sequence }) => sequence);
    expect(await idsOf({ since: 2_000 })).toEqual([3, 2]);
    expect(await idsOf({ actors: ['user-1@example.com'] })).toEqual([3, 1]);
    expect(await idsOf({ actions: ['setBounds'] })).toEqual([2]);
    expect(await idsOf({ outcomes: ['denied'] })).toEqual([3]);
    expect((await history.readAccessEvents({ limit: 1 })).map(({ sequence }) => sequence)).toEqual([3]);
    await history.close();
  });

  test('an intact store is verified, each process with a chain of its own', async () => {
    await (await aStore(1_200)).close();
    const other = await subject.open({ writer: 'evenkeel-controller-1' });
    other.appendAccessEvent(anAccessEvent(1));
    expect(await other.verifyAccessEvents(NO_WITNESSES)).toMatchObject({
      state: 'intact',
      events: 1_201,
      chains: 2,
      faults: [],
      unsigned: [],
    });
    await other.close();
  });

  test('a changed event is found', async () => {
    const found = await afterChange(`update access_events set outcome = 'denied' where sequence = 4`);
    expect(found).toMatchObject({ state: 'broken', events: 9 });
    expect(faultsOf(found)).toEqual([`changed ${idOf(4)}`]);
    expect(found.faults[0]?.message).toBe(`${idOf(4)} was changed: its hash does not match its content`);
    expect(faultsOf(await afterChange(`update access_events set after = '{ }' where sequence = 1`))).toEqual([`changed ${idOf(1)}`]);
  });

  test('a removed event is found, in the middle and at the end', async () => {
    const middle = await afterChange('delete from access_events where sequence = 4');
    expect(middle.faults.map(({ message }) => message)).toEqual([`${idOf(4)} was removed before ${idOf(5)}`]);
    const end = await afterChange('delete from access_events where sequence > 7');
    expect(end.faults.map(({ message }) => message)).toEqual([`${idOf(8)} to ${idOf(9)} were removed from the end of the chain`]);
  });

  test('a removed chain is found by its head, and by what is recorded outside of the store', async () => {
    expect(faultsOf(await afterChange('delete from access_events'))).toEqual(['removed']);
    const running = await aStore(9);
    const head = running.accessEventHead();
    await running.close();
    const history = await subject.open({ writer: 'another process' });
    await subject.query('delete from access_events');
    await subject.query('delete from access_chains');
    const found = await history.verifyAccessEvents(new Map([[WRITER, head === null ? [] : [head]]]));
    expect(found.faults.map(({ kind, sequence }) => [kind, sequence])).toEqual([
      ['head', 0],
      ['removed', 1],
    ]);
    await history.close();
  });

  test('a chain that was removed while its process runs is found by what the process remembers', async () => {
    const found = await afterChange('delete from access_events', 'delete from access_chains');
    expect(found.faults.map(({ kind, sequence }) => [kind, sequence])).toEqual([
      ['head', 0],
      ['removed', 1],
    ]);
  });

  test('an inserted event is found, in the middle and at the end', async () => {
    const insert = (sequence: number) =>
      `insert into access_events select writer, ${sequence}, '${idOf(sequence)}', at, email, via, key_id, action, target, outcome, before, after, request_id, address, hash, previous_hash from access_events where sequence = 2`;
    // Through negative positions, as the key is unique at each step.
    const shift = [
      'update access_events set sequence = -sequence where sequence > 4',
      'update access_events set sequence = 1 - sequence where sequence < 0',
    ];
    expect(faultsOf(await afterChange(...shift, insert(5)))[0]).toBe(`inserted ${idOf(5)}`);
    expect(faultsOf(await afterChange(insert(10)))).toEqual([`inserted ${idOf(10)}`]);
  });

  test('reordered events are found', async () => {
    const swap = ['update access_events set sequence = -1 where sequence = 4', 'update access_events set sequence = 4 where sequence = 6'];
    const found = await afterChange(...swap, 'update access_events set sequence = 6 where sequence = -1');
    expect(faultsOf(found)).toEqual([`reordered ${idOf(6)}`, `reordered ${idOf(4)}`]);
  });

  test('a head that was set back to an earlier event is found where it has no valid signature', async () => {
    const forged = `{"sequence":7,"hash":"${'0'.repeat(64)}","signature":"${'A'.repeat(43)}"}`;
    const found = await afterChange(
      'delete from access_events where sequence > 7',
      `update access_chains set sequence = 7, record = '${forged}'`,
    );
    expect(faultsOf(found)).toEqual(['head', 'removed']);
  });

  test('without a key heads are unsigned, and signed with the next write after the key is known', async () => {
    await subject.clear();
    let key: Buffer | null = null;
    const history = await subject.open({ signer: new HmacSigner(() => key) });
    history.appendAccessEvent(anAccessEvent(1));
    expect(await history.verifyAccessEvents(NO_WITNESSES)).toMatchObject({ state: 'unsigned', unsigned: [WRITER], faults: [] });
    key = Buffer.alloc(32, 7);
    expect(await history.verifyAccessEvents(NO_WITNESSES)).toMatchObject({ state: 'intact' });
    await history.close();
    const later = await subject.open({ writer: 'other', signer: TEST_SIGNER });
    expect(await later.verifyAccessEvents(NO_WITNESSES)).toMatchObject({ state: 'intact' });
    await later.close();
  });
}

/** Tests of retention, with a manual clock. */
export function accessEventRetentionCases(
  subject: AccessEventsUnderTest,
  clock: { advance(ms: number): Promise<void>; now(): number },
): void {
  test('retention removes the oldest events, and the rest and what follows can be verified', async () => {
    await subject.clear();
    const history = await subject.open({ accessEventRetentionMs: 60_000 });
    for (let index = 1; index <= 3; index += 1) history.appendAccessEvent(anAccessEvent(index, clock.now()));
    await history.flush();
    await clock.advance(61_000);
    // A prune follows every 600th write.
    for (let index = 4; index <= 604; index += 1) {
      history.appendAccessEvent(anAccessEvent(index, clock.now()));
      await history.flush();
    }
    const [oldest] = (await history.readAccessEvents({ limit: 1_000 })).slice(-1);
    expect(oldest?.sequence).toBe(4);
    expect(await history.verifyAccessEvents(NO_WITNESSES)).toMatchObject({
      state: 'intact',
      events: 601,
      chains: 1,
      faults: [],
      unsigned: [],
    });
    await subject.query('delete from access_events where sequence = 4');
    expect(faultsOf(await history.verifyAccessEvents(NO_WITNESSES))).toEqual(['removed']);
    await history.close();
  });

  test('events that fill a quarter of the store are removed before their retention, the oldest tenth of the time with each prune', async () => {
    await subject.clear();
    const history = await subject.open({ maxBytes: 1 });
    for (let index = 1; index <= 600; index += 1) {
      history.appendAccessEvent(anAccessEvent(index, clock.now()));
      await history.flush();
      await clock.advance(1_000);
    }
    const remaining = await history.readAccessEvents({ limit: 1_000 });
    expect(remaining.length).toBeGreaterThan(500);
    expect(remaining.length).toBeLessThan(600);
    expect(await history.verifyAccessEvents(NO_WITNESSES)).toMatchObject({ state: 'intact', events: remaining.length });
    await history.close();
  });

  test('a chain whose events are gone for a year is forgotten', async () => {
    await subject.clear();
    const ended = await subject.open({ writer: 'ended' });
    ended.appendAccessEvent(anAccessEvent(1, clock.now()));
    await ended.close();
    const history = await subject.open();
    const chainsAfter = async (days: number): Promise<number> => {
      await clock.advance(days * DAY_MS);
      for (let index = 1; index <= 600; index += 1) {
        history.appendAccessEvent(anAccessEvent(index, clock.now()));
        await history.flush();
      }
      return (await history.verifyAccessEvents(NO_WITNESSES)).chains;
    };
    expect([await chainsAfter(91), await chainsAfter(365)]).toEqual([2, 1]);
    await history.close();
  });
}
