import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import type { TimelineEntry } from '../ports/store/timeline.ts';

let world: DashboardWorld;
let client: DashboardClient;
let made = 0;
beforeEach(async () => {
  world = dashboardWorld();
  world.history.entries = [];
  made = 0;
  client = await startDashboard(world);
});
afterEach(() => client.close());

const sizes = (cpuMillicores: number) => ({
  requests: { cpuMillicores, memoryBytes: null },
  limits: { cpuMillicores: null, memoryBytes: null },
});
const anEntry = (more: Partial<TimelineEntry>): TimelineEntry => ({
  id: `row-${(made += 1)}`,
  at: world.clock.now() - 60_000,
  kind: 'resize',
  namespace: 'shop',
  object: { kind: 'Deployment', name: 'web' },
  pod: 'web-0',
  container: 'app',
  from: sizes(500),
  to: sizes(200),
  reason: 'asks for more than it needs',
  actor: 'evenkeel',
  outcome: 'applied',
  message: '',
  durationMs: 250,
  costDeltaPerHourUsd: -0.01,
  ...more,
});

describe('the timeline', () => {
  test('lists containers changed together as one activity', async () => {
    world.history.entries = [anEntry({}), anEntry({ container: 'proxy', from: sizes(100), to: sizes(50), costDeltaPerHourUsd: -0.002 })];
    const { body } = await client.get('/api/v1/scaling');
    expect(body.data).toEqual([
      {
        time: '2026-11-20T14:29:00.000Z',
        actor: 'evenkeel',
        kind: 'resize',
        object: { namespace: 'shop', kind: 'Deployment', name: 'web', pod: 'web-0' },
        from: { app: sizes(500), proxy: sizes(100) },
        to: { app: sizes(200), proxy: sizes(50) },
        reason: 'asks for more than it needs',
        dryRun: false,
        outcome: 'applied',
        durationSeconds: 0.25,
        costDeltaPerHourUsd: -0.012,
      },
    ]);
  });

  test('describes other changes in words, which are not among the applied values of a recommendation', async () => {
    world.history.entries = [
      anEntry({ kind: 'hpa', pod: null, container: null, from: null, to: 'cpu target 70 % → 85 %' }),
      anEntry({ pod: null, container: null, from: null, to: 'restarted', actor: 'ann', outcome: 'dry-run' }),
    ];
    const { body } = await client.get('/api/v1/scaling?sort=object.name');
    expect(
      body.data.map((item: { kind: string; to: unknown; actor: string; dryRun: boolean }) => [item.kind, item.to, item.actor, item.dryRun]),
    ).toEqual(
      expect.arrayContaining([
        ['hpa', 'cpu target 70 % → 85 %', 'evenkeel', false],
        ['resize', 'restarted', 'ann', true],
      ]),
    );
    expect((await client.get('/api/v1/scaling?kind=hpa')).body.meta.total).toBe(1);
    expect((await client.get('/api/v1/scaling?outcome=dry-run&actor=ann')).body.meta.total).toBe(1);
    expect((await client.get('/api/v1/recommendations/shop/web')).body.data.audit.history).toEqual([]);
  });

  test('starts at the duration, one day ago by default', async () => {
    world.history.entries = [anEntry({ at: world.clock.now() - 2 * 86_400_000 })];
    expect((await client.get('/api/v1/scaling')).body.data).toEqual([]);
    expect((await client.get('/api/v1/scaling?duration=7d')).body.meta.total).toBe(1);
  });

  test('is paged, filtered by namespace and exported as CSV', async () => {
    world.history.entries = Array.from({ length: 5 }, (_, index) => anEntry({ pod: `web-${index}` }));
    const first = (await client.get('/api/v1/scaling?limit=3')).body;
    const second = (await client.get(`/api/v1/scaling?limit=3&cursor=${first.meta.nextCursor}`)).body;
    const pods = [...first.data, ...second.data].map((item: { object: { pod: string } }) => item.object.pod);
    expect(pods.sort()).toEqual(['web-0', 'web-1', 'web-2', 'web-3', 'web-4']);
    expect((await client.get('/api/v1/scaling?namespace=pay')).body.meta.total).toBe(0);
    expect((await client.get('/api/v1/scaling?format=csv')).text.split('\r\n')[0]).toContain('object.namespace');
  });

  test.each([1, 2, 3])('no page of %i hides one of several simultaneous changes of an object', async (limit) => {
    world.history.entries = [
      anEntry({ kind: 'hpa', pod: null, container: null, from: null, to: 'a: cpu target 70 % → 85 %', id: 'hpa/a' }),
      anEntry({ kind: 'hpa', pod: null, container: null, from: null, to: 'b: cpu target 60 % → 75 %', id: 'hpa/b' }),
      anEntry({ pod: null, container: null, from: null, to: 'restarted', id: 'restart' }),
      anEntry({ pod: null, id: 'resize' }),
      anEntry({ pod: null, outcome: 'deferred', id: 'deferred' }),
      anEntry({ pod: null, container: 'proxy', id: 'resize-proxy' }),
    ];
    const whole = (await client.get('/api/v1/scaling')).body.data;
    expect(whole).toHaveLength(5);
    const paged: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await client.get(`/api/v1/scaling?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      paged.push(...body.data);
      cursor = (body.meta.nextCursor ?? null) as string | null;
    }
    expect(paged).toEqual(whole);
  });

  test('reports an unreachable store', async () => {
    world.history.away = true;
    const { status, body } = await client.get('/api/v1/scaling');
    expect([status, body.data, body.meta.warnings[0].code]).toEqual([200, [], 'history_unavailable']);
  });
});
