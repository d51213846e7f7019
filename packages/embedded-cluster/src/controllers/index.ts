// The control loops of a Kubernetes control plane, over the embedded cluster's store.

import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { ClusterAccess } from '../api/cluster-access.ts';
import type { MetricsProvider } from '../api/providers.ts';
import type { ControllerPorts, Stop } from './controller-ports.ts';
import { startClaims } from './claims.ts';
import { startCronJobs } from './cronjob/cronjob.ts';
import { startDaemonSets } from './daemonset/daemonset.ts';
import { startDeployments } from './deployment/deployment.ts';
import { startDisruptionBudgets } from './disruption/disruption.ts';
import { startEndpoints } from './endpoints.ts';
import { EventEmitter } from './event-emitter.ts';
import { startGarbageCollector } from './namespaces/garbage-collector.ts';
import { startAutoscalers } from './hpa/horizontal-autoscaler.ts';
import { startJobs } from './job/job.ts';
import { GeneratedNames } from './owners/names.ts';
import { startNamespaces } from './namespaces/namespaces.ts';
import { startNodeLifecycle } from './nodes/node-lifecycle.ts';
import { OwnedObjects } from './owners/owned-objects.ts';
import { startQuotaStatus } from './namespaces/quota-status.ts';
import { startReplicaSets } from './replicaset/replicaset.ts';
import { startServiceAccounts } from './namespaces/service-accounts.ts';
import { startStatefulSets } from './statefulset/statefulset.ts';
import { startTaintEviction } from './nodes/taint-eviction.ts';

export interface ControllerOptions {
  /** Access as `system:kube-controller-manager`. */
  readonly cluster: ClusterAccess;
  readonly clock: Clock;
  /** Seeded: names of pods come from it. */
  readonly random: Random;
  /** Metrics for autoscalers. */
  readonly metrics: Pick<MetricsProvider, 'podMetrics'>;
  /** PEM, for the ConfigMap `kube-root-ca.crt` of every namespace. */
  readonly certificateAuthority?: string;
}

/** Starts every controller. Returns a function that stops them all and cancels their timers. */
export function startControllers({ cluster, clock, random, metrics, certificateAuthority = '' }: ControllerOptions): Stop {
  const ports: ControllerPorts = {
    cluster,
    clock,
    names: new GeneratedNames(random),
    events: new EventEmitter(cluster, clock),
    pods: new OwnedObjects(cluster, 'pods'),
    replicaSets: new OwnedObjects(cluster, 'replicasets.apps'),
    jobs: new OwnedObjects(cluster, 'jobs.batch'),
    revisions: new OwnedObjects(cluster, 'controllerrevisions.apps'),
  };
  const stops = [
    startServiceAccounts(ports, certificateAuthority),
    startNamespaces(ports),
    startGarbageCollector(ports),
    startClaims(ports),
    startDeployments(ports),
    startReplicaSets(ports),
    startStatefulSets(ports),
    startDaemonSets(ports),
    startCronJobs(ports),
    startJobs(ports),
    startAutoscalers(ports, metrics),
    startDisruptionBudgets(ports),
    startEndpoints(ports),
    startQuotaStatus(ports),
    startNodeLifecycle(ports),
    startTaintEviction(ports),
  ];
  return () => {
    for (const stop of stops) stop();
    for (const index of [ports.pods, ports.replicaSets, ports.jobs, ports.revisions]) index.stop();
  };
}
