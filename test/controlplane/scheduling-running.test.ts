import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RealCluster } from './real-cluster.ts';
import { decideOurs } from './scheduling/our-decision.ts';
import { randomCluster } from '../builders/scheduling/random-cluster.ts';
import { scheduledCondition, StaticCluster } from './scheduling/static-cluster.ts';
import type { WireCluster, WireObject } from '../builders/scheduling/wire-cluster.ts';

const CLUSTERS = 24;
/** Other seeds than those of the comparison with the plug-ins. */
const FIRST_SEED = 500_001;

interface Volume {
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: object;
}

/**
 * Without claims that wait for their consumer: a controller would have to bind them, and none runs here. The plug-ins are tested with such
 * claims.
 */
function withoutWaitingClaims(cluster: WireCluster): WireCluster {
  const bound = new Set(
    cluster.claims
      .filter(({ metadata, spec }) => {
        const { annotations = {} } = metadata as { annotations?: Record<string, string> };
        return annotations['pv.kubernetes.io/bind-completed'] !== undefined && (spec as { volumeName?: string }).volumeName !== undefined;
      })
      .map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`),
  );
  const simpler = (pod: WireObject): WireObject => {
    const spec = pod['spec'] as { readonly volumes?: readonly Volume[] };
    const volumes = (spec.volumes ?? []).filter(
      ({ persistentVolumeClaim: claim, ephemeral }) =>
        ephemeral === undefined && (claim === undefined || bound.has(`${pod.metadata.namespace ?? ''}/${claim.claimName}`)),
    );
    return { ...pod, spec: { ...spec, volumes } };
  };
  return { ...cluster, pods: cluster.pods.map(simpler), pending: cluster.pending.map(simpler) };
}

describe('our scheduling rules, compared with the running kube-scheduler', () => {
  let real: RealCluster;
  let world: StaticCluster;
  beforeAll(async () => {
    real = await RealCluster.start({ name: 'scheduling', nodes: 1 });
    // Only the scheduler may change the clusters.
    for (const component of ['kwok', 'kubelets', 'kube-controller-manager'] as const) await real.stopComponent(component);
    world = new StaticCluster(real.api);
    await world.prepare();
    await world.clear();
  });
  afterAll(() => real.stop());

  test(`it binds pods only to nodes that our rules allow, and leaves only pods pending that they refuse, on ${CLUSTERS} random clusters`, async () => {
    const counts = { bound: 0, waiting: 0, gated: 0 };
    const differences: object[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CLUSTERS; seed++) {
      const cluster = withoutWaitingClaims(randomCluster(seed));
      await world.build(cluster);
      await world.waitUntilSeen();
      for (const pod of cluster.pending) {
        const before = await world.read();
        const scheduled = await world.schedule(pod);
        if (scheduled === null) continue;
        const condition = scheduledCondition(scheduled);
        const [ours] = decideOurs({ ...before, pending: [{ ...scheduled, spec: { ...scheduled.spec, nodeName: undefined } }] });
        const allowed = Object.keys(ours?.nodes ?? {}).filter((node) => ours?.nodes?.[node]?.fits === true);
        const { nodeName } = scheduled.spec;
        const why = { seed, pod: ours?.pod, nodeName, condition, allowed, message: ours?.message };
        if (nodeName !== undefined) {
          counts.bound++;
          if (!allowed.includes(nodeName)) differences.push(why);
          continue;
        }
        if (condition?.reason === 'SchedulingGated') {
          counts.gated++;
          if (ours?.gated === undefined) differences.push(why);
        } else {
          counts.waiting++;
          const refused = allowed.length === 0 && condition?.reason === 'Unschedulable';
          // The message continues with the results of the other plug-ins.
          if (!refused || condition.message?.startsWith(`${ours?.message ?? '?'} `) !== true) differences.push(why);
        }
        // The scheduler would retry the pod when the next pod changes the cluster.
        await world.remove(pod);
      }
      await world.clear();
    }
    expect(differences).toEqual([]);
    expect(counts.bound).toBeGreaterThan(15);
    expect(counts.waiting).toBeGreaterThan(15);
  });
});
