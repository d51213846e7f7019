import { AccessCreator } from '../../adapters/kubernetes/credentials/access-creator.ts';
import { KubernetesAccessStore } from '../../adapters/kubernetes/credentials/access-store.ts';
import { StaleLeaseCleaner } from '../../adapters/kubernetes/credentials/stale-lease-cleaner.ts';
import type { AccessStore } from '../../ports/access-store.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { ProcessHost } from '../process/process-host.ts';
import type { ControllerEnvironment } from './controller-environment.ts';
import { healthSource } from './health-sources.ts';
import { sessionLimits } from './session-limit-settings.ts';
import type { StatusRegistry } from './status-registry.ts';

/** Starts to watch what decides access, and on the leader to create it; null while authentication is off. */
export async function startAccess(
  host: ProcessHost<ControllerEnvironment>,
  settings: Settings,
  registry: StatusRegistry,
): Promise<AccessStore | null> {
  if (!settings['auth.enabled']) return null;
  const { environment, logger, metrics, state, leaderTransport: leaders } = host;
  const {
    transport,
    commandTransport: commands,
    leaseTransport,
    clock,
    activity,
    random,
    namespace,
    timer,
    watches = { timer },
  } = environment;
  const capabilities = { streamingLists: null };
  const context = { transport, clock, ...watches, activity, random, logger, metrics, capabilities };
  const now = (): number => Date.now();
  const replica = { identity: environment.identity, pod: environment.pod ?? null, transport: leaseTransport };
  const store = new KubernetesAccessStore({ context, commands, namespace, cluster: state, now, replica });
  const initialAdmin = settings['auth.initialAdmin'];
  const { lifetimeMs: sessionLifetimeMs } = sessionLimits(settings);
  const isLeader = (): boolean => host.isLeader();
  const creator = new AccessCreator({ transport, leaders, timer, logger, namespace, initialAdmin, sessionLifetimeMs, isLeader, now });
  const cleaner = new StaleLeaseCleaner({ replicas: store.replicas, leaders, namespace, timer, logger, isLeader });
  await host.runComponent('access', (signal) => store.run(signal));
  await host.runComponent('access creator', (signal) => creator.run(signal));
  await host.runComponent('stale leases', (signal) => cleaner.run(signal));
  registry.addHealth(
    healthSource('access', clock, () => {
      const { problem, leaseProblem } = store;
      if (problem === null && leaseProblem !== null) {
        return { status: 'degraded', message: `every request reads grants, API keys and sessions from the API server: ${leaseProblem}` };
      }
      if (problem === null && creator.problem !== null) {
        return { status: 'degraded', message: `the session keys or the AccessPolicy default may be missing: ${creator.problem}` };
      }
      if (problem === null) return { status: 'ok', message: 'grants, API keys and sessions are confirmed' };
      return { status: 'failed', message: `requests are answered 503 until access is confirmed: ${problem}` };
    }),
  );
  return store;
}
