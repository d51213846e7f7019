import { beforeEach, describe, expect, test } from '@jest/globals';
import { aScope } from '../../test/builders/tenants/scopes.ts';
import fc from 'fast-check';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { aContainerRecord, aNodeRecord } from '../../test/builders/records.ts';
import { EVERYONE_IS_ADMIN } from '../core/access/scope.ts';
import { sumCents, toCents } from '../core/cost/cents.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import { nodePhase } from './cluster/node-phase.ts';
import { Slices } from './lists/slices.ts';
import { ClusterTotals } from './cluster/totals.ts';
import { packageOf } from './workloads/package-of.ts';
import { createReadModels, type ReadModels } from './read-models.ts';
import { seriesSet, appendPresent } from './series.ts';
import { readTimeRange } from './time-range.ts';

let world: DashboardWorld;
let models: ReadModels;
beforeEach(() => {
  world = dashboardWorld();
  models = createReadModels(world.sources);
});
const onlyPay = aScope('operator', ['pay'], 'ann');

describe('money', () => {
  test('the run rate is the sum of its lines, and of used, unused and idle cost', () => {
    const { item, summary } = models.cluster.get();
    const perMonth = item.cost.perMonthUsd!;
    expect(sumCents(summary!.lines.map((line) => line.perMonthUsd))).toBe(perMonth);
    expect(sumCents([summary!.usedPerMonthUsd!, summary!.requestedUnusedPerMonthUsd!, summary!.idlePerMonthUsd!])).toBe(perMonth);
  });

  test('requests as deployed are those of the templates, whatever the pods have now', () => {
    const { deployedRequests } = models.cluster.get().summary!;
    world.cluster.podList = world.cluster.podList.map((pod) => ({
      ...pod,
      containers: pod.containers.map((container) => ({ ...container, requests: { cpuMillicores: 1, memoryBytes: 1 } })),
    }));
    const after = createReadModels(world.sources).cluster.get();
    expect(after.summary!.deployedRequests).toEqual(deployedRequests);
    expect(after.item.requested.cpuMillicores).toBeLessThan(deployedRequests.cpuMillicores);
  });

  test('requests that a LimitRange gave to pods count as deployed', () => {
    const unset = { cpuMillicores: null, memoryBytes: null };
    world.cluster.workloadList = world.cluster.workloadList.map((workload) => ({
      ...workload,
      containers: workload.containers.map((container) => ({ ...container, requests: unset })),
    }));
    const { item, summary } = createReadModels(world.sources).cluster.get();
    expect(summary!.deployedRequests).toEqual(item.requested);
  });

  test('changes of a large cluster are applied in slices, while callers that cannot wait get the last totals', async () => {
    const [pod] = world.cluster.podList;
    world.cluster.podList = Array.from({ length: 6000 }, (_, index) => ({ ...pod!, name: `p${index}` }));
    const waiting: (() => void)[] = [];
    let nowMs = 0;
    const totals = new ClusterTotals(
      world.sources,
      new Slices(
        () => (nowMs += 5),
        (task) => waiting.push(task),
      ),
    );
    expect(totals.current().podCounts.total).toBe(6000);
    world.cluster.podList = [pod!, ...world.cluster.podList.slice(0, 5499)];
    const updated = totals.update();
    let slices = 0;
    for (let slice = waiting.shift(); slice !== undefined; slice = waiting.shift()) {
      expect(totals.current().podCounts.total).toBeGreaterThanOrEqual(5500);
      slice();
      await Promise.resolve();
      slices += 1;
    }
    await updated;
    expect(slices).toBeGreaterThan(10);
    expect(totals.current().podCounts.total).toBe(5500);
  });

  test('recommendations add up to their namespace, and namespaces to used and unused cost, to the cent', async () => {
    const { summary } = models.cluster.get();
    const namespaces = await models.namespaces.list(EVERYONE_IS_ADMIN, { limit: 100, sort: 'name', format: 'json' });
    const records = await models.recommendations.list(EVERYONE_IS_ADMIN, { limit: 100, sort: 'name', format: 'json' });
    if (namespaces.kind !== 'page' || records.kind !== 'page') throw new Error('refused');
    for (const { name, costPerMonthUsd } of namespaces.items) {
      const inNamespace = records.items.filter((record) => record.namespace === name);
      expect(sumCents(inNamespace.map((record) => record.costPerMonthUsd ?? 0))).toBe(costPerMonthUsd);
    }
    const sum = sumCents(namespaces.items.map((each) => each.costPerMonthUsd ?? 0));
    expect(sum).toBe(sumCents([summary!.usedPerMonthUsd!, summary!.requestedUnusedPerMonthUsd!]));
    expect(sumCents(namespaces.items.map((each) => each.wastePerMonthUsd ?? 0))).toBe(summary!.requestedUnusedPerMonthUsd);
  });

  test('the cluster’s projected savings are the sum of its open recommendations', async () => {
    const records = await models.recommendations.list(EVERYONE_IS_ADMIN, {
      limit: 100,
      sort: 'name',
      format: 'json',
      state: ['recommended', 'awaiting', 'applying', 'exception'],
    });
    if (records.kind !== 'page') throw new Error(records.kind);
    expect(models.cluster.get().item.cost.projectedSavingsPerMonthUsd).toBe(records.summary!.savingsPerMonthUsd);
  });

  test('a change is the sum of its lines', async () => {
    const found = await models.recommendations.get(EVERYONE_IS_ADMIN, { namespace: 'shop', name: 'checkout' });
    if (found.kind !== 'found') throw new Error(found.kind);
    const { lines, totalPerMonthUsd } = found.item.audit.money;
    expect(sumCents(lines.map((line) => line.perMonthUsd))).toBe(totalPerMonthUsd);
    expect(totalPerMonthUsd).toBe(found.item.savingsPerMonthUsd);
  });

  test('spot savings are the difference to the on-demand prices of the same nodes', () => {
    expect(models.cluster.get().item.cost.spotSavingsPerMonthUsd).toBe(toCents((0.168984 - 0.048912 + 0.134023 - 0.053609) * 730));
  });
});

describe('explanations', () => {
  test('steps add up to the displayed number, for any stored inputs', async () => {
    world.cluster.recommendationList = world.cluster.recommendationList.map((each) => {
      const inputs = each.status?.inputs?.slice(0, -1);
      return each.spec.targetRef.name === 'checkout'
        ? { ...each, status: { ...each.status, ...(inputs === undefined ? {} : { inputs }) } }
        : each;
    });
    for (const { namespace, name } of world.cluster.workloadList) {
      const found = await models.recommendations.get(EVERYONE_IS_ADMIN, { namespace, name });
      if (found.kind !== 'found') throw new Error(found.kind);
      for (const container of found.item.audit.containers) {
        for (const resource of [container.cpu, container.memory]) {
          if (resource?.recommended === null || resource === null) continue;
          expect(resource.steps.reduce((sum, step) => sum + step.value, 0)).toBe(resource.recommended);
          expect(resource.steps.at(-1)?.total).toBe(resource.recommended);
        }
      }
    }
  });
});

describe('scope', () => {
  test('lists, totals and summaries count only granted namespaces', async () => {
    const page = await models.recommendations.list(onlyPay, { limit: 1, sort: 'name', format: 'json' });
    if (page.kind !== 'page') throw new Error(page.kind);
    expect([page.total, page.items[0]?.name]).toEqual([2, 'ledger']);
    const pods = await models.pods.list(onlyPay, { limit: 100, sort: 'name', format: 'json' });
    expect(pods.kind === 'page' && pods.items.every((pod) => pod.namespace === 'pay')).toBe(true);
    const namespaces = await models.namespaces.list(onlyPay, { limit: 100, sort: 'name', format: 'json' });
    expect(namespaces.kind === 'page' && namespaces.items.map((each) => each.name)).toEqual(['pay']);
  });

  test('health shows object names to admins only', () => {
    const page = models.system.health(onlyPay, { limit: 100, sort: 'name', format: 'json' });
    expect(JSON.stringify(page)).not.toContain('n-5');
    const failing = { status: 'failed', message: 'pod shop/web-0 does not answer', since: null, latencyMs: null } as const;
    const others = createReadModels({ ...world.sources, health: [{ name: 'webhook', status: () => failing }] });
    const scoped = others.system.health(onlyPay, { limit: 100, sort: 'name', format: 'json' });
    expect(scoped.kind === 'page' && scoped.items[0]?.message).toBe('failed; admins see the reason');
  });
});

describe('namespaces', () => {
  const healthOfShop = async () => {
    const page = await createReadModels(world.sources).namespaces.list(EVERYONE_IS_ADMIN, {
      limit: 100,
      sort: 'name',
      format: 'json',
      q: 'shop',
    });
    return page.kind === 'page' ? page.items[0] : undefined;
  };

  test('add up to the requests on the nodes', async () => {
    const page = await models.namespaces.list(EVERYONE_IS_ADMIN, { limit: 100, sort: 'name', format: 'json' });
    if (page.kind !== 'page') throw new Error(page.kind);
    const requested = page.items.reduce((sum, each) => sum + each.requested.cpuMillicores, 0);
    expect(requested).toBe(models.cluster.get().item.requested.cpuMillicores);
  });

  test('count what init containers and pod overhead request', () => {
    const before = models.cluster.get().item;
    world.cluster.podList = world.cluster.podList.map((pod, index) =>
      index === 0 ? { ...pod, overhead: { cpuMillicores: 250, memoryBytes: null } } : pod,
    );
    const after = createReadModels(world.sources).cluster.get().item;
    expect(after.requested.cpuMillicores - before.requested.cpuMillicores).toBe(250);
    expect(after.cost.perMonthUsd).toBe(before.cost.perMonthUsd);
  });

  test.each([
    ['healthy', {}],
    ['critical', { containers: [aContainerRecord({ waitingReason: 'CrashLoopBackOff', state: 'waiting' })] }],
    ['critical', { phase: 'Pending', node: null, schedulable: false }],
    ['attention', { resize: { state: 'infeasible', message: 'no room', since: 0 } }],
  ] as const)('are %s', async (health, change) => {
    world.cluster.podList = world.cluster.podList.map((pod, index) => (index === 0 ? { ...pod, ...change } : pod));
    expect((await healthOfShop())?.health).toBe(health);
  });

  test('need attention where a quota is nearly full', async () => {
    world.cluster.quotaList = [
      {
        namespace: 'shop',
        name: 'team',
        hardRequests: { cpuMillicores: 1000, memoryBytes: null },
        usedRequests: { cpuMillicores: 950, memoryBytes: null },
        hardLimits: { cpuMillicores: null, memoryBytes: null },
        usedLimits: { cpuMillicores: null, memoryBytes: null },
      },
    ];
    expect(await healthOfShop()).toMatchObject({ health: 'attention', quota: [{ name: 'team', usedRatio: 0.95 }] });
  });
});

describe('unknown values are null, never 0', () => {
  test('usage of a cluster without a reading', () => {
    const silent = createReadModels({
      ...world.sources,
      usage: { ...world.sources.usage, source: () => null, confirmedAt: () => null, containerUsage: () => null },
    });
    const { item, summary } = silent.cluster.get();
    expect(item.used).toEqual({ cpuMillicores: null, memoryBytes: null });
    expect(item.utilization).toEqual({ cpuRatio: null, memoryRatio: null });
    expect(summary?.usedPerMonthUsd).toBeNull();
    expect(item.health.parts.find((part) => part.name === 'Inside requests')?.score).toBeNull();
  });

  test('the recommendation of a workload without a decision', () => {
    world.cluster.recommendationList = [];
    const record = models.recommendations.record(world.cluster.workloadList[0]!);
    expect(record).toMatchObject({ state: 'collecting', published: false, confidence: null, savingsPerMonthUsd: null });
    expect(record.containers[0]?.recommended.requests).toEqual({ cpuMillicores: null, memoryBytes: null });
  });
});

describe('overrides', () => {
  test.each([
    ['{"*":{"cpu":"250m"}}', { '*': { cpu: '250m' } }],
    ['{"*":{"cpu":0.4}}', { '*': { cpu: '0.4' } }],
    ['{"*":{"cpu":true}}', null],
    ['not json', null],
    ['[]', null],
  ])('%s', (annotation, floor) => {
    const [workload] = world.cluster.workloadList;
    const record = models.recommendations.record({ ...workload!, annotations: { 'evenkeel.io/floor': annotation } });
    expect(record.overrides.floor).toEqual(floor);
  });
});

describe('packages', () => {
  test.each([
    [{ 'meta.helm.sh/release-name': 'web' }, {}, 'web'],
    [{}, { 'app.kubernetes.io/managed-by': 'Helm', 'app.kubernetes.io/instance': 'web' }, 'web'],
    [{ 'argocd.argoproj.io/tracking-id': 'store:apps/Deployment:shop/web' }, {}, 'store'],
    [{}, { 'kustomize.toolkit.fluxcd.io/name': 'store' }, 'store'],
    [{}, { 'app.kubernetes.io/instance': 'web' }, null],
  ])('%j %j → %s', (annotations, labels, name) => {
    expect(packageOf({ annotations, labels })).toBe(name);
  });
});

describe('phases of a node', () => {
  const now: number = DAY_MS;
  test.each([
    ['ready', {}],
    ['bootstrapping', { ready: false, createdAt: now - MINUTE_MS }],
    ['ready', { ready: false, createdAt: 0 }],
    ['cordoned', { unschedulable: true }],
    ['draining', { unschedulable: true, taints: [{ key: 'evenkeel.io/draining', value: '', effect: 'NoSchedule' }] }],
    ['interrupted', { taints: [{ key: 'cloud.google.com/impending-node-termination', value: '', effect: 'NoSchedule' }] }],
    ['deleting', { deletionAt: now, unschedulable: true }],
  ] as const)('%s', (phase, given) => {
    expect(nodePhase(aNodeRecord({ name: 'n', createdAt: 0, ...given }), now)).toBe(phase);
  });
});

describe('time ranges', () => {
  test('never have more than 400 points without a requested step', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 90 * 24 * 60 }), fc.integer({ min: 1e12, max: 2e12 }), (minutes, now) => {
        const range = readTimeRange({ duration: `${minutes}m` }, now);
        if ('details' in range) throw new Error('refused');
        expect(seriesSet(range, [{ name: 'x', unit: 'count', labels: {}, samples: [] }]).series[0]?.points.length).toBeLessThanOrEqual(400);
        expect(range.start % range.stepMs).toBe(0);
      }),
    );
  });

  test.each([
    ['400 by default', { duration: '2000m' }, 400],
    ['2,000 with a step', { duration: '500m', step: '15s' }, 2000],
  ])('never have one point too many where now is the start of a step: %s', (_, query, max) => {
    const range = readTimeRange(query, 1_700_000_100_000);
    if ('details' in range) throw new Error('refused');
    const set = seriesSet(range, [{ name: 'x', unit: 'count', labels: {}, samples: [{ at: range.end, value: 1 }] }]);
    expect(set.series[0]?.points.length).toBe(max);
    expect(set.series[0]?.points.at(-1)?.[1]).toBe(1);
  });

  test('have no gap by default with a stored point every five minutes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 90 * 24 * 60 }), fc.integer({ min: 1e12, max: 2e12 }), (minutes, now) => {
        const range = readTimeRange({ duration: `${minutes}m` }, now);
        if ('details' in range) throw new Error('refused');
        expect(range.stepMs).toBeGreaterThanOrEqual(5 * MINUTE_MS);
      }),
    );
  });

  test('end with the last complete step, at any moment within the next one', () => {
    const at = (now: number) => readTimeRange({ duration: '1h' }, now);
    const noon = Date.UTC(2026, 10, 20, 12);
    const hour = { start: noon - 60 * MINUTE_MS, end: noon - 5 * MINUTE_MS, stepMs: 5 * MINUTE_MS };
    expect([at(noon), at(noon + 5 * MINUTE_MS - 1)]).toEqual([hour, hour]);
    expect(at(noon + 5 * MINUTE_MS)).toMatchObject({ end: noon });
  });

  test('the present counts in the last step only where the past has no sample there', () => {
    const range = { start: 0, end: 2 * MINUTE_MS, stepMs: MINUTE_MS };
    const present = { at: range.end, value: 9 };
    const within = { at: 3 * MINUTE_MS - 1, value: 1 };
    const earlier = { at: MINUTE_MS, value: 1 };
    const later = { at: 3 * MINUTE_MS, value: 1 };
    expect(appendPresent(range, [within], present)).toEqual([within]);
    expect(appendPresent(range, [earlier, later], present)).toEqual([earlier, later, present]);
  });

  test('a step without samples is null, one with several is their mean', () => {
    const range = { start: 0, end: 3 * MINUTE_MS, stepMs: MINUTE_MS };
    const samples = [
      { at: 0, value: 1 },
      { at: 1000, value: 3 },
      { at: 2 * MINUTE_MS, value: 5 },
    ];
    const { series } = seriesSet(range, [{ name: 'used', unit: 'millicores', labels: {}, samples }]);
    expect(series[0]?.points).toEqual([
      [0, 2],
      [60, null],
      [120, 5],
      [180, null],
    ]);
  });

  test('the last hour of the cluster ends with the last complete step, and with the present where that has no sample', async () => {
    const found = await models.cluster.usage({ duration: '1h' });
    if (found.kind !== 'found') throw new Error(found.kind);
    const used = found.item.series.find((series) => series.name === 'requested' && series.labels['resource'] === 'cpu');
    expect(used?.points.at(-1)?.[1]).not.toBeNull();
    expect(found.item.series.length).toBe(8);
  });
});

describe('policies', () => {
  test('a default is recognized in any unit', () => {
    const [policy] = world.cluster.policyList;
    world.cluster.policyList = [{ ...policy!, spec: { ...policy!.spec, cooldown: '60m' } }];
    const page = models.policies.list(EVERYONE_IS_ADMIN, { limit: 10, sort: 'name', format: 'json' });
    expect(page.kind === 'page' && page.items[0]?.effective['cooldown']).toEqual({ value: '1h', source: 'default' });
  });
});

test('a day of a workload is read from the store, and from memory where the store has a gap', async () => {
  const slot = { at: world.clock.now() - 2 * HOUR_MS, cpuMillicores: 7, memoryBytes: 8, replicas: 2 };
  const usage = { ...world.sources.usage, workloadHistory: () => [slot] };
  world.history.usagePoints = [];
  const found = await createReadModels({ ...world.sources, usage }).workloadUsage.get(
    EVERYONE_IS_ADMIN,
    { namespace: 'shop', name: 'web' },
    { duration: '24h' },
  );
  if (found.kind !== 'found') throw new Error(found.kind);
  const used = found.item.series.find((series) => series.name === 'used' && series.labels['resource'] === 'cpu');
  expect(used?.points.filter((point) => point[1] !== null)).toEqual([[slot.at / 1000, 7]]);
});
