// A node of the real control plane whose pods run as processes of this machine: without a container runtime, but with
// the real programs, arguments, environment, volumes, probes and bound ServiceAccount tokens. kwok ignores the node,
// because it lacks kwok's annotation. It supports pods with one container of the built image.
//
//   const runner = await PodRunner.start(cluster, copyImage(cluster.folder));
//   await cluster.helm('install', …, ...runner.helmValues);
//   runner.pods('evenkeel-system') → RunningPod: url('dashboard'), pid, signal('SIGKILL'), lines
//   await runner.end();

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLock, type Lock } from '../../hack/real-cluster/file-lock.ts';
import { HttpTransport } from '../../src/adapters/kubernetes/transport/http-transport.ts';
import { resolveKubeConfig } from '../../src/adapters/kubernetes/transport/kube-config.ts';
import { NO_METRICS } from '../../src/runtime/metrics.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { ROOT } from '../e2e/processes.ts';
import { seededRandom } from '../fakes/seeded-random.ts';
import type { PodWire } from './pod-wire.ts';
import type { RealCluster } from './real-cluster.ts';
import { RunningPod } from './running-pod.ts';

/** Taint that keeps all other pods away; pods of `helmValues` tolerate and select it. */
const MARK = 'evenkeel.dev/pod-runner';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const HEARTBEAT_EVERY_MS = 10_000;
const AGAIN_AFTER_MS = 200;
/** Pods have the addresses 127.1.1.10, .11 and so on, so that all may listen on the same ports. Another runner has 127.1.2.10. */
const FIRST_ADDRESS = 10;
const LAST_ADDRESS = 250;

export class PodRunner {
  readonly node: string;
  /** Values for `helm install` that place the release's pods on this node and set the port of the kubelets. */
  readonly helmValues: readonly string[];
  readonly #cluster: RealCluster;
  readonly #image: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'evenkeel-pods-'));
  readonly #pods = new Map<string, RunningPod>();
  readonly #past: RunningPod[] = [];
  readonly #stop = new AbortController();
  readonly #transport: HttpTransport;
  readonly #endings = new Set<Promise<void>>();
  readonly #network: ReservedNetwork;
  #addresses = 0;
  #watching: Promise<void> = Promise.resolve();
  #heartbeat: NodeJS.Timeout | undefined;

  private constructor(cluster: RealCluster, image: string, node: string, transport: HttpTransport, network: ReservedNetwork) {
    this.#cluster = cluster;
    this.#image = image;
    this.node = node;
    this.helmValues = [
      '--set-string',
      `controller.nodeSelector.${MARK.replaceAll('.', '\\.')}=true`,
      '--set',
      'controller.tolerations[0].operator=Exists',
      '--set-string',
      `controller.tolerations[0].key=${MARK}`,
      '--set',
      `config.kubelet.port=${cluster.ports.kubelet}`,
    ];
    this.#transport = transport;
    this.#network = network;
  }

  /** Registers the node and runs the pods that are scheduled to it. */
  static async start(cluster: RealCluster, image: string, node = 'pod-runner'): Promise<PodRunner> {
    if (process.getuid?.() !== 0)
      throw new Error('the pod runner needs root: each pod gets a mount namespace and a root folder of its own');
    const timer = new SystemTimer();
    const connection = await resolveKubeConfig({ path: cluster.kubeconfig, timer });
    const transport = new HttpTransport({ connection, timer, random: seededRandom(1), metrics: NO_METRICS, qps: 1e6, burst: 1e6 });
    const runner = new PodRunner(cluster, image, node, transport, await reserveNetwork());
    await runner.#register();
    runner.#watching = runner.#watch();
    return runner;
  }

  /** Pods of a namespace that run now. */
  pods(namespace: string): readonly RunningPod[] {
    return [...this.#pods.values()].filter((pod) => pod.namespace === namespace);
  }

  /** Folder of a PersistentVolumeClaim, which all pods that mount it share. */
  claimFolder(name: string): string {
    const folder = join(this.#claims, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  get #claims(): string {
    return join(this.#folder, 'claims');
  }

  /** Every pod that has ever run here. */
  get all(): readonly RunningPod[] {
    return [...this.#past, ...this.#pods.values()];
  }

  /** Ends every process and deletes the node. */
  async end(): Promise<void> {
    this.#stop.abort(new Error('the pod runner ends'));
    clearInterval(this.#heartbeat);
    await this.#watching;
    await Promise.all([...this.#pods.values()].map((pod) => pod.terminate(5)));
    await Promise.all(this.#endings);
    await this.#cluster.api.request({ method: 'DELETE', path: `/api/v1/nodes/${this.node}` });
    this.#transport.close();
    rmSync(this.#folder, { recursive: true, force: true });
    await this.#network.lock.release();
  }

  async #register(): Promise<void> {
    const { api } = this.#cluster;
    const amounts = { cpu: '8', memory: '32Gi', pods: '50' };
    const labels = { [MARK]: 'true', 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': this.node };
    await api.expect({
      method: 'POST',
      path: '/api/v1/nodes',
      body: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: this.node, labels },
        spec: { taints: [{ key: MARK, effect: 'NoSchedule' }] },
        status: { capacity: amounts, allocatable: amounts },
      },
    });
    await this.#beat();
    await api.expect({
      method: 'POST',
      path: LEASES,
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: this.node, namespace: 'kube-node-lease' },
        spec: { holderIdentity: this.node, leaseDurationSeconds: 40, renewTime: microTime() },
      },
    });
    this.#heartbeat = setInterval(() => void this.#beat().catch(() => undefined), HEARTBEAT_EVERY_MS);
  }

  async #beat(): Promise<void> {
    const { api } = this.#cluster;
    const at = microTime();
    const condition = (type: string, status: string): object => ({
      type,
      status,
      reason: 'PodRunner',
      lastHeartbeatTime: at.replace(/\.\d+Z$/, 'Z'),
      lastTransitionTime: at.replace(/\.\d+Z$/, 'Z'),
    });
    await api.expect({
      method: 'PATCH',
      path: `/api/v1/nodes/${this.node}/status`,
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: {
        status: {
          nodeInfo: { kubeletVersion: 'v1.36.0', operatingSystem: 'linux', architecture: 'amd64' },
          conditions: [
            condition('Ready', 'True'),
            ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => condition(type, 'False')),
          ],
        },
      },
    });
    await api.request({
      method: 'PATCH',
      path: `${LEASES}/${this.node}`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { renewTime: at } },
    });
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    const fieldSelector = `spec.nodeName=${this.node}`;
    const query = { fieldSelector, watch: true, allowWatchBookmarks: true };
    while (!signal.aborted) {
      try {
        const list = await this.#transport.request({ method: 'GET', path: '/api/v1/pods', query: { fieldSelector }, signal });
        if (list.status !== 200) throw new Error(`listing pods: HTTP ${list.status}`);
        const { items, metadata } = list.body as {
          readonly items: readonly PodWire[];
          readonly metadata: { readonly resourceVersion: string };
        };
        this.#reconcile(items);
        const stream = await this.#transport.stream({
          method: 'GET',
          path: '/api/v1/pods',
          query: { ...query, resourceVersion: metadata.resourceVersion },
          signal,
        });
        for await (const item of stream.items) {
          const { type, object } = item as { readonly type: string; readonly object: PodWire };
          if (type === 'ERROR') break;
          if (type === 'DELETED') this.#forget(object);
          else if (type !== 'BOOKMARK') this.#see(object);
        }
      } catch {
        // The API server is unreachable, or the test ends: the next list follows in a moment.
      }
      if (!isAborted(signal)) await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
    }
  }

  #reconcile(items: readonly PodWire[]): void {
    const there = new Set(items.map(({ metadata }) => metadata.uid));
    for (const [uid, { pod }] of this.#pods) if (!there.has(uid)) this.#forget(pod);
    for (const item of items) this.#see(item);
  }

  #see(pod: PodWire): void {
    const { uid, deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
    const running = this.#pods.get(uid);
    if (deletionTimestamp !== undefined) this.#keep(this.#end(pod, running, deletionGracePeriodSeconds));
    else if (running === undefined && !this.#past.some((past) => past.pod.metadata.uid === uid)) this.#pods.set(uid, this.#start(pod));
  }

  /** A pod that was deleted by force. */
  #forget({ metadata }: PodWire): void {
    const running = this.#pods.get(metadata.uid);
    if (running === undefined) return;
    this.#retire(running);
    this.#keep(running.terminate(0));
  }

  #start(pod: PodWire): RunningPod {
    const folder = join(this.#folder, pod.metadata.uid);
    mkdirSync(folder, { recursive: true });
    this.#addresses += 1;
    const last = FIRST_ADDRESS + ((this.#addresses - 1) % (LAST_ADDRESS - FIRST_ADDRESS));
    return new RunningPod(pod, {
      api: this.#cluster.api,
      apiServerPort: this.#cluster.ports.apiserver,
      image: this.#image,
      folder,
      claims: this.#claims,
      address: `${this.#network.prefix}${last}`,
      node: this.node,
    });
  }

  async #end(pod: PodWire, running: RunningPod | undefined, graceSeconds: number): Promise<void> {
    if (running !== undefined) {
      await running.terminate(graceSeconds);
      this.#retire(running);
    }
    const { namespace, name, uid } = pod.metadata;
    await this.#cluster.api.request({
      method: 'DELETE',
      path: `/api/v1/namespaces/${namespace}/pods/${name}`,
      body: { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid } },
    });
  }

  #retire(pod: RunningPod): void {
    if (this.#pods.delete(pod.pod.metadata.uid)) this.#past.push(pod);
  }

  #keep(ending: Promise<void>): void {
    const tracked: Promise<void> = ending.catch(() => undefined).finally(() => this.#endings.delete(tracked));
    this.#endings.add(tracked);
  }
}

interface ReservedNetwork {
  /** Prefix of the pod addresses. */
  readonly prefix: string;
  readonly lock: Lock;
}

/** Addresses that no other runner in this network namespace uses. */
async function reserveNetwork(): Promise<ReservedNetwork> {
  for (let third = 1; third < 255; third += 1) {
    const prefix = `127.1.${third}.`;
    const lock = await tryLock(`evenkeel-pods-${prefix}`);
    if (lock !== null) return { prefix, lock };
  }
  throw new Error('every network of loopback for pods is in use by another pod runner');
}

function microTime(): string {
  return new Date().toISOString().replace(/(\.\d{3})Z$/, '$1000Z');
}

// A call, because the compiler assumes that a signal does not change across an await.
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/**
 * Copies the content of the container image (compiled sources, package, CRDs) from the output of `make build` into a folder, as the
 * Dockerfile lays it out. Returns the folder that is /app in the image.
 */
export function copyImage(folder: string): string {
  if (!existsSync(join(ROOT, 'dist'))) throw new Error('dist/ is missing: run make build');
  const app = join(folder, 'app');
  mkdirSync(join(app, 'node_modules'), { recursive: true });
  for (const part of ['dist', 'package.json', 'crds']) cpSync(join(ROOT, part), join(app, part), { recursive: true });
  return app;
}
