// Changes of the played cluster at a steady rate: heartbeats of nodes, pods that are replaced, and rollouts.

import type { PlayedCluster, PlayedPod, PlayedReplicaSet, PlayedWorkload } from './cluster.ts';

/** 200 watch events a second at 5,000 nodes. */
const EVENTS_PER_NODE_SECOND = 200 / 5_000;
const TICK_MS = 50;
/** Share of events that are heartbeats: a node status each 250 s. */
const HEARTBEAT_RATIO = 0.1;
/** Seconds between two steps of one pod. */
const STEP_SECONDS = 1.5;
const MIN_CONCURRENT = 3;
/** Of the started changes, every fifth is a rollout; the others replace one pod. */
const ROLLOUT_EVERY = 5;
/** Every 300th event is an OOM kill: at 5,000 nodes 0.7 a second. The controller writes an Event for it. */
const KILL_EVERY = 300;
/** A prime, so that successive changes hit workloads all over the cluster. */
const STRIDE = 7_919;

/** Every step of a change publishes one event. */
type Change = Generator<undefined, void>;

export class Load {
  readonly #cluster: PlayedCluster;
  readonly #changes: Change[] = [];
  readonly #busy = new Set<PlayedWorkload>();
  readonly #perSecond: number;
  #timer: NodeJS.Timeout | null = null;
  #started = 0;
  #heartbeats = 0;
  #events = 0;
  #lastMs = 0;
  #due = 0;

  constructor(cluster: PlayedCluster) {
    this.#cluster = cluster;
    this.#perSecond = cluster.plan.nodes * EVENTS_PER_NODE_SECOND;
  }

  /** Events so far. */
  get events(): number {
    return this.#events;
  }

  start(): void {
    this.#lastMs = performance.now();
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Publishes this many events at once. */
  publish(count: number): void {
    for (let left = count; left > 0; left--) {
      this.#events += 1;
      if (this.#heartbeats < this.#events * HEARTBEAT_RATIO) this.#beat();
      else if (this.#events % KILL_EVERY === 0) this.#kill();
      else this.#step();
    }
  }

  #tick(): void {
    const now = performance.now();
    this.#due += ((now - this.#lastMs) / 1000) * this.#perSecond;
    this.#lastMs = now;
    const count = Math.floor(this.#due);
    this.#due -= count;
    this.publish(count);
  }

  #beat(): void {
    this.#cluster.heartbeat(this.#heartbeats * STRIDE);
    this.#heartbeats += 1;
  }

  #kill(): void {
    const { workloads } = this.#cluster;
    const [pod] = workloads[(this.#events * STRIDE) % workloads.length]?.pods ?? [];
    if (pod === undefined || pod.startedAt === null) this.#beat();
    else this.#cluster.kill(pod);
  }

  #step(): void {
    while (this.#changes.length < Math.max(MIN_CONCURRENT, this.#perSecond * STEP_SECONDS)) this.#changes.push(this.#begin());
    const change = this.#changes.shift();
    if (change === undefined) return;
    if (change.next().done !== true) this.#changes.push(change);
  }

  #begin(): Change {
    this.#started += 1;
    const { workloads } = this.#cluster;
    const workload = workloads[(this.#started * STRIDE) % workloads.length];
    if (workload === undefined) throw new Error('the cluster has no workloads');
    return this.#alone(workload, this.#started % ROLLOUT_EVERY === 0 ? this.#rollOut(workload) : this.#replaceOne(workload));
  }

  /** One change of a workload at a time. */
  *#alone(workload: PlayedWorkload, change: Change): Change {
    if (this.#busy.has(workload)) {
      this.#beat();
      return;
    }
    this.#busy.add(workload);
    try {
      yield* change;
    } finally {
      this.#busy.delete(workload);
    }
  }

  *#replaceOne(workload: PlayedWorkload): Change {
    const [pod] = workload.pods;
    if (pod === undefined) this.#beat();
    else if (workload.workload.kind === 'StatefulSet') yield* this.#replaceNamed(workload, pod);
    else yield* this.#replace(workload, pod, workload.replicaSet, workload.replicaSet);
  }

  *#rollOut(workload: PlayedWorkload): Change {
    const rollout = this.#cluster.startRollout(workload);
    if (rollout === null) {
      yield* this.#replaceOne(workload);
      return;
    }
    const { from, to } = rollout;
    for (const pod of [...workload.pods]) {
      to.replicas = moved(to.replicas, 1);
      this.#cluster.stores.replicaSets.save(to);
      yield;
      workload.replicas = { ...workload.replicas, updated: workload.replicas.updated + 1 };
      yield* this.#replace(workload, pod, from, to);
      from.replicas = moved(from.replicas, -1);
      this.#cluster.stores.replicaSets.save(from);
      yield;
    }
  }

  *#replace(workload: PlayedWorkload, old: PlayedPod, from: PlayedReplicaSet | null, to: PlayedReplicaSet | null): Change {
    const node = workload.workload.kind === 'DaemonSet' ? (old.nodeIndex ?? 0) : this.#started * STRIDE;
    this.#cluster.beginDeletion(old);
    yield;
    yield* this.#changeReady(workload, from, -1);
    const created = this.#cluster.createPod(workload, old.ordinal);
    yield;
    this.#cluster.bind(created, node);
    yield;
    this.#cluster.run(created);
    yield;
    yield* this.#changeReady(workload, to, 1);
    this.#cluster.remove(workload, old);
    yield;
  }

  /** A StatefulSet creates a pod of the same name once the old one is gone. */
  *#replaceNamed(workload: PlayedWorkload, old: PlayedPod): Change {
    this.#cluster.beginDeletion(old);
    yield;
    this.#cluster.remove(workload, old);
    yield;
    yield* this.#changeReady(workload, null, -1);
    const created = this.#cluster.createPod(workload, old.ordinal);
    yield;
    this.#cluster.bind(created, old.nodeIndex ?? 0);
    yield;
    this.#cluster.run(created);
    yield;
    yield* this.#changeReady(workload, null, 1);
  }

  *#changeReady(workload: PlayedWorkload, replicaSet: PlayedReplicaSet | null, change: number): Change {
    if (replicaSet !== null) {
      replicaSet.replicas = { ...replicaSet.replicas, ready: replicaSet.replicas.ready + change };
      this.#cluster.stores.replicaSets.save(replicaSet);
      yield;
    }
    workload.replicas = { ...workload.replicas, ready: workload.replicas.ready + change };
    this.#cluster.save(workload);
    yield;
  }
}

function moved(replicas: PlayedReplicaSet['replicas'], by: number): PlayedReplicaSet['replicas'] {
  return { ...replicas, desired: replicas.desired + by, current: replicas.current + by, updated: replicas.updated + by };
}
