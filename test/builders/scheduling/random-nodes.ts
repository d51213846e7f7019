import type { Dice } from './dice.ts';
import { GPU, HOSTNAME, NAMESPACES, OLD_ZONE, REGION, ZONE, ZONES, type WireObject } from './wire-cluster.ts';

const LIGHTLY_LOADED = { cpu: '64', memory: '256Gi', pods: '110', 'ephemeral-storage': '500Gi', [GPU]: '50', 'hugepages-2Mi': '8Gi' };

export function randomNode(dice: Dice, index: number, lightlyLoaded: boolean): WireObject {
  const name = `node-${index}`;
  const zone = dice.pick(ZONES);
  const labels: Record<string, string> = {
    ...(dice.chance(0.97) && { [HOSTNAME]: name }),
    ...(dice.chance(0.85) && { [ZONE]: zone, [REGION]: 'r1' }),
    ...(dice.chance(0.05) && { [OLD_ZONE]: zone }),
    ...(dice.chance(0.6) && { rack: dice.pick(['r1', 'r2', '']) }),
    ...(dice.chance(0.6) && { disk: dice.pick(['ssd', 'hdd']) }),
    ...(dice.chance(0.6) && { generation: dice.pick(['1', '2', '7', '07', '10', 'x', '', '99999999999999999999']) }),
    ...(dice.chance(0.1) && { constructor: dice.pick(['here', 'there']) }),
  };
  const crowded: Record<string, string> = {
    cpu: dice.pick(['1', '1500m', '2', '4', '8', '16', '16', '32', '3999m']),
    memory: dice.pick(['1Gi', '4Gi', '8Gi', '32Gi', '64Gi', '3500M']),
    pods: dice.pick(['0', '3', '5', '10', '110', '110', '110', '110', '110', '110']),
    ...(dice.chance(0.7) && { 'ephemeral-storage': dice.pick(['1Gi', '10Gi', '100Gi']) }),
    ...(dice.chance(0.3) && { [GPU]: dice.pick(['0', '1', '4']) }),
    ...(dice.chance(0.2) && { 'hugepages-2Mi': dice.pick(['0', '64Mi', '1Gi']) }),
  };
  const allocatable = lightlyLoaded ? LIGHTLY_LOADED : crowded;
  return {
    metadata: { name, uid: `uid-${name}`, labels },
    spec: {
      ...(dice.chance(lightlyLoaded ? 0.02 : 0.06) && { unschedulable: true }),
      ...(dice.chance(lightlyLoaded ? 0.05 : 0.2) && { taints: dice.times(dice.between(1, 2), () => randomTaint(dice)) }),
    },
    status: {
      // Without `allocatable` the capacity of a node is allocatable.
      ...(dice.chance(0.05) ? { capacity: allocatable } : { allocatable }),
      ...(dice.chance(0.4) && {
        declaredFeatures: dice.some(['RestartAllContainersOnContainerExits', 'UserNamespacesHostNetworkSupport'], 0.6),
      }),
    },
  };
}

function randomTaint(dice: Dice): object {
  return {
    key: dice.pick(['gpu', 'dedicated', 'node.kubernetes.io/unschedulable', 'node.kubernetes.io/not-ready']),
    ...(dice.chance(0.6) && { value: dice.pick(['yes', 'no', '5']) }),
    effect: dice.pick(['NoSchedule', 'NoSchedule', 'NoExecute', 'PreferNoSchedule']),
  };
}

export function randomNamespaces(dice: Dice): WireObject[] {
  return NAMESPACES.map((name) => ({
    metadata: {
      ...{ name, uid: `uid-${name}` },
      labels: {
        'kubernetes.io/metadata.name': name,
        ...(dice.chance(0.7) && { env: dice.pick(['prod', 'dev']) }),
        ...(dice.chance(0.5) && { team: dice.pick(['red', 'blue']) }),
      },
    },
  }));
}

export function randomBudgets(dice: Dice): WireObject[] {
  return dice.times(dice.below(3), (index) => ({
    metadata: { name: `budget-${index}`, namespace: dice.pick(NAMESPACES), uid: `uid-budget-${index}` },
    spec: dice.chance(0.1) ? { selector: {} } : { selector: { matchLabels: { app: dice.pick(['web', 'db', 'cache']) } } },
    status: {
      ...{ disruptionsAllowed: dice.below(3), currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
      ...(dice.chance(0.2) && { disruptedPods: { [`pod-${dice.below(6)}`]: '2026-01-01T00:00:00Z' } }),
    },
  }));
}
