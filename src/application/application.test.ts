import { beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { applicationOf } from '../../test/fakes/clients/dashboard-client.ts';
import { EVERYONE_IS_ADMIN } from '../core/access/scope.ts';
import type { CommandInput, CommandName } from './application.ts';

const CALLER = { scope: EVERYONE_IS_ADMIN, requestId: 'r', address: '', dryRun: false, idempotencyKey: null };
const BULK: CommandInput<'bulkRecommendations'> = { items: [{ namespace: 'shop', name: 'checkout', action: 'reject' }] };

let world: DashboardWorld;
beforeEach(() => {
  world = dashboardWorld();
});

describe('A command that is conditional on an unchanged object', () => {
  test('changes nothing where no query reads the object', async () => {
    const carryOut = <Name extends CommandName>(name: Name, input: CommandInput<Name>) =>
      applicationOf(world).carryOut(name, CALLER, input, () => true);
    await expect(carryOut('bulkRecommendations', BULK)).rejects.toThrow('bulkRecommendations: nothing to compare');
    await expect(carryOut('triggerResizeCycle', undefined)).rejects.toThrow('triggerResizeCycle: nothing to compare');
    expect(world.records.written).toEqual([]);
  });
});

describe('While nothing is read', () => {
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  /** More turns than an update of the lists takes. */
  const settled = async () => {
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  };
  const countedUpdates = (): { count: number } => {
    const updates = { count: 0 };
    const { usage } = world.sources;
    Object.assign(world.sources, {
      usage: {
        ...usage,
        problem: () => {
          updates.count += 1;
          return null;
        },
      },
    });
    return updates;
  };

  test('the totals of the cluster are updated every second', async () => {
    const updates = countedUpdates();
    const end = applicationOf(world).keepCurrent();
    await settled();
    updates.count = 0;
    world.timer.advance(1000);
    await settled();
    expect(updates.count).toBe(1);
    end();
    world.timer.advance(10_000);
    await settled();
    expect(updates.count).toBe(1);
  });

  test('the lists of the dashboard are read every 30 s', async () => {
    let reads = 0;
    const { cluster } = world;
    const namespaces = cluster.namespaces.bind(cluster);
    Object.assign(cluster, {
      namespaces: () => {
        reads += 1;
        return namespaces();
      },
    });
    const end = applicationOf(world).keepCurrent();
    for (let second = 0; second < 60; second += 1) {
      await settled();
      world.timer.advance(1000);
    }
    expect(reads).toBe(2);
    end();
  });

  test('nothing is computed before the caches have synced, and a failure is tried again', async () => {
    const updates = countedUpdates();
    world.cluster.synced = false;
    const end = applicationOf(world).keepCurrent();
    await nextTurn();
    expect(updates.count).toBe(0);
    world.cluster.synced = true;
    Object.assign(world.sources.usage, {
      problem: () => {
        throw new Error('broken');
      },
    });
    world.timer.advance(1000);
    await nextTurn();
    expect(world.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    world.timer.advance(1000);
    await nextTurn();
    expect(world.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
    end();
  });
});
