import { beforeEach, describe, expect, test } from '@jest/globals';
import { aScope } from '../../test/builders/tenants/scopes.ts';
import { aCaller, commandPortsOf } from '../../test/builders/command-ports.ts';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { EVERYONE_IS_ADMIN } from '../core/access/scope.ts';
import { bulkOverrides } from './workloads/bulk-overrides.ts';
import { carryOut } from './command.ts';
import type { Caller, CommandPorts } from './context.ts';
import { removeBounds, setBounds } from './workloads/set-bounds.ts';
import { setExclusion } from './workloads/set-exclusion.ts';

const WEB = { namespace: 'shop', name: 'web' };
const PATH = '/apis/apps/v1/namespaces/shop/deployments/web';

let world: DashboardWorld;
let ports: CommandPorts;
const caller = (given: Partial<Caller> = {}): Caller => aCaller({ scope: { ...EVERYONE_IS_ADMIN, actor: 'ann@example.com' }, ...given });
const annotationsOf = (name: string) => world.cluster.workloadList.find((each) => each.name === name)!.annotations;
const floorOf = (name: string) => annotationsOf(name)['evenkeel.io/floor'];

beforeEach(() => {
  world = dashboardWorld();
  ports = commandPortsOf(world);
});

describe('bounds', () => {
  test('are written as annotations with user, time and reason, an Event and an audit line', async () => {
    await carryOut(setBounds, ports, caller(), { target: WEB, body: { floor: { app: { cpu: '250m' } }, reason: 'month end' } });
    expect(floorOf('web')).toBe('{"app":{"cpu":"250m"}}');
    expect(JSON.parse(annotationsOf('web')['evenkeel.io/override-notes']!)).toMatchObject({
      floor: { by: 'ann@example.com', at: '2026-11-20T14:30:00.000Z', reason: 'month end' },
    });
    expect(world.events[0]).toMatchObject({ reason: 'OverrideSet', subject: { kind: 'Deployment', name: 'web' } });
    expect(world.events[0]?.message).toMatch(/ann@example.com set floor .*250m.*month end/);
    expect(world.logger.lines.find((line) => line.message === 'audit')?.fields).toMatchObject({ action: 'SetBounds', outcome: 'allowed' });
  });

  test('wider than a policy with stricter overrides only are refused with its name; present ones do not cause a refusal', async () => {
    const mode = { 'evenkeel.io/mode': 'Auto' };
    const strict: CommandPorts = {
      ...ports,
      wideningOf: ({ annotations }) => {
        const overrides = Object.keys(annotations).filter((key) => key === 'evenkeel.io/mode' || key === 'evenkeel.io/floor');
        return overrides.length === 0 ? null : { policy: 'all', overrides };
      },
    };
    const refused = await carryOut(setBounds, strict, caller(), { target: WEB, body: { floor: { app: { cpu: '250m' } } } });
    expect(refused).toMatchObject({ kind: 'conflict', message: expect.stringMatching(/PodResizePolicy all .*workloadOverrides.*floor/) });
    expect(floorOf('web')).toBeUndefined();
    world.cluster.workloadList = world.cluster.workloadList.map((each) => (each.name === 'web' ? { ...each, annotations: mode } : each));
    expect((await carryOut(setBounds, strict, caller(), { target: WEB, body: { ceiling: { app: { cpu: '2' } } } })).kind).toBe('done');
  });

  test('that are set already are not written again', async () => {
    await carryOut(setBounds, ports, caller(), { target: WEB, body: { floor: { app: { cpu: '250m' } } } });
    await carryOut(setBounds, ports, caller(), { target: WEB, body: { floor: { app: { cpu: '250m' } } } });
    expect(world.records.written).toHaveLength(1);
  });

  test('are merged with bounds that another user has just written, before the informers show them', async () => {
    const uid = world.cluster.workloadList.find(({ name }) => name === 'web')!.uid;
    world.records.ahead.set(PATH, { uid, resourceVersion: '9', annotations: { 'evenkeel.io/floor': '{"app":{"memory":"1Gi"}}' } });
    const outcome = await carryOut(setBounds, ports, caller(), { target: WEB, body: { floor: { app: { cpu: '250m' } } } });
    expect(outcome.kind).toBe('done');
    expect(floorOf('web')).toBe('{"app":{"cpu":"250m","memory":"1Gi"}}');
  });

  test('are refused in a conditional command where another user has just written', async () => {
    const uid = world.cluster.workloadList.find(({ name }) => name === 'web')!.uid;
    world.records.ahead.set(PATH, { uid, resourceVersion: '9', annotations: { 'evenkeel.io/floor': '{"app":{"memory":"1Gi"}}' } });
    expect(
      (await carryOut(setBounds, ports, caller({ unmoved: true }), { target: WEB, body: { floor: { app: { cpu: '250m' } } } })).kind,
    ).toBe('conflict');
    expect(floorOf('web')).toBeUndefined();
    // A changed status is no change by a user.
    world.records.ahead.set(PATH, { uid, resourceVersion: '9', annotations: {} });
    expect(
      (await carryOut(setBounds, ports, caller({ unmoved: true }), { target: WEB, body: { floor: { app: { cpu: '250m' } } } })).kind,
    ).toBe('done');
  });

  test('above a ceiling are refused with the field, and nothing is written', async () => {
    await carryOut(setBounds, ports, caller(), { target: WEB, body: { ceiling: { app: { cpu: '1' } } } });
    const outcome = await carryOut(setBounds, ports, caller(), { target: WEB, body: { floor: { app: { cpu: '2' } } } });
    expect(outcome).toMatchObject({ kind: 'invalid', details: [{ path: '/floor/app/cpu' }] });
    expect(world.records.written).toHaveLength(1);
  });

  test('are removed with their note, also unreadable ones', async () => {
    await carryOut(setBounds, ports, caller(), { target: WEB, body: { floor: { app: { cpu: '250m' } } } });
    await carryOut(removeBounds, ports, caller(), { target: WEB, body: {} });
    expect(annotationsOf('web')).toEqual({});
    world.cluster.workloadList = world.cluster.workloadList.map((each) => ({ ...each, annotations: { 'evenkeel.io/floor': 'oops' } }));
    expect((await carryOut(setBounds, ports, caller(), { target: WEB, body: { floor: { app: { cpu: '1' } } } })).kind).toBe('conflict');
    await carryOut(removeBounds, ports, caller(), { target: WEB, body: {} });
    expect(annotationsOf('web')).toEqual({});
  });

  test('in a dry run change nothing and record no Event', async () => {
    const outcome = await carryOut(setBounds, ports, caller({ dryRun: true }), { target: WEB, body: { floor: { app: { cpu: '250m' } } } });
    expect(outcome).toMatchObject({ kind: 'done', dryRun: true, item: { annotations: { 'evenkeel.io/floor': '{"app":{"cpu":"250m"}}' } } });
    expect([floorOf('web'), world.events.length]).toEqual([undefined, 0]);
  });

  test('outside the scope are refused without disclosing whether the workload exists', async () => {
    const scope = aScope('operator', ['pay'], 'bob');
    expect((await carryOut(setBounds, ports, caller({ scope }), { target: WEB, body: { floor: { app: { cpu: '1' } } } })).kind).toBe(
      'forbidden',
    );
    expect((await carryOut(setExclusion, ports, caller({ scope }), { target: WEB, body: { excluded: true } })).kind).toBe('forbidden');
  });
});

test('an exclusion is written and ended', async () => {
  await carryOut(setExclusion, ports, caller(), { target: WEB, body: { excluded: true, reason: 'being measured' } });
  expect(annotationsOf('web')['evenkeel.io/exclude']).toBe('true');
  await carryOut(setExclusion, ports, caller(), { target: WEB, body: { excluded: false } });
  expect(annotationsOf('web')).toEqual({});
});

describe('bulk', () => {
  const floor = { app: { cpu: '250m' } };

  test('a failing item is reported and does not stop the others', async () => {
    const outcome = await carryOut(bulkOverrides, ports, caller(), {
      items: [
        { ...WEB, action: 'set', floor },
        { namespace: 'shop', name: 'nothing', action: 'set', floor },
        { namespace: 'shop', name: 'cart', action: 'set', floor: { app: { cpu: 'lots' } } },
        { namespace: 'shop', name: 'cart', action: 'set' },
        { namespace: 'shop', name: 'cart', action: 'remove', floor },
        { namespace: 'shop', name: 'catalogue', action: 'set', floor },
      ],
    });
    const results = outcome.kind === 'done' ? outcome.item : [];
    expect(results.map((result) => [result.index, result.ok, result.error?.code])).toEqual([
      [0, true, undefined],
      [1, false, 'not_found'],
      [2, false, 'invalid_request'],
      [3, false, 'invalid_request'],
      [4, false, 'invalid_request'],
      [5, true, undefined],
    ]);
    expect(results[2]?.error?.message).toContain('/floor/app/cpu');
    expect([floorOf('web'), floorOf('catalogue'), floorOf('cart')]).toEqual([
      '{"app":{"cpu":"250m"}}',
      '{"app":{"cpu":"250m"}}',
      undefined,
    ]);
  });

  test('items of one workload run in order, so that the last one takes effect', async () => {
    await carryOut(bulkOverrides, ports, caller(), {
      items: [
        { ...WEB, action: 'set', floor },
        { ...WEB, action: 'remove' },
        { ...WEB, action: 'set', floor: { app: { memory: '1Gi' } } },
      ],
    });
    expect(floorOf('web')).toBe('{"app":{"memory":"1Gi"}}');
  });

  test('a repeat with the same key is not carried out twice', async () => {
    const key = { idempotencyKey: 'k-1' };
    await carryOut(bulkOverrides, ports, caller(key), { items: [{ ...WEB, action: 'set', floor }] });
    await carryOut(setBounds, ports, caller(), { target: WEB, body: { floor: { app: { cpu: '1' } } } });
    await carryOut(bulkOverrides, ports, caller(key), { items: [{ ...WEB, action: 'set', floor }] });
    expect(floorOf('web')).toBe('{"app":{"cpu":"1"}}');
  });
});
