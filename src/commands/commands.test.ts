import { beforeEach, describe, expect, test } from '@jest/globals';
import { aScope } from '../../test/builders/tenants/scopes.ts';
import { aCaller, commandPortsOf } from '../../test/builders/command-ports.ts';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { withExceptions } from '../../test/builders/exceptions.ts';
import { MiB } from '#kube/units';
import { approveRecommendation } from './recommendations/approve-recommendation.ts';
import { bulkRecommendations } from './recommendations/bulk-recommendations.ts';
import type { BulkResult } from '../apis/http/types.generated.ts';
import type { CommandOutcome } from './outcome.ts';
import { carryOut } from './command.ts';
import type { Caller, CommandPorts } from './context.ts';
import { approveLimitException, rejectLimitException } from './recommendations/decide-limit-exceptions.ts';
import { deleteRecommendation } from './recommendations/delete-recommendation.ts';
import { rejectRecommendation } from './recommendations/reject-recommendation.ts';
import { resetToDeploy } from './workloads/reset-to-deploy.ts';
import { rollbackRecommendation } from './recommendations/rollback-recommendation.ts';
import { setBounds } from './workloads/set-bounds.ts';
import { setWorkloadMode } from './workloads/set-workload-mode.ts';
import { triggerResizeCycle } from './trigger-resize-cycle.ts';
import { wakeWorkload } from './recommendations/wake-workload.ts';

const CHECKOUT = { namespace: 'shop', name: 'checkout' };
const CART = { namespace: 'shop', name: 'cart' };
const seen = (cpuMillicores: number) => ({ containers: [{ name: 'app', requests: { cpuMillicores, memoryBytes: 928 * MiB } }] });

let world: DashboardWorld;
let ports: CommandPorts;
const specOf = (name: string) => world.cluster.recommendationList.find((each) => each.spec.targetRef.name === name)!.spec;
const auditLines = () => world.logger.lines.filter((line) => line.message === 'audit');

beforeEach(() => {
  world = dashboardWorld();
  ports = commandPortsOf(world);
});

describe('approve', () => {
  test('stores the displayed values with user and time, an Event and an audit line', async () => {
    const outcome = await carryOut(approveRecommendation, ports, aCaller(), {
      target: CHECKOUT,
      body: { ...seen(490), reason: 'half is idle' },
    });
    expect(outcome.kind).toBe('done');
    expect(specOf('checkout').approved).toEqual({
      by: 'anonymous',
      at: '2026-11-20T14:30:00.000Z',
      containers: [{ name: 'app', requests: { cpu: '490m', memory: '928Mi' }, limits: { memory: '1160Mi' } }],
    });
    expect(world.events[0]).toMatchObject({ reason: 'Approved', subject: { kind: 'Recommendation', name: 'deployment-checkout' } });
    expect(world.events[0]?.message).toContain('half is idle');
    expect(auditLines()[0]?.fields).toMatchObject({ actor: 'anonymous', action: 'Approve', outcome: 'allowed', requestId: 'r-1' });
  });

  test.each([
    ['another request', seen(480)],
    ['a missing container', { containers: [{ name: 'other', requests: { cpuMillicores: 490, memoryBytes: 928 * MiB } }] }],
    [
      'another limit',
      { containers: [{ name: 'app', requests: { cpuMillicores: 490, memoryBytes: 928 * MiB }, limits: { memoryBytes: 1 } }] },
    ],
    ['no value', { containers: [{ name: 'app' }] }],
  ])('is refused where the recommended values have changed: %s', async (_, body) => {
    const outcome = await carryOut(approveRecommendation, ports, aCaller(), { target: CHECKOUT, body: body });
    expect(outcome.kind).toBe('conflict');
    expect(world.records.written).toEqual([]);
  });

  test.each([
    [
      'blocked',
      { state: 'blocked', reason: 'invalid-policy', message: 'cooldown' },
      'The change is blocked: cooldown. Remove the cause, then approve.',
    ],
    [
      'excluded',
      { state: 'excluded', message: 'excluded by the annotation evenkeel.io/exclude' },
      'The workload is excluded: excluded by the annotation evenkeel.io/exclude. End the exclusion, then approve.',
    ],
    [
      'held by an autoscaler',
      { state: 'awaiting', reason: 'hpa', message: 'HorizontalPodAutoscaler web is changing the replicas' },
      'A HorizontalPodAutoscaler blocks the change: HorizontalPodAutoscaler web is changing the replicas. Approve once it no longer does, or set mode Auto, in which its target follows the requests.',
    ],
    [
      'within its tolerance',
      { state: 'optimal', message: 'within the dead band' },
      'No change is due: within the dead band. Approve once the Recommendation awaits approval.',
    ],
  ] as const)('is refused where the workload is %s, since it would act later or never', async (_, status, message) => {
    world.cluster.recommendationList = world.cluster.recommendationList.map((each) => ({ ...each, status: { ...each.status, ...status } }));
    const outcome = await carryOut(approveRecommendation, ports, aCaller(), { target: CHECKOUT, body: seen(490) });
    expect(outcome).toEqual({ kind: 'conflict', message });
    expect(world.records.written).toEqual([]);
  });

  test('accepts a container in the form of the record', async () => {
    const recommended = {
      requests: { cpuMillicores: 490, memoryBytes: 928 * MiB },
      limits: { cpuMillicores: null, memoryBytes: 1160 * MiB },
    };
    const outcome = await carryOut(approveRecommendation, ports, aCaller(), {
      target: CHECKOUT,
      body: { containers: [{ name: 'app', recommended, oomKills: 0 }] },
    });
    expect(outcome.kind).toBe('done');
  });

  test('of rejected values ends the rejection', async () => {
    const status = { state: 'optimal', reason: 'rejected', message: 'these values were rejected' } as const;
    world.cluster.recommendationList = world.cluster.recommendationList.map((each) => ({ ...each, status: { ...each.status, ...status } }));
    await carryOut(rejectRecommendation, ports, aCaller(), { target: CHECKOUT, body: undefined });
    expect((await carryOut(approveRecommendation, ports, aCaller(), { target: CHECKOUT, body: seen(490) })).kind).toBe('done');
    expect([specOf('checkout').approved?.by, specOf('checkout').rejected]).toEqual(['anonymous', undefined]);
  });

  test('of values that are approved already ends a rejection that was stored besides', async () => {
    await carryOut(approveRecommendation, ports, aCaller(), { target: CHECKOUT, body: seen(490) });
    world.cluster.recommendationList = world.cluster.recommendationList.map(({ spec, ...each }) => ({
      ...each,
      spec: { ...spec, ...(spec.approved === undefined ? {} : { rejected: spec.approved }) },
    }));
    await carryOut(approveRecommendation, ports, aCaller(), { target: CHECKOUT, body: seen(490) });
    expect([specOf('checkout').approved?.by, specOf('checkout').rejected]).toEqual(['anonymous', undefined]);
  });

  test('of already approved values writes nothing', async () => {
    await carryOut(approveRecommendation, ports, aCaller(), { target: CHECKOUT, body: seen(490) });
    await carryOut(approveRecommendation, ports, aCaller(), { target: CHECKOUT, body: seen(490) });
    expect(world.records.written.length).toBe(1);
  });

  test.each([
    ['Recommend', 'Set the mode to Approve first'],
    ['Off', 'Set the mode to Approve first'],
    ['Auto', 'applied without an approval'],
  ] as const)('is refused in mode %s, where it would stay pending until the mode changes', async (mode, words) => {
    const outcome = await carryOut(approveRecommendation, { ...ports, modeOf: () => mode }, aCaller(), {
      target: CHECKOUT,
      body: seen(490),
    });
    expect(outcome.kind === 'conflict' && outcome.message).toContain(words);
    expect(world.records.written).toEqual([]);
  });

  test('is refused while usage is collected', async () => {
    expect(
      (await carryOut(approveRecommendation, ports, aCaller(), { target: { namespace: 'notify', name: 'push' }, body: seen(1) })).kind,
    ).toBe('conflict');
  });

  test('a dry run is validated by the API server, changes nothing and records no Event', async () => {
    const outcome = await carryOut(approveRecommendation, ports, aCaller({ dryRun: true }), { target: CHECKOUT, body: seen(490) });
    expect(outcome).toMatchObject({ kind: 'done', dryRun: true, item: { recommendation: { spec: { approved: { by: 'anonymous' } } } } });
    expect(world.records.written[0]?.dryRun).toBe(true);
    expect(specOf('checkout').approved).toBeUndefined();
    expect(world.events).toEqual([]);
  });

  test("returns the API server's message where it refuses, and reports where it cannot be reached", async () => {
    world.records.refuseWith = { kind: 'refused', status: 403, message: 'exceeded quota: team' };
    expect(await carryOut(approveRecommendation, ports, aCaller(), { target: CHECKOUT, body: seen(490) })).toEqual({
      kind: 'rejected',
      message: 'exceeded quota: team',
    });
    world.records.broken = true;
    expect((await carryOut(approveRecommendation, ports, aCaller(), { target: CHECKOUT, body: seen(490) })).kind).toBe('unavailable');
    expect(auditLines().map((line) => line.fields['outcome'])).toEqual(['error', 'error']);
  });

  test('outside the scope is refused without disclosing whether the workload exists', async () => {
    const scope = aScope('operator', ['pay'], 'ann@example.com');
    const there = await carryOut(approveRecommendation, ports, aCaller({ scope }), { target: CHECKOUT, body: seen(490) });
    const notThere = await carryOut(approveRecommendation, ports, aCaller({ scope }), {
      target: { namespace: 'shop', name: 'nothing' },
      body: seen(490),
    });
    expect(there).toEqual(notThere);
    expect(there.kind).toBe('forbidden');
  });
});

describe('reject', () => {
  test('stores the values and removes an approval', async () => {
    await carryOut(approveRecommendation, ports, aCaller(), { target: CHECKOUT, body: seen(490) });
    await carryOut(rejectRecommendation, ports, aCaller(), { target: CHECKOUT, body: undefined });
    expect(specOf('checkout').approved).toBeUndefined();
    expect(specOf('checkout').rejected?.containers[0]?.requests).toEqual({ cpu: '490m', memory: '928Mi' });
  });
});

describe('roll back', () => {
  test('writes one request while it is pending', async () => {
    await carryOut(rollbackRecommendation, ports, aCaller(), { target: CART, body: undefined });
    world.clock.advance(60_000);
    await carryOut(rollbackRecommendation, ports, aCaller(), { target: CART, body: undefined });
    expect(specOf('cart').rollback).toEqual({ by: 'anonymous', at: '2026-11-20T14:30:00.000Z' });
    expect(world.records.written.length).toBe(1);
  });

  test('is requested again after one by a clock that is ahead was carried out', async () => {
    const ahead = '2026-11-22T00:00:00.000Z';
    world.cluster.recommendationList = world.cluster.recommendationList.map((each) =>
      each.spec.targetRef.name !== 'cart'
        ? each
        : {
            ...each,
            spec: { ...each.spec, rollback: { by: 'ann', at: ahead } },
            // An automatic roll-back followed.
            status: { ...each.status, lastRollbackRequestAt: ahead, rolledBack: { at: '2026-11-20T14:00:00.000Z', reason: 'restarts' } },
          },
    );
    await carryOut(rollbackRecommendation, ports, aCaller(), { target: CART, body: undefined });
    expect(world.records.written.length).toBe(1);
  });

  test('is refused in mode Off, where it would stay pending until the mode changes', async () => {
    expect(
      (await carryOut(rollbackRecommendation, { ...ports, modeOf: () => 'Off' }, aCaller(), { target: CART, body: undefined })).kind,
    ).toBe('conflict');
    expect(world.records.written).toEqual([]);
  });

  test('in a dry run is validated and stores no request that would act once the dry run ends', async () => {
    const outcome = await carryOut(rollbackRecommendation, { ...ports, isDryRun: () => true }, aCaller(), {
      target: CART,
      body: undefined,
    });
    expect(outcome).toMatchObject({ kind: 'done', dryRun: true });
    expect([world.records.written[0]?.dryRun, specOf('cart').rollback]).toEqual([true, undefined]);
  });

  test('is requested where only one node class was changed', async () => {
    const classes = [{ name: 'small' }, { name: 'large', previous: { at: '2026-11-20T14:00:00.000Z', containers: [] } }];
    world.cluster.recommendationList = world.cluster.recommendationList.map((each) => ({ ...each, status: { ...each.status, classes } }));
    expect((await carryOut(rollbackRecommendation, ports, aCaller(), { target: CHECKOUT, body: undefined })).kind).toBe('done');
  });

  test('is refused where nothing was changed', async () => {
    expect((await carryOut(rollbackRecommendation, ports, aCaller(), { target: CHECKOUT, body: undefined })).kind).toBe('conflict');
  });

  test.each([
    ['2026-11-21T14:00:00Z', 'automatic changes are on hold until 2026-11-21T14:00:00Z'],
    ['2026-11-20T14:30:00Z', 'its hold ended at 2026-11-20T14:30:00Z'],
  ])('after a roll-back names its time and the end of its hold, %s', async (heldUntil, hold) => {
    world.cluster.recommendationList = world.cluster.recommendationList.map(({ status, ...each }) => {
      const { previous: _, ...rest } = status ?? {};
      return { ...each, status: { ...rest, rolledBack: { at: '2026-11-20T14:00:00Z', heldUntil } } };
    });
    const outcome = await carryOut(rollbackRecommendation, ports, aCaller(), { target: CART, body: undefined });
    expect(outcome).toMatchObject({
      kind: 'conflict',
      message: `Already rolled back at 2026-11-20T14:00:00Z; ${hold}. Nothing was changed since.`,
    });
  });

  test('a repeat with the same key is recognized for 24 hours, by any replica', async () => {
    const key = { idempotencyKey: 'k-1' };
    await carryOut(rollbackRecommendation, ports, aCaller(key), { target: CART, body: undefined });
    world.cluster.recommendationList = world.cluster.recommendationList.map((each) => ({
      ...each,
      status: { ...each.status, rolledBack: { at: '2026-11-20T15:00:00Z' }, lastRollbackRequestAt: '2026-11-20T14:30:00.000Z' },
    }));
    world.clock.advance(23 * 3_600_000);
    await carryOut(rollbackRecommendation, ports, aCaller(key), { target: CART, body: undefined });
    expect(world.records.written.length).toBe(1);
    world.clock.advance(3_600_001);
    await carryOut(rollbackRecommendation, ports, aCaller(key), { target: CART, body: undefined });
    expect(world.records.written.length).toBe(2);
  });
});

describe('mode', () => {
  test('is written to the workload and removed by null', async () => {
    await carryOut(setWorkloadMode, ports, aCaller(), { target: CHECKOUT, body: { mode: 'Off' } });
    expect(world.records.written[0]).toMatchObject({
      object: '/apis/apps/v1/namespaces/shop/deployments/checkout',
      patch: { metadata: { annotations: { 'evenkeel.io/mode': 'Off' } } },
      dryRun: false,
    });
    const outcome = await carryOut(setWorkloadMode, ports, aCaller(), { target: CHECKOUT, body: { mode: null } });
    expect(outcome).toMatchObject({ kind: 'done', item: { annotations: {} } });
  });
});

describe('trigger', () => {
  test('writes one id on every policy, and joins one that is due', async () => {
    const first = await carryOut(triggerResizeCycle, ports, aCaller(), undefined);
    const second = await carryOut(triggerResizeCycle, ports, aCaller({ requestId: 'r-2' }), undefined);
    expect(first).toMatchObject({ kind: 'done', item: { joined: false, policies: ['shop'] } });
    expect(second).toMatchObject({ item: { joined: true, cycleId: first.kind === 'done' ? first.item.cycleId : '' } });
    expect(world.records.written.length).toBe(1);
  });

  test('joins a running cycle', async () => {
    const [policy] = world.cluster.policyList;
    world.cluster.policyList = [
      { ...policy!, status: { lastCycle: { id: 'cycle-9', startedAt: '2026-11-20T14:29:59Z', trigger: 'interval' } } },
    ];
    expect(await carryOut(triggerResizeCycle, ports, aCaller(), undefined)).toMatchObject({ item: { cycleId: 'cycle-9', joined: true } });
    expect(world.records.written).toEqual([]);
  });

  test('joins a cycle that another user has just requested, before the informers show it', async () => {
    const theirs = 'cycle-2026-11-20T14:29:59.900Z-abcdef012345';
    const [policy] = world.cluster.policyList;
    world.cluster.policyList = [{ ...policy!, metadata: { ...policy!.metadata, resourceVersion: '1' } }];
    world.records.ahead.set('/apis/evenkeel.io/v1alpha1/podresizepolicies/shop', {
      uid: policy!.metadata.uid ?? '',
      resourceVersion: '2',
      annotations: { 'evenkeel.io/trigger': theirs },
    });
    expect(await carryOut(triggerResizeCycle, ports, aCaller(), undefined)).toMatchObject({ item: { cycleId: theirs, joined: true } });
    expect(world.records.written).toEqual([]);
  });

  test('requests another cycle once one has started after the last request', async () => {
    await carryOut(triggerResizeCycle, ports, aCaller(), undefined);
    world.clock.advance(60_000);
    world.cluster.policyList = world.cluster.policyList.map((policy) => ({
      ...policy,
      status: { lastCycle: { id: 'x', startedAt: '2026-11-20T14:30:30Z', finishedAt: '2026-11-20T14:30:31Z', trigger: 'interval' } },
    }));
    expect(await carryOut(triggerResizeCycle, ports, aCaller(), undefined)).toMatchObject({ item: { joined: false } });
  });

  test('is refused where there is no policy', async () => {
    world.cluster.policyList = [];
    expect((await carryOut(triggerResizeCycle, ports, aCaller(), undefined)).kind).toBe('conflict');
  });
});

describe('in a dry run', () => {
  test.each<[string, (by: Caller) => Promise<object>]>([
    ['approve', (by) => carryOut(approveRecommendation, ports, by, { target: CHECKOUT, body: seen(490) })],
    ['roll back', (by) => carryOut(rollbackRecommendation, ports, by, { target: CART, body: {} })],
    ['reset', (by) => carryOut(resetToDeploy, ports, by, { target: CHECKOUT, body: {} })],
  ])('of the workload’s policy, %s changes pods: it is validated and not stored', async (_command, run) => {
    ports = { ...ports, isDryRun: () => true };
    expect(await run(aCaller())).toMatchObject({ kind: 'done', dryRun: true });
    expect(world.records.written.map(({ dryRun }) => dryRun)).toEqual([true]);
    expect(world.events).toEqual([]);
  });

  test.each<[string, (by: Caller) => Promise<object>]>([
    ['reject', (by) => carryOut(rejectRecommendation, ports, by, { target: CHECKOUT, body: {} })],
    ['set the mode', (by) => carryOut(setWorkloadMode, ports, by, { target: CHECKOUT, body: { mode: 'Off' } })],
    ['delete the Recommendation', (by) => carryOut(deleteRecommendation, ports, by, { target: CHECKOUT, body: {} })],
  ])('of the workload’s policy, %s sets a rule: it is stored', async (_command, run) => {
    ports = { ...ports, isDryRun: () => true };
    expect(await run(aCaller())).toMatchObject({ kind: 'done', dryRun: false });
    expect(world.records.written.map(({ dryRun }) => dryRun)).toEqual([false]);
  });

  test('of the workload’s policy, the rejection of an overage that was granted in the meantime is not stored', async () => {
    ports = { ...ports, isDryRun: () => true };
    withExceptions(world, 'checkout', {});
    const known = world.cluster.recommendationList.find(({ spec }) => spec.targetRef.name === 'checkout')!;
    const [exception] = known.status!.limitExceptions!;
    const at = new Date(world.clock.now()).toISOString();
    const overage = { before: '1Gi', value: '1536Mi', since: at, until: at };
    world.records.recommendationsAhead.set(`shop/${known.metadata.name}`, {
      ...known,
      metadata: { ...known.metadata, resourceVersion: '99' },
      status: { ...known.status!, limitExceptions: [{ ...exception!, overage }] },
    });
    expect(await carryOut(rejectLimitException, ports, aCaller(), { target: CHECKOUT, body: {} })).toMatchObject({ dryRun: true });
    expect(world.records.written.map(({ dryRun }) => dryRun)).toEqual([true]);
  });

  test('of each workload’s policy, a bulk reports the items that were only validated', async () => {
    ports = { ...ports, isDryRun: ({ name }) => name === 'cart' };
    const outcome = await carryOut(bulkRecommendations, ports, aCaller(), {
      items: [
        { ...CART, action: 'rollback' },
        { ...CHECKOUT, action: 'mode', mode: 'Approve' },
      ],
    });
    expect(outcome).toEqual({
      kind: 'done',
      item: [
        { index: 0, ok: true, dryRun: true },
        { index: 1, ok: true },
      ],
      dryRun: false,
    });
  });

  test('of every policy, a cycle is triggered, and the response says that it changes nothing', async () => {
    ports = { ...ports, isDryRunPolicy: () => true };
    expect(await carryOut(triggerResizeCycle, ports, aCaller(), {})).toMatchObject({ kind: 'done', dryRun: true });
    expect(world.records.written.map(({ dryRun }) => dryRun)).toEqual([false]);
  });
});

describe('in a protected namespace', () => {
  test.each<[string, (by: Caller) => Promise<{ readonly kind: string }>]>([
    ['approve', (by) => carryOut(approveRecommendation, ports, by, { target: CHECKOUT, body: seen(490) })],
    ['reject', (by) => carryOut(rejectRecommendation, ports, by, { target: CHECKOUT, body: seen(490) })],
    ['roll back', (by) => carryOut(rollbackRecommendation, ports, by, { target: CART, body: {} })],
    ['wake', (by) => carryOut(wakeWorkload, ports, by, { target: CHECKOUT, body: {} })],
    ['approve a limit exception', (by) => carryOut(approveLimitException, ports, by, { target: CHECKOUT, body: {} })],
    ['reject a limit exception', (by) => carryOut(rejectLimitException, ports, by, { target: CHECKOUT, body: {} })],
    ['delete the Recommendation', (by) => carryOut(deleteRecommendation, ports, by, { target: CHECKOUT, body: {} })],
    ['set the mode', (by) => carryOut(setWorkloadMode, ports, by, { target: CHECKOUT, body: { mode: 'Off' } })],
    ['set bounds without a value', (by) => carryOut(setBounds, ports, by, { target: CHECKOUT, body: {} })],
    ['reset', (by) => carryOut(resetToDeploy, ports, by, { target: CHECKOUT, body: {} })],
    ['reset with a hold that is too long', (by) => carryOut(resetToDeploy, ports, by, { target: CHECKOUT, body: { for: '91d' } })],
  ])('%s is refused for every role, and nothing is written', async (_command, run) => {
    ports = { ...ports, protectionOf: ({ namespace }) => `Namespace ${namespace} belongs to the cluster itself.` };
    const outcome = await run(aCaller());
    expect(outcome).toEqual({
      kind: 'forbidden',
      message: 'Namespace shop belongs to the cluster itself. Its workloads are not changed through this API.',
    });
    expect(world.records.written).toEqual([]);
  });

  test('a reset of a bare pod is refused because of its namespace, not because it is bare', async () => {
    world.cluster.podList.push({ ...world.cluster.podList[0]!, name: 'single', labels: { tier: 'web' } });
    ports = { ...ports, protectionOf: ({ namespace, kind, labels }) => `${kind} of ${namespace} with ${JSON.stringify(labels)}.` };
    expect(
      await carryOut(resetToDeploy, ports, aCaller(), { target: { namespace: 'shop', name: 'single' }, body: { for: '91d' } }),
    ).toEqual({
      kind: 'forbidden',
      message: 'Pod of shop with {"tier":"web"}. Its workloads are not changed through this API.',
    });
  });

  test('a policy that selects only protected namespaces is not triggered; the other policies are', async () => {
    const [shop] = world.cluster.policyList;
    world.cluster.policyList = [shop!, { ...shop!, metadata: { ...shop!.metadata, name: 'system', uid: 'uid-system' } }];
    ports = { ...ports, isProtectedPolicy: ({ metadata }) => metadata.name === 'system' };
    expect(await carryOut(triggerResizeCycle, ports, aCaller(), undefined)).toMatchObject({ kind: 'done', item: { policies: ['shop'] } });
    expect(world.records.written.length).toBe(1);
  });

  test('a cycle is refused where every policy selects only protected namespaces', async () => {
    ports = { ...ports, isProtectedPolicy: () => true };
    expect(await carryOut(triggerResizeCycle, ports, aCaller(), undefined)).toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining('Every PodResizePolicy selects only namespaces that belong to the cluster'),
    });
    expect(world.records.written).toEqual([]);
  });
});

describe('bulk', () => {
  test('reports each item separately; a failing item does not stop the others', async () => {
    const outcome = await carryOut(bulkRecommendations, ports, aCaller(), {
      items: [
        { namespace: 'shop', name: 'nothing', action: 'rollback' },
        { ...CART, action: 'rollback' },
        { ...CHECKOUT, action: 'approve' },
        { ...CHECKOUT, action: 'mode', mode: 'Approve' },
        { ...CHECKOUT, action: 'mode' },
      ],
    });
    expect(resultsOf(outcome).map((result) => [result.index, result.ok, result.error?.code])).toEqual([
      [0, false, 'not_found'],
      [1, true, undefined],
      [2, false, 'invalid_request'],
      [3, true, undefined],
      [4, false, 'invalid_request'],
    ]);
  });

  test('carries out 500 items', async () => {
    const items = Array.from({ length: 500 }, () => ({ ...CHECKOUT, action: 'mode', mode: 'Off' }) as const);
    const outcome = await carryOut(bulkRecommendations, ports, aCaller(), { items });
    expect(resultsOf(outcome).every((result) => result.ok)).toBe(true);
  });
});

function resultsOf(outcome: CommandOutcome<readonly BulkResult[]>): readonly BulkResult[] {
  if (outcome.kind !== 'done') throw new Error(`refused: ${outcome.kind}`);
  return outcome.item;
}
