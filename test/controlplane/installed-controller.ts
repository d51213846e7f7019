// Evenkeel on a real control plane as config/ installs it: its CRDs, its namespace, and a controller that has only the token and the roles
// of its ServiceAccount.

import { join } from 'node:path';
import type { DurationMs } from '#kube/units';
import { type Controller, startController } from '../e2e/controller-process.ts';
import { ROOT, type TestFixture } from '../e2e/processes.ts';
import { type KnownWorkload, writeRecordedUsage } from './recorded-usage.ts';
import { RealCluster } from './real-cluster.ts';

export const OWN_NAMESPACE = 'evenkeel-system';
const SERVICE_ACCOUNT = 'evenkeel-controller';
/** User name of the controller in the API server's audit log. */
export const CONTROLLER_USER = `system:serviceaccount:${OWN_NAMESPACE}:${SERVICE_ACCOUNT}`;

/** A cluster with all objects of config/ but without a controller. The fixture stops it. */
export async function startInstalledCluster(fixture: TestFixture, name: string, nodes: number): Promise<RealCluster> {
  const cluster = await RealCluster.start({ name, nodes });
  fixture.addCleanup(() => cluster.stop());
  await cluster.kubectl('apply', '-k', join(ROOT, 'config/crds'));
  await cluster.kubectl('create', 'namespace', OWN_NAMESPACE);
  await cluster.kubectl('apply', '-n', OWN_NAMESPACE, '-k', join(ROOT, 'config/rbac'));
  return cluster;
}

/** Starts the controller with a store that has `spanMs` of usage of these workloads, so that it decides immediately. */
export async function startControllerWithHistory(
  fixture: TestFixture,
  cluster: RealCluster,
  known: { readonly workloads: readonly KnownWorkload[]; readonly spanMs: DurationMs },
): Promise<Controller> {
  const historyFile = join(fixture.folder, 'history.sqlite');
  await writeRecordedUsage(historyFile, known.workloads, known.spanMs);
  return startController(fixture, {
    'kubernetes.kubeconfig': await cluster.serviceAccountKubeconfig(OWN_NAMESPACE, SERVICE_ACCOUNT),
    'kubelet.port': String(cluster.ports.kubelet),
    namespace: OWN_NAMESPACE,
    'history.url': `sqlite:${historyFile}`,
    'controller.warmUp': '1s',
    'controller.leaderElect': 'false',
    'kubelet.interval': '5s',
  });
}
