import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RealCluster } from './real-cluster.ts';
import { decideOurs } from './scheduling/our-decision.ts';
import { randomCluster } from './scheduling/random-cluster.ts';
import { scheduledCondition, StaticCluster } from './scheduling/static-cluster.ts';
import type { WireCluster, WireObject } from './scheduling/wire-cluster.ts';

const CLUSTERS = 24;
/** Other ones than the plug-ins are asked about. */
const FIRST_SEED = 500_001;

interface Volume {
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: object;
}

/** Claims that wait for their consumer need a controller to bind them, and none runs here; the plug-ins are asked about those. */
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

describe('our scheduling rules beside the running kube-scheduler', () => {
  let real: RealCluster;
  let world: StaticCluster;
  beforeAll(async () => {
    real = await RealCluster.start({ name: 'scheduling', nodes: 1 });
    // Nothing is to change the clusters but the scheduler.
    for (const component of ['kwok', 'kubelets', 'kube-controller-manager'] as const) await real.stopComponent(component);
    world = new StaticCluster(real.api);
    await world.prepare();
    await world.clear();
  });
  afterAll(() => real.stop());

  test(`it binds only where we allow, and leaves waiting only what we refuse, on ${CLUSTERS} random clusters`, async () => {
    const seen = { bound: 0, waiting: 0, gated: 0 };
    const differences: object[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CLUSTERS; seed++) {
      const cluster = withoutWaitingClaims(randomCluster(seed));
      await world.build(cluster);
      await world.waitUntilSeen();
      for (const pod of cluster.pending) {
        const before = await world.read();
        const spoken = await world.schedule(pod);
        if (spoken === null) continue;
        const condition = scheduledCondition(spoken);
        const [ours] = decideOurs({ ...before, pending: [{ ...spoken, spec: { ...spoken.spec, nodeName: undefined } }] });
        const allowed = Object.keys(ours?.nodes ?? {}).filter((node) => ours?.nodes?.[node]?.fits === true);
        const { nodeName } = spoken.spec;
        const why = { seed, pod: ours?.pod, nodeName, condition, allowed, message: ours?.message };
        if (nodeName !== undefined) {
          seen.bound++;
          if (!allowed.includes(nodeName)) differences.push(why);
          continue;
        }
        if (condition?.reason === 'SchedulingGated') {
          seen.gated++;
          if (ours?.gated === undefined) differences.push(why);
        } else {
          seen.waiting++;
          const refused = allowed.length === 0 && condition?.reason === 'Unschedulable';
          // What other plug-ins try after the filters stands behind it.
          if (!refused || condition.message?.startsWith(`${ours?.message ?? '?'} `) !== true) differences.push(why);
        }
        // It would be tried again when the next pod changes something.
        await world.remove(pod);
      }
      await world.clear();
    }
    expect(differences).toEqual([]);
    expect(seen.bound).toBeGreaterThan(15);
    expect(seen.waiting).toBeGreaterThan(15);
  });
});
