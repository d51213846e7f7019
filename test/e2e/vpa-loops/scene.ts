// One embedded cluster at full speed with Evenkeel in the same process, default settings and a policy in Auto. It has run for eight days
// when Evenkeel starts, and the test defines the usage of each container at any hour.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PodResizePolicySpec, Recommendation, RecommendationStatus } from '../../../src/apis/v1alpha1/index.ts';
import { applyManifests } from '../../../src/demo/apply-manifests.ts';
import { OWN_NAMESPACE } from '../../../src/demo/demo-cluster.ts';
import { startDemoController, type DemoController } from '../../../src/demo/demo-controller.ts';
import { parseDemoOptions } from '../../../src/demo/options.ts';
import { parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import { DAY_MS, HOUR_MS, MINUTE_MS, MiB, SECOND_MS } from '#kube/units';
import { SystemTimer } from '../../../src/runtime/system-clock.ts';
import type { Pod, WireResources } from '#embedded-cluster/controllers/wire/pod';
import type { KubeObject } from '#embedded-cluster/api/kube-object';
import { uniform } from '#embedded-cluster/clock/seeded-hash';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import type { ClusterCounters, ContainerTally } from '#embedded-cluster/nodes/simulator-counters';
import type { KubeletConfiguration } from '#embedded-cluster/nodes/kubelet/kubelet-configuration';
import type { Recording } from '#embedded-cluster/usage/recording';
import { USAGE_ANNOTATION } from '#embedded-cluster/usage/usage-annotation';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { seededRandom } from '../../fakes/seeded-random.ts';

/** Age of the cluster when Evenkeel starts. */
export const PAST_DAYS = 8;
const PAST_HOURS = PAST_DAYS * 24;
export const NAMESPACE = 'shop';
/** A Saturday, so that Evenkeel starts on a Sunday at midnight. */
const START = Date.UTC(2026, 0, 10);
const STEP_MS = 5 * MINUTE_MS;

export interface Use {
  readonly cpuMillicores: number;
  readonly memoryMib: number;
}

/** A workload with one container, `app`. */
export interface LoopWorkload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'CronJob';
  readonly name: string;
  readonly replicas?: number;
  readonly resources: WireResources;
  /** Usage of each replica. @param hour hours since Evenkeel started; negative before */
  readonly uses: (hour: number) => Use;
  /** Further fields of the usage annotation: `runSeconds`, `startupCpu` … */
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly schedule?: string;
  /** Merged into the container. */
  readonly container?: Readonly<Record<string, unknown>>;
  readonly podAnnotations?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface SceneOptions {
  readonly workloads: readonly LoopWorkload[];
  readonly nodes?: number;
  readonly machineTypes?: readonly string[];
  /** Such as `v1.33.4`; by default the version of the embedded API server. */
  readonly kubeletVersion?: string;
  readonly kubelet?: KubeletConfiguration;
  /** Additional objects: autoscalers, quotas, budgets. */
  readonly objects?: readonly Readonly<Record<string, unknown>>[];
  /** Policies besides the one in Auto for all workloads. */
  readonly policies?: readonly Readonly<Record<string, unknown>>[];
  /** Called at the end of each hour before Evenkeel starts. */
  readonly onPastHour?: (scene: LoopScene, hoursLeft: number) => void;
  /** Longest time that the test runs the cluster with Evenkeel. */
  readonly maxDays: number;
}

/** The cluster, the controller, and what tests read from them. */
export class LoopScene {
  readonly cluster: EmbeddedCluster;
  readonly #folder: string;
  #controller: DemoController | null = null;
  #from: ClusterCounters;

  private constructor(cluster: EmbeddedCluster, folder: string) {
    this.cluster = cluster;
    this.#folder = folder;
    this.#from = cluster.nodes.counters();
  }

  /** Runs the cluster until Evenkeel has just started. The caller must call `end()`. */
  static async start(options: SceneOptions): Promise<LoopScene> {
    const recordings = new Map(options.workloads.map((workload) => [fileOf(workload), recordingOf(workload, options.maxDays)]));
    const cluster = new EmbeddedCluster({
      startAt: START,
      seed: 1,
      random: seededRandom,
      speed: 'max',
      nodes: {
        count: options.nodes ?? 2,
        machineTypes: options.machineTypes ?? ['e2-standard-4'],
        ...(options.kubeletVersion === undefined ? {} : { kubeletVersion: options.kubeletVersion }),
        ...(options.kubelet === undefined ? {} : { kubelet: options.kubelet }),
      },
      recordings: { names: [...recordings.keys()].sort(), load: (name) => recordings.get(name)! },
      timer: new SystemTimer(),
      logger: new RecordingLogger(),
    });
    const scene = new LoopScene(cluster, await mkdtemp(join(tmpdir(), 'evenkeel-loop-')));
    try {
      await scene.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: OWN_NAMESPACE } });
      await scene.apply(...options.workloads.map(manifestOf), ...(options.objects ?? []));
      cluster.nodes.dealRecordings();
      const { onPastHour } = options;
      if (onPastHour !== undefined) scene.#everyPastHour(onPastHour);
      await cluster.live(PAST_HOURS * HOUR_MS);
      scene.#from = cluster.nodes.counters();
      scene.#controller = await startEvenkeel(cluster, scene.#folder);
      await scene.apply(aPolicy('auto', {}), ...(options.policies ?? []));
      return scene;
    } catch (err) {
      await scene.end();
      throw err;
    }
  }

  #everyPastHour(record: (scene: LoopScene, hoursLeft: number) => void): void {
    const begin = this.cluster.clock.now();
    for (let hour = 1; hour <= PAST_HOURS; hour++) {
      this.cluster.clock.schedule(begin + hour * HOUR_MS, () => record(this, PAST_HOURS - hour));
    }
  }

  async end(): Promise<void> {
    await this.#controller?.stop();
    this.cluster.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Applies objects as kubectl would; throws when the server refuses one. */
  async apply(...objects: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    const manifests = objects.map((object) => ({ source: 'test', object })) as unknown as Parameters<typeof applyManifests>[1];
    const { refused } = await applyManifests(this.cluster.transport('test'), manifests, 'test');
    if (refused.length > 0) throw new Error(refused.join('\n'));
  }

  /** Sets a new image, and so creates new pods. */
  rollOut(workload: string): void {
    this.cluster.server.accessAs('people').modify('deployments.apps', NAMESPACE, workload, (draft) => {
      const { containers } = (draft as unknown as { spec: { template: { spec: { containers: { image: string }[] } } } }).spec.template.spec;
      for (const container of containers) container.image += '.1';
    });
  }

  annotatePod(name: string, annotation: string, value: string): void {
    this.cluster.server.accessAs('people').modify('pods', NAMESPACE, name, ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [annotation]: value };
    });
  }

  hours(count: number): Promise<void> {
    return this.cluster.clock.runFor(count * HOUR_MS);
  }

  /** Address of its dashboard. */
  get dashboard(): string {
    if (this.#controller === null) throw new Error('Evenkeel is not running');
    return `http://127.0.0.1:${this.#controller.controller.dashboardPort}`;
  }

  /** Stops the controller and starts a new one, with nothing in memory. */
  async restartEvenkeel(): Promise<void> {
    await this.#controller?.stop();
    this.#controller = null;
    this.#controller = await startEvenkeel(this.cluster, this.#folder);
  }

  /** Existing pods of a workload, by name. Throws when there are none, because any expectation about each of them would pass. */
  pods(workload: string): readonly Pod[] {
    const selector = { matchLabels: { app: workload } };
    const pods = this.list<Pod>('pods', selector).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (pods.length === 0) throw new Error(`${workload} has no pod`);
    return pods.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  list<T extends KubeObject>(resource: string, selector = {}): T[] {
    return [...this.cluster.server.accessAs('test').list(resource, { namespace: NAMESPACE, selector })] as T[];
  }

  /** Resources in the specs of a workload's pods, in millicores and MiB; null: not set. */
  sizes(workload: string): readonly Size[] {
    return this.pods(workload).map(({ spec }) => sizeOf(spec.containers[0]?.resources));
  }

  /** Resources in force on the nodes, in the same form. */
  inForce(workload: string): readonly Size[] {
    return this.pods(workload).map(({ status }) => sizeOf(status.containerStatuses?.[0]?.resources));
  }

  recommendation(workload: string): RecommendationStatus {
    const all = this.list('recommendations.evenkeel.io') as unknown as readonly Recommendation[];
    return all.find(({ spec }) => spec.targetRef.name === workload)?.status ?? {};
  }

  /** Counters of a workload's containers since the cluster started. */
  tally(workload: string): ContainerTally {
    const found = this.cluster.nodes.tallies().find((tally) => tally.workload.endsWith(`/${workload}`));
    if (found === undefined) throw new Error(`no container of ${workload} has run`);
    return found;
  }

  /** Number of evictions since Evenkeel started. */
  evictions(): number {
    return this.cluster.nodes.counters().evictions - this.#from.evictions;
  }

  resizes(): number {
    return this.cluster.nodes.counters().resizes - this.#from.resizes;
  }
}

export interface Size {
  readonly cpu: number | null;
  readonly memory: number | null;
  readonly cpuLimit: number | null;
  readonly memoryLimit: number | null;
}

export function sizeOf(resources: WireResources | undefined): Size {
  const cpu = (text: string | undefined): number | null => amount(text === undefined ? null : parseCpuMillicores(text), 1);
  const memory = (text: string | undefined): number | null => amount(text === undefined ? null : parseMemoryBytes(text), MiB);
  const { requests, limits } = resources ?? {};
  return {
    cpu: cpu(requests?.['cpu']),
    memory: memory(requests?.['memory']),
    cpuLimit: cpu(limits?.['cpu']),
    memoryLimit: memory(limits?.['memory']),
  };
}

/** Quantities of requests and limits; a null limit is not set. */
export function resources(
  requests: readonly [string, string],
  limits: readonly [string | null, string | null] = [null, null],
): WireResources {
  const [cpu, memory] = limits;
  return {
    requests: { cpu: requests[0], memory: requests[1] },
    limits: { ...(cpu === null ? {} : { cpu }), ...(memory === null ? {} : { memory }) },
  };
}

/** A policy for one workload, in Auto with further fields. */
export function aPolicyFor(workload: string, spec: Partial<PodResizePolicySpec>): Readonly<Record<string, unknown>> {
  return aPolicy(workload, { workloadSelector: { matchLabels: { app: workload } }, ...spec });
}

function aPolicy(name: string, spec: Partial<PodResizePolicySpec>): Readonly<Record<string, unknown>> {
  return { apiVersion: 'evenkeel.io/v1alpha1', kind: 'PodResizePolicy', metadata: { name }, spec: { mode: 'Auto', ...spec } };
}

/** An autoscaler with a CPU utilization target. */
export function anHpa(workload: string, utilization: number, replicas: readonly [number, number]): Readonly<Record<string, unknown>> {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: NAMESPACE, name: workload },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: workload },
      minReplicas: replicas[0],
      maxReplicas: replicas[1],
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: utilization } } }],
    },
  };
}

/** Office hours: 1 in the middle of the day, 0 at night. */
export function daytime(hour: number): number {
  return Math.max(0, Math.sin((((((hour % 24) + 24) % 24) - 6) / 12) * Math.PI));
}

function amount(parsed: { readonly ok: boolean; readonly value?: number } | null, unit: number): number | null {
  return parsed?.ok === true ? (parsed.value ?? 0) / unit : null;
}

async function startEvenkeel(cluster: EmbeddedCluster, folder: string): Promise<DemoController> {
  const parsed = parseDemoOptions(['--speed', 'max', '--for', '1d']);
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  const parts = { folder, logFile: join(folder, 'controller.log'), timer: new SystemTimer(), interrupted: new AbortController().signal };
  return startDemoController(cluster, parsed.options, parts);
}

function fileOf({ name }: LoopWorkload): string {
  return `${NAMESPACE}_${name}_app.csv`;
}

function recordingOf(workload: LoopWorkload, maxDays: number): Recording {
  const rows = ((PAST_DAYS + maxDays) * DAY_MS) / STEP_MS;
  const [cpuMillicores, memoryMib] = [new Float32Array(rows), new Float32Array(rows)];
  const offsetSeconds = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) {
    const use = workload.uses((row * STEP_MS) / HOUR_MS - PAST_HOURS);
    offsetSeconds[row] = (row * STEP_MS) / SECOND_MS;
    // Usage is never exactly constant: it varies by 4 % of CPU and 1 % of memory.
    cpuMillicores[row] = use.cpuMillicores * (0.96 + 0.08 * uniform(row, 1));
    memoryMib[row] = use.memoryMib * (0.99 + 0.02 * uniform(row, 2));
  }
  return {
    name: workload.name,
    offsetSeconds,
    cpuMillicores,
    memoryMib,
    periodSeconds: (rows * STEP_MS) / SECOND_MS,
    peakCpuMillicores: cpuMillicores.reduce((highest, value) => Math.max(highest, value), 0),
    peakMemoryMib: memoryMib.reduce((highest, value) => Math.max(highest, value), 0),
    dropped: { notANumber: 0, negative: 0, unsorted: 0 },
  };
}

function manifestOf(workload: LoopWorkload): Readonly<Record<string, unknown>> {
  const { kind, name, usage, schedule } = workload;
  const labels = { app: name };
  const stated = usage === undefined ? {} : { [USAGE_ANNOTATION]: JSON.stringify({ app: usage }) };
  const container = { name: 'app', image: 'registry.example/app:1', resources: workload.resources, ...workload.container };
  const template = {
    metadata: { labels, annotations: { ...stated, ...workload.podAnnotations } },
    spec: { containers: [container], ...(kind === 'CronJob' ? { restartPolicy: 'OnFailure' } : {}) },
  };
  const metadata = { namespace: NAMESPACE, name, labels, annotations: workload.annotations ?? {} };
  if (kind === 'CronJob') return { apiVersion: 'batch/v1', kind, metadata, spec: { schedule, jobTemplate: { spec: { template } } } };
  const spec = {
    selector: { matchLabels: labels },
    template,
    ...(kind === 'DaemonSet' ? {} : { replicas: workload.replicas ?? 2 }),
    ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
  };
  return { apiVersion: 'apps/v1', kind, metadata, spec };
}
