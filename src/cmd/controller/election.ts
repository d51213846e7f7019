import { KubernetesLeaseStore } from '../../adapters/kubernetes/lease-store.ts';
import { LeaderElection } from '../../runtime/leader-election.ts';
import type { ControllerParts } from './controller-parts.ts';

const LEASE_NAME = 'evenkeel-controller';

/** null: this replica leads without asking. */
export function controllerElection({ world, settings, logger, metrics }: ControllerParts): LeaderElection | null {
  if (!settings['controller.leaderElect']) return null;
  return new LeaderElection({
    store: new KubernetesLeaseStore(world.leaseTransport, { namespace: world.namespace, name: LEASE_NAME }),
    identity: world.identity,
    machine: world.timer,
    random: world.random,
    logger,
    metrics,
    timestamp: () => new Date().toISOString(),
  });
}
