// Ports of the commands in a dashboard world.

import type { Caller, CommandPorts } from '../../src/commands/context.ts';
import { EVERYONE_IS_ADMIN } from '../../src/core/access/scope.ts';
import { TEST_SIGNER } from '../fakes/test-signer.ts';
import type { DashboardWorld } from './dashboard-world.ts';

/** Ports of commands in a cluster without protected namespaces, not in dry run, which accepts every override. */
export function commandPortsOf(world: DashboardWorld): CommandPorts {
  return {
    clock: world.clock,
    cluster: world.cluster,
    modeOf: (workload) => world.sources.decisions.governance(workload).mode,
    protectionOf: () => null,
    isEnabled: () => false,
    isProtectedPolicy: () => false,
    wideningOf: () => null,
    isDryRun: () => false,
    isDryRunPolicy: () => false,
    access: world.sources.access,
    draw: () => 0,
    records: world.records,
    signer: TEST_SIGNER,
    events: { record: (event) => void world.events.push(event) },
    logger: world.logger,
  };
}

export function aCaller(given: Partial<Caller> = {}): Caller {
  return { scope: EVERYONE_IS_ADMIN, requestId: 'r-1', address: '127.0.0.1', dryRun: false, idempotencyKey: null, ...given };
}
