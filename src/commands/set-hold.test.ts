import { beforeEach, expect, test } from '@jest/globals';
import { aCaller, commandPortsOf } from '../../test/builders/command-ports.ts';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import type { RecommendationStatus } from '../apis/v1alpha1/index.ts';
import { carryOut } from './command.ts';
import type { CommandPorts } from './context.ts';
import { endHold, holdWorkload } from './workloads/set-hold.ts';

const WEB = { namespace: 'shop', name: 'web', kind: 'Deployment' };

let world: DashboardWorld;
let ports: CommandPorts;
const annotation = () => world.cluster.workloadList.find(({ name }) => name === 'web')?.annotations['evenkeel.io/held-until'];

beforeEach(() => {
  world = dashboardWorld();
  ports = commandPortsOf(world);
});

test('a hold is written with its end, an Event and its author', async () => {
  const outcome = await carryOut(holdWorkload, ports, aCaller(), { target: WEB, body: { for: '2h', reason: 'load test' } });
  expect(outcome.kind).toBe('done');
  expect(annotation()).toBe('2026-11-20T16:30:00.000Z');
  expect(world.events[0]).toMatchObject({
    reason: 'Held',
    message: 'anonymous holds the workload: no automatic change before 2026-11-20T16:30:00.000Z: load test',
  });
});

test.each(['1 hour', '1s', '91d'])('a hold for %s is refused', async (duration) => {
  const outcome = await carryOut(holdWorkload, ports, aCaller(), { target: WEB, body: { for: duration } });
  expect(outcome).toMatchObject({ kind: 'invalid', details: [{ path: '/for' }] });
  expect(annotation()).toBeUndefined();
});

test('the end of a hold removes the annotation; without a hold nothing is written', async () => {
  await carryOut(endHold, ports, aCaller(), { target: WEB, body: {} });
  expect(world.records.written).toEqual([]);
  await carryOut(holdWorkload, ports, aCaller(), { target: WEB, body: {} });
  await carryOut(endHold, ports, aCaller(), { target: WEB, body: {} });
  expect(annotation()).toBeUndefined();
  expect(world.events.at(-1)).toMatchObject({ reason: 'HoldEnded' });
});

test('the end of a hold that is over writes nothing', async () => {
  await carryOut(holdWorkload, ports, aCaller(), { target: WEB, body: { for: '1m' } });
  world.clock.advance(60_000);
  await carryOut(endHold, ports, aCaller(), { target: WEB, body: {} });
  expect(world.records.written).toHaveLength(1);
  expect(world.events.at(-1)).toMatchObject({ reason: 'Held' });
});

const rolledBack = { at: '2026-11-20T14:00:00Z', heldUntil: '2026-11-21T14:00:00Z' };
test.each([
  ['of the workload', { rolledBack }],
  ['of one node class', { classes: [{ name: 'small' }, { name: 'large', rolledBack }] }],
])('the end of a hold after a roll-back %s is the present time', async (_, status) => {
  world.cluster.recommendationList = world.cluster.recommendationList.map((each) => ({
    ...each,
    status: { ...each.status, ...(status as RecommendationStatus) },
  }));
  await carryOut(endHold, ports, aCaller(), { target: WEB, body: {} });
  expect(annotation()).toBe('2026-11-20T14:30:00.000Z');
});
