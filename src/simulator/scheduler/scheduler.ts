import { SECOND_MS, type DurationMs } from '../../core/model/units.ts';
import type { Clock } from '../../ports/clock.ts';
import { toTimestamp } from '../api/timestamp.ts';
import type { Pod, WireCondition } from '../actors/wire/pod.ts';
import { ApiStatusError } from '../api/api-error.ts';
import type { ClusterAccess, ObjectEvent } from '../api/cluster-access.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { EventWriter } from '../api/event-writer.ts';
import { decodeSchedulingPod } from './decode-pod.ts';
import { NodeEntry } from './node-entry.ts';
import type { SchedulingNode, SchedulingPod, SchedulingView } from './scheduling-model.ts';
import { selectNode } from './select-node.ts';
import { findMissingClaim, volumeConflict } from './volume-topology.ts';

const SCHEDULER_NAME = 'default-scheduler';

/** From the appearance of a pod to its binding. */
const DECISION_MS: DurationMs = 20;
/** What could not be placed is tried again so long after something changed (the scheduler's own first back-off). */
const RETRY_MS: DurationMs = SECOND_MS;

interface PendingPod {
  object: Pod;
  decoded: SchedulingPod;
  /** Waits for a change of the cluster, not for its turn. */
  parked: boolean;
}

/**
 * Binds pods to nodes: highest priority first, then oldest. What fits nowhere says so in PodScheduled and waits until
 * something changes. It never preempts.
 */
export class Scheduler {
  readonly #cluster: ClusterAccess;
  readonly #clock: Clock;
  readonly #events: EventWriter;
  readonly #nodes = new Map<string, NodeEntry>();
  readonly #pending = new Map<string, PendingPod>();
  readonly #nodeOfPod = new Map<string, string>();
  /** Bound pods whose node is not known (yet). */
  readonly #homeless = new Map<string, SchedulingPod>();
  readonly #stops: (() => void)[] = [];
  #planned: { readonly at: number; readonly cancel: () => void } | null = null;

  constructor(cluster: ClusterAccess, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#events = new EventWriter(cluster, clock, SCHEDULER_NAME);
  }

  /** Begins to watch. Returns the stop. */
  start(): () => void {
    this.#stops.push(
      this.#cluster.onChange('nodes', (event) => this.#onNode(event)),
      this.#cluster.onChange('pods', (event) => this.#onPod(event)),
      this.#cluster.onChange('persistentvolumeclaims', () => this.#somethingChanged()),
    );
    return () => {
      for (const stop of this.#stops.splice(0)) stop();
      this.#planned?.cancel();
    };
  }

  #onNode({ type, object }: ObjectEvent): void {
    const { name } = object.metadata;
    if (type === 'DELETED') {
      for (const pod of this.#nodes.get(name)?.pods.values() ?? []) this.#homeless.set(pod.uid, pod);
      this.#nodes.delete(name);
      return;
    }
    const known = this.#nodes.get(name);
    const entry = known ?? new NodeEntry(name);
    const changed = entry.update(object);
    if (known === undefined) this.#addNode(entry);
    if (changed) this.#somethingChanged();
  }

  #addNode(entry: NodeEntry): void {
    this.#nodes.set(entry.name, entry);
    for (const pod of [...this.#homeless.values()]) {
      if (pod.nodeName !== entry.name) continue;
      this.#homeless.delete(pod.uid);
      entry.add(pod);
    }
  }

  #onPod({ type, object }: ObjectEvent): void {
    const pod = object as unknown as Pod;
    const { uid } = pod.metadata;
    const phase = (pod.status as Pod['status'] | undefined)?.phase;
    if (type === 'DELETED' || phase === 'Succeeded' || phase === 'Failed') {
      this.#pending.delete(uid);
      this.#homeless.delete(uid);
      this.#release(uid);
    } else if ((pod.spec.nodeName ?? '') !== '') this.#onBound(pod);
    else this.#onPending(pod);
  }

  #release(uid: string): void {
    const node = this.#nodeOfPod.get(uid);
    this.#nodeOfPod.delete(uid);
    if (node !== undefined && this.#nodes.get(node)?.remove(uid) !== undefined) this.#somethingChanged();
  }

  #onBound(pod: Pod): void {
    const { uid } = pod.metadata;
    const nodeName = pod.spec.nodeName ?? '';
    this.#pending.delete(uid);
    const decoded = decodeSchedulingPod(pod);
    const entry = this.#nodes.get(nodeName);
    if (entry === undefined) {
      this.#homeless.set(uid, decoded);
      return;
    }
    const before = entry.pods.get(uid);
    entry.add(decoded);
    this.#nodeOfPod.set(uid, nodeName);
    // A new neighbour can satisfy somebody's affinity; a smaller or leaving one makes room.
    if (before === undefined || shrank(before, decoded) || decoded.terminating !== before.terminating) this.#somethingChanged();
  }

  #onPending(pod: Pod): void {
    const { uid } = pod.metadata;
    const gated = (pod.spec.schedulingGates ?? []).length > 0;
    const ours = (pod.spec['schedulerName'] ?? SCHEDULER_NAME) === SCHEDULER_NAME;
    if (!ours || gated || pod.metadata.deletionTimestamp !== undefined || this.#nodeOfPod.has(uid)) {
      this.#pending.delete(uid);
      return;
    }
    const known = this.#pending.get(uid);
    // Our own words on its status come back as a change, too: only a new spec or new labels are worth another look.
    if (known !== undefined && sameWish(known.object, pod)) {
      known.object = pod;
      return;
    }
    this.#pending.set(uid, { object: pod, decoded: decodeSchedulingPod(pod), parked: false });
    this.#plan(DECISION_MS);
  }

  #somethingChanged(): void {
    let parked = false;
    for (const pending of this.#pending.values()) {
      parked ||= pending.parked;
      pending.parked = false;
    }
    if (parked) this.#plan(RETRY_MS);
  }

  #plan(afterMs: DurationMs): void {
    const at = this.#clock.now() + afterMs;
    if (this.#planned !== null && this.#planned.at <= at) return;
    this.#planned?.cancel();
    const cancel = this.#clock.schedule(at, () => {
      this.#planned = null;
      this.#run();
    });
    this.#planned = { at, cancel };
  }

  #run(): void {
    const queue = [...this.#pending.values()].filter(({ parked }) => !parked).sort(compareQueued);
    if (queue.length === 0) return;
    const view: SchedulingView = {
      nodes: [...this.#nodes.values()],
      namespaceLabels: (namespace) => this.#cluster.get('namespaces', null, namespace)?.metadata.labels ?? {},
      missingClaim: (pod) => findMissingClaim(this.#cluster, pod),
      volumeConflict: (pod, node) => volumeConflict(this.#cluster, pod, node),
    };
    for (const pending of queue) {
      const placement = selectNode(pending.decoded, view);
      if (placement.kind === 'placed') this.#bind(pending, placement.node);
      else this.#park(pending, placement.message);
    }
  }

  #bind(pending: PendingPod, node: SchedulingNode): void {
    const { object, decoded } = pending;
    const { namespace, name, uid } = decoded;
    this.#pending.delete(uid);
    try {
      this.#cluster.createSubresource('pods', namespace, name, 'binding', {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name, namespace, uid },
        target: { apiVersion: 'v1', kind: 'Node', name: node.name },
      });
    } catch (error) {
      // Gone or bound by somebody else in the meantime: the change event says which.
      if (error instanceof ApiStatusError) return;
      throw error;
    }
    this.#nodes.get(node.name)?.add({ ...decoded, nodeName: node.name });
    this.#nodeOfPod.set(uid, node.name);
    this.#events.record(object, {
      type: 'Normal',
      reason: 'Scheduled',
      message: `Successfully assigned ${namespace}/${name} to ${node.name}`,
    });
  }

  #park(pending: PendingPod, message: string): void {
    pending.parked = true;
    const { namespace, name } = pending.decoded;
    const old = findScheduled(pending.object);
    if (old?.status === 'False' && old.message === message) return;
    const now = toTimestamp(this.#clock.now());
    this.#cluster.modifyStatus('pods', namespace, name, (draft) => writeUnschedulable(draft, message, now));
    this.#events.record(pending.object, { type: 'Warning', reason: 'FailedScheduling', message });
  }
}

function compareQueued(a: PendingPod, b: PendingPod): number {
  if (a.decoded.priority !== b.decoded.priority) return b.decoded.priority - a.decoded.priority;
  if (a.decoded.createdAt !== b.decoded.createdAt) return a.decoded.createdAt - b.decoded.createdAt;
  const aKey = `${a.decoded.namespace}/${a.decoded.name}`;
  const bKey = `${b.decoded.namespace}/${b.decoded.name}`;
  return aKey < bKey ? -1 : 1;
}

function shrank(before: SchedulingPod, after: SchedulingPod): boolean {
  for (const [resource, amount] of before.requests) if ((after.requests.get(resource) ?? 0) < amount) return true;
  return false;
}

function sameWish(a: Pod, b: Pod): boolean {
  return a.metadata.generation === b.metadata.generation && JSON.stringify(a.metadata.labels) === JSON.stringify(b.metadata.labels);
}

function findScheduled(pod: Pod): WireCondition | undefined {
  return (pod.status as Pod['status'] | undefined)?.conditions?.find(({ type }) => type === 'PodScheduled');
}

function writeUnschedulable(draft: KubeObject, message: string, now: string): void {
  const pod = draft as unknown as { metadata: KubeObject['metadata']; status?: Pod['status'] };
  pod.status ??= {};
  const old = pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
  const condition: WireCondition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastProbeTime: null,
    lastTransitionTime: old?.status === 'False' ? (old.lastTransitionTime ?? now) : now,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
  };
  pod.status.conditions = [...(pod.status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled'), condition];
}
