// Deploys of users: every few days each Deployment and StatefulSet gets a new image, and so new pods with the sizes of the manifest.

import { DAY_MS, HOUR_MS, type Instant } from '#kube/units';
import { between } from '#embedded-cluster/clock/seeded-hash';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import type { FortnightWorkload } from './workloads.ts';

const RESOURCES: Readonly<Record<string, string>> = { Deployment: 'deployments.apps', StatefulSet: 'statefulsets.apps' };

interface Templated {
  spec: { template: { spec: { containers: { image: string }[] } } };
}

export interface DeployPlan {
  readonly seed: number;
  readonly until: Instant;
  /** Range of days between two deploys of a workload. */
  readonly everyDays: readonly [from: number, to: number];
}

/** Schedules all deploys until the end; the times depend on the seed only, not on the controller that sizes the pods. */
export function planDeploys(
  cluster: EmbeddedCluster,
  workloads: readonly FortnightWorkload[],
  { seed, until, everyDays }: DeployPlan,
): void {
  const { clock } = cluster;
  const people = cluster.server.accessAs('people');
  for (const { namespace, name, kind } of workloads) {
    const resource = RESOURCES[kind];
    if (resource === undefined) continue;
    const everyMs = between(seed, `deploys/${name}/every`, ...everyDays) * DAY_MS;
    let at = clock.now() + between(seed, `deploys/${name}/first`, 0.2, 1) * everyMs;
    for (let version = 2; at < until - HOUR_MS; version++, at += everyMs) {
      clock.schedule(at, () => {
        people.modify(resource, namespace, name, (draft) => {
          for (const container of (draft as unknown as Templated).spec.template.spec.containers) {
            container.image = container.image.replace(/:\d+$/, `:${version}`);
          }
        });
      });
    }
  }
}
