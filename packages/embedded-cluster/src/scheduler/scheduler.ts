import { SECOND_MS, type DurationMs } from '#kube/units';
import { compareQueued } from '#kube/scheduling/queue-order';
import type { SchedulingNode, SchedulingPod, SchedulingView } from '#kube/scheduling/scheduling-model';
import { selectNode } from '#kube/scheduling/select-node';
import type { Clock } from '../ports/clock.ts';
import { toTimestamp } from '../api/timestamp.ts';
import type { Pod } from '../controllers/wire/pod.ts';
import { ApiStatusError } from '../api/api-error.ts';
import type { ClusterAccess, ObjectEvent } from '../api/cluster-access.ts';
import { EventWriter } from '../api/event-writer.ts';
import { budgetsOf } from './budgets.ts';
import { decodeSchedulingPod } from './decode-pod.ts';
import { NodeEntry } from './node-entry.ts';
import { Nominations } from './nominations.ts';
import { evictVictims } from './evict-victims.ts';
import { findScheduled, writeNomination, writeUnschedulable } from './scheduled-condition.ts';
import { STORAGE_RESOURCES, storageOf } from './storage-of-cluster.ts';

const SCHEDULER_NAME = 'default-scheduler';

/** Delay from the creation of a pod to its binding. */
const DECISION_MS: DurationMs = 20;
/** Delay before retrying unschedulable pods after a change (the scheduler's own first back-off). */
const RETRY_MS: DurationMs = SECOND_MS;

interface PendingPod {
  object: Pod;
  decoded: SchedulingPod;
  /** Waits for a change of the cluster. */
  parked: boolean;
}

/**
 * Binds pods to nodes: highest priority first, then oldest. An unschedulable pod preempts less important pods when that helps; otherwise it
 * gets the PodScheduled condition and waits for a change.
 */
export class Scheduler {
  readonly #cluster: ClusterAccess;
  readonly #clock: Clock;
  readonly #events: EventWriter;
  readonly #nodes = new Map<string, NodeEntry>();
  readonly #pending = new Map<string, PendingPod>();
  readonly #nodeOfPod = new Map<string, string>();
  /** Bound pods whose node does not exist (yet). */
  readonly #homeless = new Map<string, SchedulingPod>();
  readonly #nominations = new Nominations();
  readonly #stops: (() => void)[] = [];
  #planned: { readonly at: number; readonly cancel: () => void } | null = null;

  constructor(cluster: ClusterAccess, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#events = new EventWriter(cluster, clock, SCHEDULER_NAME);
  }

  /** Starts to watch. Returns the stop function. */
  start(): () => void {
    this.#stops.push(
      this.#cluster.onChange('nodes', (event) => this.#onNode(event)),
      this.#cluster.onChange('pods', (event) => this.#onPod(event)),
      ...STORAGE_RESOURCES.map((resource) => this.#cluster.onChange(resource, () => this.#requeueUnschedulable())),
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
      this.#requeueUnschedulable();
      return;
    }
    const known = this.#nodes.get(name);
    const entry = known ?? new NodeEntry(name);
    const changed = entry.update(object);
    if (known === undefined) this.#addNode(entry);
    if (changed) this.#requeueUnschedulable();
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
      this.#forget(uid);
      this.#homeless.delete(uid);
      this.#release(uid);
    } else if ((pod.spec.nodeName ?? '') !== '') this.#onBound(pod);
    else this.#onPending(pod);
  }

  #forget(uid: string): void {
    this.#pending.delete(uid);
    this.#nominations.clear(uid);
  }

  #release(uid: string): void {
    const node = this.#nodeOfPod.get(uid);
    this.#nodeOfPod.delete(uid);
    if (node !== undefined && this.#nodes.get(node)?.remove(uid) !== undefined) this.#requeueUnschedulable();
  }

  #onBound(pod: Pod): void {
    const { uid } = pod.metadata;
    const nodeName = pod.spec.nodeName ?? '';
    this.#forget(uid);
    const decoded = decodeSchedulingPod(pod);
    const entry = this.#nodes.get(nodeName);
    if (entry === undefined) {
      this.#homeless.set(uid, decoded);
      return;
    }
    const before = entry.pods.get(uid);
    entry.add(decoded);
    this.#nodeOfPod.set(uid, nodeName);
    // A new pod can satisfy another pod's affinity; one that shrinks or terminates frees capacity.
    if (before === undefined || isShrunk(before, decoded) || decoded.terminating !== before.terminating) this.#requeueUnschedulable();
  }

  #onPending(pod: Pod): void {
    const { uid } = pod.metadata;
    const ours = (pod.spec['schedulerName'] ?? SCHEDULER_NAME) === SCHEDULER_NAME;
    if (!ours || isGated(pod) || pod.metadata.deletionTimestamp !== undefined || this.#nodeOfPod.has(uid)) {
      this.#forget(uid);
      return;
    }
    const known = this.#pending.get(uid);
    // The scheduler's own status writes return as changes; only a new spec or new labels trigger another attempt.
    if (known !== undefined && hasSameSchedulingInput(known.object, pod)) {
      known.object = pod;
      return;
    }
    this.#pending.set(uid, { object: pod, decoded: decodeSchedulingPod(pod), parked: false });
    this.#plan(DECISION_MS);
  }

  #requeueUnschedulable(): void {
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
    const queue = [...this.#pending.values()].filter(({ parked }) => !parked).sort((a, b) => compareQueued(a.decoded, b.decoded));
    if (queue.length === 0) return;
    const view: SchedulingView = {
      nodes: [...this.#nodes.values()],
      storage: storageOf(this.#cluster),
      namespaceLabels: (namespace) => this.#cluster.get('namespaces', null, namespace)?.metadata.labels ?? {},
    };
    for (const pending of queue) this.#place(pending, view);
  }

  #place(pending: PendingPod, view: SchedulingView): void {
    const { decoded } = pending;
    const ineligible = this.#nominations.findWaitingReason(decoded, this.#nodes);
    const rules = { budgets: () => budgetsOf(this.#cluster), ineligible };
    const placement = selectNode(decoded, this.#nominations.keepPlaces(decoded, view), rules);
    if (placement.kind === 'placed') this.#bind(pending, placement.node);
    else {
      if (placement.preemption !== null) {
        this.#nominations.set(decoded, placement.preemption.node.name);
        evictVictims(this.#cluster, this.#events, this.#clock, decoded, placement.preemption);
      } else if (ineligible === null) this.#nominations.clear(decoded.uid);
      this.#addUnschedulable(pending, placement.message);
    }
  }

  #bind(pending: PendingPod, node: SchedulingNode): void {
    const { object, decoded } = pending;
    const { namespace, name, uid } = decoded;
    this.#forget(uid);
    try {
      this.#cluster.createSubresource('pods', namespace, name, 'binding', {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name, namespace, uid },
        target: { apiVersion: 'v1', kind: 'Node', name: node.name },
      });
    } catch (error) {
      // Deleted or bound by another scheduler in the meantime: the watch event follows.
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

  #addUnschedulable(pending: PendingPod, message: string): void {
    pending.parked = true;
    const { namespace, name, uid } = pending.decoded;
    const nominated = this.#nominations.nodeOf(uid);
    this.#cluster.modifyStatus('pods', namespace, name, (draft) => writeNomination(draft, nominated));
    const old = findScheduled(pending.object);
    if (old?.status === 'False' && old.message === message) return;
    const now = toTimestamp(this.#clock.now());
    this.#cluster.modifyStatus('pods', namespace, name, (draft) => writeUnschedulable(draft, message, now));
    this.#events.record(pending.object, { type: 'Warning', reason: 'FailedScheduling', message });
  }
}

/** A pod with scheduling gates is skipped; the API server sets its PodScheduled condition. */
function isGated({ spec }: Pod): boolean {
  return (spec.schedulingGates ?? []).length > 0;
}

function isShrunk(before: SchedulingPod, after: SchedulingPod): boolean {
  for (const [resource, amount] of before.requests) if ((after.requests.get(resource) ?? 0) < amount) return true;
  return false;
}

function hasSameSchedulingInput(a: Pod, b: Pod): boolean {
  return a.metadata.generation === b.metadata.generation && JSON.stringify(a.metadata.labels) === JSON.stringify(b.metadata.labels);
}
