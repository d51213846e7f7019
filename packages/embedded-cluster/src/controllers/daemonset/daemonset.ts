import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { isEqualJson } from '../../api/json.ts';
import { resolveCount } from '../int-or-percent.ts';
import type { ObjectKey } from '../object-key.ts';
import { keyOf, splitKey } from '../object-key.ts';
import { startOwnerController } from '../owners/owner-controller.ts';
import { claimPods } from '../pods/pod-adoption.ts';
import { PodControl } from '../pods/pod-control.ts';
import type { PodDraft } from '../pods/pod-from-template.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { isActive, isAvailable, isReady, isTerminal, isTerminating, nextAvailableAt } from '../pods/pod-state.ts';
import { REVISION_HASH, currentTemplateRevision, trimRevisions } from '../owners/revision-history.ts';
import type { Node } from '../wire/node.ts';
import type { Pod } from '../wire/pod.ts';
import type { DaemonSet, DaemonSetStatus } from '../wire/workload.ts';
import type { WorkList } from '../work-list.ts';
import type { NodeFitness } from './eligible-nodes.ts';
import { daemonPod, fitnessOf, nodeOf, pinToNode } from './eligible-nodes.ts';

const RESOURCE = 'daemonsets.apps';
const COMPONENT = 'daemonset-controller';

/** Keeps one pod of each DaemonSet on every eligible node. */
export function startDaemonSets(ports: ControllerPorts): Stop {
  const { cluster } = ports;
  return startOwnerController(ports, new DaemonSetController(ports), { resource: RESOURCE, kind: 'DaemonSet', owned: 'pods' }, (add) => [
    cluster.onChange('nodes', ({ type, object, previous }) => {
      // Heartbeats are frequent and do not affect daemon pods.
      const moves = (node: Node): unknown => [node.metadata.labels, node.spec];
      if (type === 'MODIFIED' && previous !== undefined && isEqualJson(moves(object), moves(previous))) return;
      for (const set of cluster.list(RESOURCE)) add(keyOf(set));
    }),
  ]);
}

/** A node and the set's pods on it. */
interface NodeDaemons {
  readonly node: Node;
  readonly fitness: NodeFitness;
  readonly pods: readonly Pod[];
}

class DaemonSetController {
  readonly #ports: ControllerPorts;
  readonly #control: PodControl;

  constructor(ports: ControllerPorts) {
    this.#ports = ports;
    this.#control = new PodControl(ports, COMPONENT);
  }

  reconcile(key: ObjectKey, work: WorkList): void {
    const { namespace, name } = splitKey(key);
    const { cluster, clock } = this.#ports;
    const set = cluster.get(RESOURCE, namespace, name) as DaemonSet | undefined;
    if (set === undefined) return;
    const hash = currentTemplateRevision(this.#ports, set).metadata.labels?.[REVISION_HASH] ?? '';
    try {
      if (set.metadata.deletionTimestamp === undefined) {
        this.#place(set, hash, this.#listNodeDaemons(set));
        if (set.spec.updateStrategy?.type !== 'OnDelete') this.#roll(set, hash, this.#listNodeDaemons(set));
      }
    } finally {
      this.#writeStatus(set, hash, this.#listNodeDaemons(set));
    }
    const pods = this.#ports.pods.ownedBy(set.metadata.uid);
    trimRevisions(this.#ports, set, ({ metadata }) => {
      const own = metadata.labels?.[REVISION_HASH];
      return own === hash || pods.some((pod) => pod.metadata.labels?.[REVISION_HASH] === own);
    });
    const at = nextAvailableAt(pods, set.spec.minReadySeconds ?? 0, clock.now());
    if (at !== undefined) work.addAt(key, at);
  }

  #listNodeDaemons(set: DaemonSet): NodeDaemons[] {
    const pod = daemonPod(set);
    const podsByNode = new Map<string, Pod[]>();
    for (const each of claimPods(this.#ports, set, set.spec.selector)) {
      const node = nodeOf(each) ?? '';
      podsByNode.set(node, [...(podsByNode.get(node) ?? []), each]);
    }
    const nodes = this.#ports.cluster.list('nodes') as readonly Node[];
    return nodes.map((node) => ({ node, fitness: fitnessOf(pod, node), pods: podsByNode.get(node.metadata.name) ?? [] }));
  }

  #place(set: DaemonSet, hash: string, survey: readonly NodeDaemons[]): void {
    for (const { node, fitness, pods } of survey) {
      // A daemon pod that ended is replaced, whatever its exit code.
      for (const pod of pods) if (isTerminal(pod) && !isTerminating(pod)) this.#control.delete(set, pod);
      const active = pods.filter(isActive);
      if (!fitness.mayStay) for (const pod of active) this.#control.delete(set, pod);
      else if (fitness.shouldRun && !pods.some((pod) => !isTerminal(pod))) this.#start(set, hash, node.metadata.name);
      else if (active.length > 1 && this.#surge(set, survey.length) === 0) {
        const oldestFirst = [...active].sort((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp));
        for (const pod of oldestFirst.slice(1)) this.#control.delete(set, pod);
      }
    }
  }

  #start(set: DaemonSet, hash: string, node: string): void {
    this.#control.createNamed(set, `${set.metadata.name}-`, (name): PodDraft => {
      const draft = podFromTemplate(set, set.spec.template, name);
      draft.metadata.labels[REVISION_HASH] = hash;
      return { ...draft, spec: pinToNode(draft.spec, node) };
    });
  }

  /** Replaces old pods, up to maxUnavailable at a time, or starts new ones first with maxSurge. */
  #roll(set: DaemonSet, hash: string, survey: readonly NodeDaemons[]): void {
    const wanted = survey.filter(({ fitness }) => fitness.shouldRun);
    const isOld = (pod: Pod): boolean => pod.metadata.labels?.[REVISION_HASH] !== hash;
    const isServing = (pod: Pod): boolean => isActive(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, this.#ports.clock.now());
    const surge = this.#surge(set, wanted.length);
    if (surge > 0) {
      this.#rollBySurge(set, hash, wanted, surge);
      return;
    }
    const maxUnavailable = Math.max(1, resolveCount(set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, wanted.length, 'up') ?? 1);
    let budget = maxUnavailable - wanted.filter(({ pods }) => !pods.some(isServing)).length;
    for (const { pods } of wanted) {
      const old = pods.find((pod) => isActive(pod) && isOld(pod));
      if (old === undefined) continue;
      if (isServing(old)) {
        if (budget <= 0) continue;
        budget -= 1;
      }
      this.#control.delete(set, old);
    }
  }

  #rollBySurge(set: DaemonSet, hash: string, wanted: readonly NodeDaemons[], surge: number): void {
    const isOld = (pod: Pod): boolean => pod.metadata.labels?.[REVISION_HASH] !== hash;
    const isServing = (pod: Pod): boolean => isAvailable(pod, set.spec.minReadySeconds ?? 0, this.#ports.clock.now());
    let budget = surge;
    for (const { pods } of wanted) if (pods.filter(isActive).length > 1) budget -= 1;
    for (const { node, pods } of wanted) {
      const active = pods.filter(isActive);
      const fresh = active.find((pod) => !isOld(pod));
      const old = active.find(isOld);
      if (old === undefined) continue;
      if (fresh !== undefined && isServing(fresh)) this.#control.delete(set, old);
      else if (fresh === undefined && budget > 0) {
        this.#start(set, hash, node.metadata.name);
        budget -= 1;
      }
    }
  }

  #surge(set: DaemonSet, nodes: number): number {
    return resolveCount(set.spec.updateStrategy?.rollingUpdate?.maxSurge ?? 0, nodes, 'up') ?? 0;
  }

  #writeStatus(set: DaemonSet, hash: string, survey: readonly NodeDaemons[]): void {
    const now = this.#ports.clock.now();
    const wanted = survey.filter(({ fitness }) => fitness.shouldRun);
    const countWith = (isCounted: (pod: Pod) => boolean): number =>
      wanted.filter(({ pods }) => pods.some((pod) => isActive(pod) && isCounted(pod))).length;
    const numberAvailable = countWith((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now));
    const status: DaemonSetStatus = {
      ...set.status,
      observedGeneration: set.metadata.generation ?? 1,
      desiredNumberScheduled: wanted.length,
      currentNumberScheduled: countWith(() => true),
      numberMisscheduled: survey.filter(({ fitness, pods }) => !fitness.shouldRun && pods.some(isActive)).length,
      numberReady: countWith(isReady),
      numberAvailable,
      numberUnavailable: wanted.length - numberAvailable,
      updatedNumberScheduled: countWith((pod) => pod.metadata.labels?.[REVISION_HASH] === hash),
    };
    if (isEqualJson(status, set.status)) return;
    this.#ports.cluster.modifyStatus(RESOURCE, set.metadata.namespace ?? '', set.metadata.name, (draft) => {
      draft['status'] = status;
    });
  }
}
