// One pod on the pod runner's node, from its first container to its end. It does with processes what a kubelet does with containers.

import { join } from 'node:path';
import type { RawApi } from '../../hack/real-cluster/api.ts';
import { PodProcess, removeRoot, type Mount } from './pod-process.ts';
import { watchProbe, watchReadiness } from './pod-probe.ts';
import { PodVolumes, userOf } from './pod-volumes.ts';
import type { Container, PodWire } from './pod-wire.ts';

export interface PodEnvironment {
  readonly api: RawApi;
  readonly apiServerPort: number;
  /** Folder that is /app in the image. */
  readonly image: string;
  /** An empty folder for this pod. */
  readonly folder: string;
  readonly claims: string;
  /** Loopback address for this pod. */
  readonly address: string;
  readonly node: string;
}

/** Settings of the listen address, by the name of the container port: pods here have an address, but no network namespace. */
const LISTENS: Readonly<Record<string, string>> = {
  dashboard: 'EVENKEEL_DASHBOARD_ADDR',
  probes: 'EVENKEEL_CONTROLLER_PROBE_ADDR',
  metrics: 'EVENKEEL_CONTROLLER_METRICS_ADDR',
};
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10_000;

type ContainerState =
  | { readonly waiting: { readonly reason: string; readonly message?: string } }
  | { readonly running: { readonly startedAt: string } }
  | {
      readonly terminated: { readonly exitCode: number; readonly reason: string; readonly startedAt: string; readonly finishedAt: string };
    };

/** Runs the containers of one pod and reports its status. */
export class RunningPod {
  readonly name: string;
  readonly namespace: string;
  readonly address: string;
  readonly pod: PodWire;
  /** Resolves when the pod's last process has ended and its status is written. */
  readonly ended: Promise<void>;
  readonly #environment: PodEnvironment;
  readonly #container: Container;
  readonly #startedAt = now();
  readonly #lines: string[] = [];
  #process: PodProcess | null = null;
  #restarts = 0;
  #state: ContainerState = { waiting: { reason: 'ContainerCreating' } };
  #ready = false;
  #phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' = 'Pending';
  #stopping = false;
  #wake: () => void = () => undefined;
  #reporting: Promise<void> = Promise.resolve();

  constructor(pod: PodWire, environment: PodEnvironment) {
    const [container, ...others] = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
    if (container === undefined || others.length > 0)
      throw new Error(`pod ${pod.metadata.name}: the pod runner runs pods of one container`);
    this.pod = pod;
    this.name = pod.metadata.name;
    this.namespace = pod.metadata.namespace;
    this.address = environment.address;
    this.#environment = environment;
    this.#container = container;
    this.ended = this.#run().catch((err: unknown) => {
      this.#lines.push(`pod runner: ${String(err)}`);
      this.#phase = 'Failed';
      this.#report();
    });
  }

  /** Output of its processes so far, over all restarts. */
  get lines(): readonly string[] {
    return [...this.#lines, ...(this.#process?.lines ?? [])];
  }

  /** Component label of the chart: `controller`, `uninstall`. */
  get component(): string {
    return this.pod.metadata.labels?.['app.kubernetes.io/component'] ?? '';
  }

  get restarts(): number {
    return this.#restarts;
  }

  get isReady(): boolean {
    return this.#ready;
  }

  /** Process id of the running container. @throws when none is running */
  get pid(): number {
    if (this.#process === null) throw new Error(`pod ${this.name} runs no process\n${this.lines.slice(-20).join('\n')}`);
    return this.#process.pid;
  }

  /** `http://127.1.1.10:9090` of a named port. */
  url(portName: string): string {
    const port = this.#container.ports?.find(({ name }) => name === portName);
    if (port === undefined) throw new Error(`pod ${this.name} has no port ${portName}`);
    return `http://${this.address}:${port.containerPort}`;
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.signal(name);
  }

  /** Ends the pod as a kubelet does: SIGTERM, then SIGKILL after the grace period. */
  async terminate(graceSeconds: number): Promise<void> {
    this.#stopping = true;
    this.#ready = false;
    this.#wake();
    this.#process?.signal('SIGTERM');
    const force = setTimeout(() => this.#process?.signal('SIGKILL'), graceSeconds * 1000);
    await this.ended;
    clearTimeout(force);
    await this.#reporting;
  }

  async #run(): Promise<void> {
    const { folder, address, api, claims } = this.#environment;
    const volumes = new PodVolumes(api, this.pod, address, join(folder, 'volumes'), claims);
    const folders = await volumes.write();
    const environment = { ...(await volumes.environmentOf(this.#container)), ...this.#kubernetesVariables() };
    const mounts = (this.#container.volumeMounts ?? []).map(({ name, mountPath, readOnly = false }): Mount => {
      const source = folders.get(name);
      if (source === undefined) throw new Error(`pod ${this.name} has no volume ${name}`);
      return { source, at: mountPath, readOnly };
    });
    for (let life = 0; ; life++) {
      const code = await this.#live(join(folder, `life-${life}`), environment, mounts);
      if (this.#stopping || !this.#isToRestart(code)) {
        this.#phase = code === 0 ? 'Succeeded' : 'Failed';
        this.#report();
        return;
      }
      this.#restarts += 1;
      this.#state = { waiting: { reason: 'CrashLoopBackOff' } };
      this.#report();
      await this.#pause(Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** life));
    }
  }

  /** Runs the container's process once; returns its exit code. */
  async #live(folder: string, environment: Readonly<Record<string, string>>, volumes: readonly Mount[]): Promise<number> {
    if (this.#stopping) return 0;
    const { command = [], args = [], securityContext, readinessProbe, livenessProbe } = this.#container;
    const process = new PodProcess({
      folder,
      image: this.#environment.image,
      command: [...command, ...args],
      environment,
      volumes,
      user: userOf(this.pod),
      readOnlyRoot: securityContext?.readOnlyRootFilesystem === true,
    });
    this.#process = process;
    const startedAt = now();
    this.#state = { running: { startedAt } };
    this.#phase = 'Running';
    this.#ready = readinessProbe === undefined;
    this.#report();
    const probes = [
      ...(readinessProbe === undefined
        ? []
        : [watchReadiness(this.#container, readinessProbe, this.address, (ready) => this.#turn(ready))]),
      ...(livenessProbe === undefined
        ? []
        : [watchProbe(this.#container, livenessProbe, this.address, (alive) => (alive ? undefined : process.signal('SIGKILL')))]),
    ];
    const { code } = await process.exited;
    for (const stop of probes) stop();
    this.#lines.push(...process.lines);
    this.#process = null;
    this.#ready = false;
    this.#state = { terminated: { exitCode: code, reason: code === 0 ? 'Completed' : 'Error', startedAt, finishedAt: now() } };
    removeRoot(folder);
    return code;
  }

  #isToRestart(code: number): boolean {
    const { restartPolicy = 'Always' } = this.pod.spec;
    return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && code !== 0);
  }

  #turn(ready: boolean): void {
    this.#ready = ready && !this.#stopping;
    this.#report();
  }

  #kubernetesVariables(): Readonly<Record<string, string>> {
    const listens = (this.#container.ports ?? []).flatMap(({ name, containerPort }) => {
      const variable = LISTENS[name ?? ''];
      return variable === undefined ? [] : [[variable, `${this.address}:${containerPort}`] as const];
    });
    return {
      HOME: '/',
      HOSTNAME: this.name,
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(this.#environment.apiServerPort),
      KUBERNETES_SERVICE_PORT_HTTPS: String(this.#environment.apiServerPort),
      ...Object.fromEntries(listens),
    };
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  // Status writes are sequential; each sends the state of its time.
  #report(): void {
    this.#reporting = this.#reporting
      .then(() => this.#writeStatus())
      .catch((err: unknown) => void this.#lines.push(`pod runner: ${String(err)}`));
  }

  async #writeStatus(): Promise<void> {
    const { api, address, node } = this.#environment;
    const { name: container, image, resources } = this.#container;
    // Endpoints refuse loopback addresses, so the pod reports an address of an unused pod network.
    const announced = address.replace(/^127\.\d+\.\d+\./, '10.250.0.');
    const at = now();
    const done = this.#phase === 'Succeeded' || this.#phase === 'Failed';
    const condition = (type: string, isMet: boolean): object => ({
      type,
      status: isMet ? 'True' : 'False',
      lastTransitionTime: at,
      ...(done && !isMet ? { reason: 'PodCompleted' } : {}),
    });
    const answer = await api.request({
      method: 'PATCH',
      path: `/api/v1/namespaces/${this.namespace}/pods/${this.name}/status`,
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: {
        metadata: { uid: this.pod.metadata.uid },
        status: {
          phase: this.#phase,
          startTime: this.#startedAt,
          podIP: announced,
          podIPs: [{ ip: announced }],
          conditions: [
            condition('PodReadyToStartContainers', !done),
            condition('Initialized', true),
            condition('ContainersReady', this.#ready),
            condition('Ready', this.#ready),
          ],
          containerStatuses: [
            {
              name: container,
              image,
              imageID: image,
              containerID: `process://${node}/${this.pod.metadata.uid}`,
              ready: this.#ready,
              started: 'running' in this.#state,
              restartCount: this.#restarts,
              state: { running: null, waiting: null, terminated: null, ...this.#state },
              ...(resources === undefined ? {} : { resources }),
            },
          ],
        },
      },
    });
    // 404, 409: the pod was deleted, or another pod has its name. The status is obsolete.
    if (answer.status >= 300 && ![404, 409].includes(answer.status)) throw new Error(`writing the status of ${this.name}: ${answer.text}`);
  }
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
