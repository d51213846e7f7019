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
