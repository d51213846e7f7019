import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import { toTimestamp } from '../../api/timestamp.ts';
import type { Pod } from '../../controllers/wire/pod.ts';
import type { ClusterAccess, ObjectEvent } from '../../api/cluster-access.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { UsageArchive } from '../../usage/usage-archive.ts';
import type { UsagePlan } from '../../usage/usage-plan.ts';
import { ContainerLogs } from '../endpoints/container-logs.ts';
import { EventWriter } from '../../api/event-writer.ts';
import { Kubelet, type KubeletDependencies } from './kubelet.ts';
import { renewHeartbeat } from './node-pressure.ts';
import { asPod } from './pods/pod-spec.ts';
import { ContainerTallies, newCounters, type ClusterCounters } from '../simulator-counters.ts';
import { UsageEngine, USAGE_STEP_MS } from '../load/usage-engine.ts';
import { WorkloadLoads } from '../load/workload-loads.ts';

/** Real kubelets renew every 10 s for 40 s. Here nodes fail only in tests, so fewer writes are sufficient. */
const LEASE_RENEW_MS: DurationMs = 5 * MINUTE_MS;
const LEASE_SECONDS = 600;
const HEARTBEAT_MS: DurationMs = 30 * MINUTE_MS;
const PRUNE_MS: DurationMs = 6 * HOUR_MS;
const LEASE_NAMESPACE = 'kube-node-lease';

export interface KubeletsOptions {
  readonly cluster: ClusterAccess;
  readonly clock: Clock;
  readonly seed: number;
  readonly plan: UsagePlan;
}

/** Creates a kubelet for every Node, and evaluates usage on all of them at a fixed step. */
export class Kubelets {
  readonly archive = new UsageArchive();
  readonly counters: ClusterCounters = newCounters();
  readonly tallies = new ContainerTallies();
  readonly logs: ContainerLogs;
  readonly #dependencies: KubeletDependencies;
  readonly #engine: UsageEngine;
  readonly #kubelets = new Map<string, Kubelet>();
  /** Pods bound to nodes that have not been created, by node and uid. */
  readonly #waiting = new Map<string, Map<string, Pod>>();
  readonly #stops: (() => void)[] = [];

  constructor(options: KubeletsOptions) {
    const { cluster, clock, seed, plan } = options;
    this.logs = new ContainerLogs(seed);
    this.#engine = new UsageEngine(this.counters);
    this.#dependencies = {
      cluster,
      clock,
      seed,
      plan,
      events: new EventWriter(cluster, clock, 'kubelet'),
      loads: new WorkloadLoads(cluster),
      archive: this.archive,
      logs: this.logs,
      counters: this.counters,
      tallies: this.tallies,
    };
  }

  /** Starts to watch and to evaluate. Returns the stop function. */
  start(): () => void {
    const { cluster } = this.#dependencies;
    this.#stops.push(
      cluster.onChange('nodes', (event) => this.#onNode(event)),
      cluster.onChange('pods', (event) => this.#onPod(event)),
      this.#every(USAGE_STEP_MS, (now) => this.#evaluate(now)),
      this.#every(LEASE_RENEW_MS, (now) => this.#renewLeases(now)),
      this.#every(HEARTBEAT_MS, (now) => this.#renewNodeHeartbeats(now)),
      this.#every(PRUNE_MS, (now) => this.archive.prune(now)),
    );
    return () => {
      for (const stop of this.#stops.splice(0)) stop();
      for (const kubelet of this.#kubelets.values()) kubelet.stop();
    };
  }

  /** In the order in which nodes were created. */
  all(): Iterable<Kubelet> {
    return this.#kubelets.values();
  }

  find(node: string): Kubelet | undefined {
    return this.#kubelets.get(node);
  }

  /** Aligned to a grid of its period, so that every start of the simulation has the same steps. */
  #every(periodMs: DurationMs, task: (now: Instant) => void): () => void {
    const { clock } = this.#dependencies;
    let cancel = (): void => undefined;
    const plan = (): void => {
      const next = (Math.floor(clock.now() / periodMs) + 1) * periodMs;
      cancel = clock.schedule(next, () => {
        task(clock.now());
        plan();
      });
    };
    plan();
    return () => cancel();
  }

  #evaluate(now: Instant): void {
    for (const kubelet of this.#kubelets.values()) this.#engine.evaluate(kubelet, now);
  }

  #onNode({ type, object }: ObjectEvent): void {
    const { name } = object.metadata;
    const known = this.#kubelets.get(name);
    if (type === 'DELETED') {
      // Running containers end with the node; the node lifecycle controller deletes the pods' objects.
      this.#kubelets.delete(name);
      known?.stop();
    } else if (known === undefined) this.#join(object);
    else known.update(object);
  }

  #join(node: KubeObject): void {
    const kubelet = new Kubelet(node, this.#dependencies);
    this.#kubelets.set(node.metadata.name, kubelet);
    this.#renewLease(node, this.#dependencies.clock.now());
    this.#dependencies.events.record(node, { type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' }, node.metadata.name);
    for (const pod of this.#waiting.get(kubelet.name)?.values() ?? []) kubelet.sync(pod);
    this.#waiting.delete(kubelet.name);
  }

  #onPod({ type, object }: ObjectEvent): void {
    const pod = asPod(object);
    const node = pod.spec.nodeName ?? '';
    if (node === '') return;
    const kubelet = this.#kubelets.get(node);
    if (kubelet === undefined) this.#await(node, pod, type === 'DELETED');
    else if (type === 'DELETED') kubelet.forget(pod.metadata.uid);
    else kubelet.sync(pod);
  }

  #await(node: string, pod: Pod, gone: boolean): void {
    const waiting = this.#waiting.get(node) ?? new Map<string, Pod>();
    this.#waiting.set(node, waiting);
    if (gone) waiting.delete(pod.metadata.uid);
    else waiting.set(pod.metadata.uid, pod);
    if (waiting.size === 0) this.#waiting.delete(node);
  }

  #renewLeases(now: Instant): void {
    for (const kubelet of this.#kubelets.values()) this.#renewLease(kubelet.node, now);
  }

  #renewLease(node: KubeObject, now: Instant): void {
    const { cluster } = this.#dependencies;
    const { name, uid } = node.metadata;
    const renewTime = toTimestamp(now).replace('Z', '.000000Z');
    const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
    const written = cluster.modify('leases.coordination.k8s.io', LEASE_NAMESPACE, name, (draft) => {
      draft['spec'] = spec;
    });
    if (written !== undefined || cluster.get('namespaces', null, LEASE_NAMESPACE) === undefined) return;
    cluster.create('leases.coordination.k8s.io', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: LEASE_NAMESPACE, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
      spec,
    });
  }

  #renewNodeHeartbeats(now: Instant): void {
    for (const { name } of this.#kubelets.values()) {
      this.#dependencies.cluster.modifyStatus('nodes', null, name, (draft) => renewHeartbeat(draft, now));
    }
  }
}
