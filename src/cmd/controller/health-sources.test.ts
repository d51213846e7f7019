import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import type { InformerStatus } from '../../ports/cluster/cluster-feed.ts';
import { informerHealth, permissionHealth } from './health-sources.ts';

const NODES: InformerStatus = {
  name: 'nodes',
  synced: true,
  required: true,
  decisive: true,
  objects: 3,
  confirmedAt: 0,
  lastEventAt: null,
  restarts: 0,
  problem: null,
  unreadable: null,
};
const first = { key: 'n1', problem: `status.allocatable.cpu: expected a CPU quantity, got "4 cores"` };

describe('the health of an informer', () => {
  test.each<[string, Partial<InformerStatus>, object]>([
    ['is ok when all objects are readable', {}, { status: 'ok', message: '3 objects, 0 restarts, no event yet' }],
    [
      'has the time of the last event',
      { lastEventAt: Date.UTC(2026, 10, 20, 14, 29, 58) },
      { status: 'ok', message: '3 objects, 0 restarts, last event 2026-11-20T14:29:58.000Z' },
    ],
    [
      'has the key of an unreadable object, its field and the remedy',
      { unreadable: { count: 1, first } },
      { status: 'degraded', message: `n1 cannot be read: ${first.problem}; correct this field (3 objects, 0 restarts, no event yet)` },
    ],
    [
      'has the key of one of several unreadable objects',
      { unreadable: { count: 2, first } },
      {
        status: 'degraded',
        message: `2 objects cannot be read, such as n1: ${first.problem}; correct this field (3 objects, 0 restarts, no event yet)`,
      },
    ],
    [
      'reports a failed list first',
      { problem: 'not permitted to list and watch nodes', unreadable: { count: 1, first } },
      { status: 'failed', message: 'not permitted to list and watch nodes (3 objects, 0 restarts, no event yet)' },
    ],
  ])('%s', (_, status, health) => {
    const [source] = informerHealth({ informers: () => [{ ...NODES, ...status }] }, new FakeClock());
    expect(source?.status()).toMatchObject(health);
  });
});

describe('the health of permissions', () => {
  test('is ok where nothing is missing', () => {
    expect(permissionHealth({ missing: () => [] }, new FakeClock()).status()).toMatchObject({ status: 'ok' });
  });

  test('names what is missing, and that the API server may not have read its roles yet', () => {
    const missing = { verb: 'patch', resource: 'pods/resize', namespace: 'shop', message: 'x is forbidden' };
    const health = permissionHealth({ missing: () => [missing] }, new FakeClock()).status();
    expect(health.status).toBe('degraded');
    expect(health.message).toContain("not permitted: patch pods/resize in namespace shop; grant it to Evenkeel's ServiceAccount, unless");
    expect(health.message).toContain('not read its roles yet');
  });
});
