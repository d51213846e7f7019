import { Dice } from './dice.ts';
import { randomBudgets, randomNamespaces, randomNode } from './random-nodes.ts';
import { randomPod } from './random-pods.ts';
import { randomStorage } from './random-storage.ts';
import { NAMESPACES, type WireCluster } from './wire-cluster.ts';

const NO_STORAGE = {
  volumes: [],
  claims: [],
  storageClasses: [],
  csiNodes: [],
  csiDrivers: [],
  storageCapacities: [],
  volumeAttachments: [],
};

/** A small cluster in which everything that scheduling looks at comes together at random. */
export function randomCluster(seed: number): WireCluster {
  const dice = new Dice(seed);
  const nodes = dice.times(dice.between(1, 7), (index) => randomNode(dice, index));
  const running = dice.below(20);
  const fussiness = dice.pick([0.15, 0.4, 0.4, 0.8]);
  const storage = dice.chance(0.5) ? randomStorage(dice, nodes, running) : NO_STORAGE;
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
    pods: dice.times(running, (index) =>
      randomPod(dice, { name: `pod-${index}`, node: `node-${dice.below(nodes.length)}`, nodes: nodes.length, fussiness, claims }),
    ),
    pending: dice.times(dice.between(2, 4), (index) => randomPod(dice, { name: `new-${index}`, nodes: nodes.length, fussiness, claims })),
    namespaces: randomNamespaces(dice),
    budgets: randomBudgets(dice),
    ...storage,
  };
}
