import { Dice } from './dice.ts';
import { randomBudgets, randomNamespaces, randomNode } from './random-nodes.ts';
import { randomPod, type Theme } from './random-pods.ts';
import { randomStorage } from './random-storage.ts';
import { NAMESPACES, type WireCluster, type WireObject } from './wire-cluster.ts';

const NO_STORAGE = {
  volumes: [],
  claims: [],
  storageClasses: [],
  csiNodes: [],
  csiDrivers: [],
  storageCapacities: [],
  volumeAttachments: [],
};

/** Crowded clusters mix all constraints; the others have free capacity, and their pods use few. */
const MIXED: Theme = { nodes: 1, affinity: 1, spread: 1, volumes: 1, ports: 1 };
const NONE: Theme = { nodes: 0.1, affinity: 0, spread: 0, volumes: 0, ports: 0 };
const THEMES: readonly { readonly lightlyLoaded: boolean; readonly theme: Theme }[] = [
  { lightlyLoaded: false, theme: MIXED },
  { lightlyLoaded: false, theme: { ...NONE, ports: 1 } },
  { lightlyLoaded: true, theme: MIXED },
  { lightlyLoaded: true, theme: { ...NONE, affinity: 2 } },
  { lightlyLoaded: true, theme: { ...NONE, nodes: 0.5, spread: 3 } },
  { lightlyLoaded: true, theme: { ...NONE, affinity: 1, spread: 2 } },
  { lightlyLoaded: true, theme: { ...NONE, volumes: 3 } },
  { lightlyLoaded: true, theme: { ...NONE, ports: 6 } },
];

/** A small cluster that combines all inputs of scheduling at random. */
export function randomCluster(seed: number): WireCluster {
  const dice = new Dice(seed);
  const { lightlyLoaded, theme } = dice.pick(THEMES);
  const nodes = dice.times(dice.between(1, 7), (index) => randomNode(dice, index, lightlyLoaded));
  const running = dice.below(20);
  const storage = theme.volumes > 0 ? randomStorage(dice, nodes, running) : NO_STORAGE;
  const claims = Object.fromEntries(
    NAMESPACES.map((namespace) => [
      namespace,
      storage.claims
        .filter(({ metadata }) => metadata.namespace === namespace && metadata.name.startsWith('claim-'))
        .map(({ metadata }) => metadata.name),
    ]),
  );
  return {
    nodes,
    pods: withoutSharedPorts(
      dice.times(running, (index) =>
        randomPod(dice, { name: `pod-${index}`, node: `node-${dice.below(nodes.length)}`, nodes: nodes.length, theme, claims }),
      ),
    ),
    pending: dice.times(dice.between(2, 4), (index) => randomPod(dice, { name: `new-${index}`, nodes: nodes.length, theme, claims })),
    namespaces: randomNamespaces(dice),
    budgets: randomBudgets(dice),
    ...storage,
  };
}

interface Container {
  readonly ports?: readonly { readonly hostPort?: number; readonly containerPort: number }[];
}
interface PodSpec {
  readonly nodeName?: string;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}

/**
 * Removes host ports that another pod of the node already has. No scheduler would place both there, and the real one, which keeps used
 * ports as a set, considers such a port free when one of the two leaves.
 */
function withoutSharedPorts(pods: readonly WireObject[]): WireObject[] {
  const taken = new Set<string>();
  return pods.map((pod) => {
    const spec = pod['spec'] as PodSpec;
    const containers = [...spec.containers, ...(spec.initContainers ?? [])];
    const wanted = containers
      .flatMap(({ ports }) => ports ?? [])
      .map((port) => `${spec.nodeName ?? ''}:${port.hostPort ?? port.containerPort}`);
    const shares = wanted.some((port) => taken.has(port));
    if (!shares) for (const port of wanted) taken.add(port);
    const closed = ({ ports: _, ...rest }: Container): Container => rest;
    if (!shares) return pod;
    return {
      ...pod,
      spec: {
        ...spec,
        containers: spec.containers.map(closed),
        ...(spec.initContainers && { initContainers: spec.initContainers.map(closed) }),
      },
    };
  });
}
