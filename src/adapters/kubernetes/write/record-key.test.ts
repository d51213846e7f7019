import { beforeEach, describe, expect, test } from '@jest/globals';
import { ApiWorld } from '#embedded-cluster/testing/api-world';
import { FastTimer } from '../../../../test/fakes/fast-timer.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { RecordKey } from './record-key.ts';

const NAMESPACE = 'evenkeel-system';
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const { signal } = new AbortController();

let world: ApiWorld;
beforeEach(async () => {
  world = new ApiWorld();
  await world.post('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
});

function replica(isLeader = true, dryRun = false): RecordKey {
  const { transport } = world;
  const common = { timer: new FastTimer(), logger: new RecordingLogger(), namespace: NAMESPACE };
  return new RecordKey({ transport, leaders: transport, ...common, isLeader: () => isLeader, dryRun });
}

describe('the record key', () => {
  test('is created by the leader, and read by every other replica', async () => {
    const [leader, follower] = [replica(), replica(false)];
    await follower.checkKey(signal);
    expect([follower.key, follower.problem]).toEqual([null, expect.stringContaining('the leader creates it')]);
    await leader.checkKey(signal);
    await follower.checkKey(signal);
    expect([leader.key?.length, leader.problem, follower.problem]).toEqual([32, null, null]);
    expect(follower.key).toEqual(leader.key);
  });

  test('is the same after a restart', async () => {
    const before = replica();
    await before.checkKey(signal);
    const after = replica();
    await after.checkKey(signal);
    expect(after.key).toEqual(before.key);
  });

  test('is stored again unchanged where its Secret was deleted', async () => {
    const leader = replica();
    await leader.checkKey(signal);
    const { key } = leader;
    expect((await world.delete(`${SECRETS}/evenkeel-record-key`)).status).toBe(200);
    await leader.checkKey(signal);
    const after = replica();
    await after.checkKey(signal);
    expect(after.key).toEqual(key);
  });

  test('that is malformed is rejected with the remedy', async () => {
    await world.post(SECRETS, { metadata: { name: 'evenkeel-record-key' }, data: { key: 'c2hvcnQ=' } });
    const leader = replica();
    await leader.checkKey(signal);
    expect([leader.key, leader.problem]).toEqual([null, expect.stringContaining('delete the Secret')]);
  });

  test('of a dry run is separate and not stored', async () => {
    const dry = replica(true, true);
    await dry.checkKey(signal);
    expect(dry.key).toHaveLength(32);
    expect((await world.get(`${SECRETS}/evenkeel-record-key`)).status).toBe(404);
  });
});
