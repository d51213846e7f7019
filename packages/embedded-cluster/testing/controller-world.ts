import type { ResourceStrategy, SubresourceAction } from '../src/api/strategy.ts';
import type { KubeObject } from '../src/api/kube-object.ts';
import type { ControllerOptions } from '../src/controllers/index.ts';
import { startControllers } from '../src/controllers/index.ts';
import type { Pod } from '../src/controllers/wire/pod.ts';
import { embeddedActions, embeddedStrategies } from '../src/admission/index.ts';
import { FakeClusterAccess } from './fake-cluster-access.ts';
import { ManualClock } from './manual-clock.ts';
import { seededRandom } from '../src/clock/seeded-hash.ts';

export interface ControllerWorldOptions {
  readonly strategies?: ReadonlyMap<string, ResourceStrategy>;
  readonly actions?: ReadonlyMap<string, SubresourceAction>;
  readonly controllers?: Partial<ControllerOptions>;
}

/**
 * Runs every controller over an in-memory store. The kubelets bind, start and end pods only when the test calls them, so that a test sees
 * each step of a rollout.
 */
export class ControllerWorld {
  readonly clock = new ManualClock();
  readonly cluster: FakeClusterAccess;
  readonly stop: () => void;

  constructor(options: ControllerWorldOptions = {}) {
    this.cluster = new FakeClusterAccess(this.clock, {
      strategies: options.strategies ?? embeddedStrategies(),
      actions: options.actions ?? embeddedActions(),
    });
    this.cluster.create('namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop' },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    this.stop = startControllers({
      cluster: this.cluster,
      clock: this.clock,
      random: seededRandom(7),
      metrics: { podMetrics: () => [] },
      ...options.controllers,
    });
    this.clock.settle();
  }

  create(resource: string, object: object): KubeObject {
    const created = this.cluster.create(resource, object);
    this.clock.settle();
    return created;
  }

  /** Changes the object's metadata and spec as a client would, and runs all controllers. */
  change(resource: string, name: string, change: (draft: KubeObject) => void): void {
    if (this.cluster.modify(resource, 'shop', name, change) === undefined) throw new Error(`There is no ${resource} ${name}`);
    this.clock.settle();
  }

  pods(): Pod[] {
    return this.cluster.list('pods') as unknown as Pod[];
  }

  podNames(): string[] {
    return this.pods().map((pod) => pod.metadata.name);
  }

  /** One pass of every kubelet: binds and starts pending pods, ends terminating ones. */
  runKubelets(options: { readonly ready?: boolean } = {}): void {
    for (const pod of this.pods()) {
      const { namespace = '', name, deletionTimestamp, uid } = pod.metadata;
      if (deletionTimestamp !== undefined) this.cluster.delete('pods', namespace, name, { uid, gracePeriodSeconds: 0 });
      else if ((pod.status as Pod['status'] | undefined)?.phase !== 'Running') this.startPod(name, options);
    }
    this.clock.settle();
  }

  startPod(name: string, { ready = true, node = 'n1' }: { readonly ready?: boolean; readonly node?: string } = {}): void {
    const { nodeName } = (this.cluster.get('pods', 'shop', name) as Pod).spec;
    if (nodeName === undefined)
      this.cluster.createSubresource('pods', 'shop', name, 'binding', { metadata: { name }, target: { kind: 'Node', name: node } });
    this.setPodStatus(name, { phase: 'Running', ready });
  }

  /** Ends a pod's containers, as those of a batch job end. */
  finishPod(name: string, phase: 'Succeeded' | 'Failed'): void {
    this.setPodStatus(name, { phase, ready: false });
    this.clock.settle();
  }

  setPodStatus(name: string, { phase, ready }: { readonly phase: string; readonly ready: boolean }): void {
    const lastTransitionTime = new Date(this.clock.now()).toISOString().replace('.000Z', 'Z');
    this.cluster.modifyStatus('pods', 'shop', name, (draft) => {
      const before = (draft['status'] ?? {}) as Pod['status'];
      const condition = { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime };
      draft['status'] = { ...before, phase, podIP: '10.0.0.1', conditions: [condition] };
    });
  }

  /** Runs kubelets and controllers in turn until no object changes. */
  converge(): void {
    for (let round = 0; round < 100; round += 1) {
      const before = this.cluster.writes.length;
      this.runKubelets();
      if (this.cluster.writes.length === before) return;
    }
    throw new Error('the cluster does not converge: an object changes in every round');
  }

  /** Messages of the Events about an object, oldest first. */
  eventsAbout(name: string): string[] {
    return this.cluster
      .list('events')
      .filter((event) => (event['involvedObject'] as { name: string }).name === name)
      .map((event) => `${String(event['reason'])}: ${String(event['message'])}`);
  }
}
