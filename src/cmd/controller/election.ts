import { KubernetesLeaseStore } from '../../adapters/kubernetes/lease-store.ts';
import { LeaderElection } from '../../runtime/leader-election.ts';
import { AUTOSCALER_LEASE } from '../../core/resize/policy/autoscaler-lease.ts';
import { AutoscalerLeaseReader } from './autoscaler-lease-reader.ts';
import type { ControllerParts } from './controller-parts.ts';

const LEASE_NAME = 'evenkeel-controller';

/** Reads the lease by which it is seen whether evenkeel-autoscaler has a leader. */
export function autoscalerLeaseReader({ world, logger }: ControllerParts): AutoscalerLeaseReader {
  const store = new KubernetesLeaseStore(world.leaseTransport, { namespace: world.namespace, name: AUTOSCALER_LEASE });
  return new AutoscalerLeaseReader({ store, timer: world.timer, logger, wallMs: () => Date.now() });
}

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
