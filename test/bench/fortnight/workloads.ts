// Sixty workloads of all common kinds, sized as users size them: most request two to five times their usage, some too little. The real
// usage is in the annotation of the embedded cluster. Everything derives from one seed.

import type { ManifestObject } from '../../../src/cli/read-manifests.ts';
import { USAGE_ANNOTATION } from '#embedded-cluster/usage/usage-annotation';
import type { UsageProfileKind } from '#embedded-cluster/usage/usage-profile';
import { SeededRandom } from '../../../src/runtime/random.ts';

/** Usage of a container, and its requests and limits as factors of it. */
export interface ContainerSort {
  readonly name: string;
  readonly profile: UsageProfileKind;
  /** Range of the busy usage. */
  readonly cpuMillicores: readonly [number, number];
  readonly memoryMib: readonly [number, number];
  /** Requests as a multiple of busy usage. */
  readonly cpuAsked: readonly [number, number];
  readonly memoryAsked: readonly [number, number];
  /** Limits as a multiple of the request; null: no limit. */
  readonly cpuLimit: number | null;
  readonly memoryLimit: number | null;
  readonly memorySwing?: number;
  /** Growth in MiB per hour. */
  readonly leak?: number;
  /** CPU during the start as a multiple of busy usage, and its duration. */
  readonly startup?: readonly [factor: number, seconds: number];
  readonly runSeconds?: number;
}

/** A kind of workload, and how many of them a cluster has. */
export interface WorkloadSort {
  readonly sort: string;
  readonly count: number;
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'CronJob';
  readonly replicas: readonly [number, number];
  readonly containers: readonly ContainerSort[];
  /** CPU utilization that a HorizontalPodAutoscaler targets. */
  readonly hpaTarget?: number;
  readonly schedule?: string;
}

const MOST: Pick<ContainerSort, 'cpuAsked' | 'memoryAsked'> = { cpuAsked: [2, 5], memoryAsked: [1.8, 4] };

function aContainer(over: Partial<ContainerSort> & Pick<ContainerSort, 'profile'>): ContainerSort {
  const usual = { name: 'app', cpuMillicores: [40, 300], memoryMib: [120, 700], cpuLimit: null, memoryLimit: 1.5 } as const;
  return { ...usual, ...MOST, ...over };
}

const SIDECAR = aContainer({ name: 'proxy', profile: 'steady', cpuMillicores: [8, 25], memoryMib: [30, 60], cpuAsked: [4, 8] });

/** Ordered so that the first two thirds suit a small cluster; each kind occurs at least once. */
export const SORTS: readonly WorkloadSort[] = [
  { sort: 'steady', count: 7, kind: 'Deployment', replicas: [1, 4], containers: [aContainer({ profile: 'steady' })] },
  {
    sort: 'diurnal-hpa',
    count: 6,
    kind: 'Deployment',
    replicas: [3, 5],
    hpaTarget: 60,
    containers: [aContainer({ profile: 'diurnal', cpuAsked: [1.2, 2.5], cpuLimit: 2 })],
  },
  {
    sort: 'weekly',
    count: 6,
    kind: 'Deployment',
    replicas: [2, 4],
    containers: [aContainer({ profile: 'weekly', memorySwing: 0.3 }), SIDECAR],
  },
  {
    sort: 'nights',
    count: 5,
    kind: 'Deployment',
    replicas: [2, 3],
    containers: [aContainer({ profile: 'idle-nights', memorySwing: 0.35 })],
  },
  { sort: 'spiky', count: 5, kind: 'Deployment', replicas: [2, 3], containers: [aContainer({ profile: 'bursty', cpuLimit: 1.5 })] },
  // Bursts exceed the limit even with the original size: throttled throughout.
  {
    sort: 'spiky-tight',
    count: 2,
    kind: 'Deployment',
    replicas: [2, 2],
    containers: [aContainer({ profile: 'bursty', cpuAsked: [0.4, 0.6], cpuLimit: 1.4 })],
  },
  { sort: 'shifting', count: 4, kind: 'Deployment', replicas: [2, 3], containers: [aContainer({ profile: 'steps', memorySwing: 0.6 })] },
  { sort: 'growing', count: 2, kind: 'Deployment', replicas: [2, 3], containers: [aContainer({ profile: 'ramp', memorySwing: 0.5 })] },
  // Reaches its limit within days and is OOM-killed, again and again.
  {
    sort: 'leaking',
    count: 3,
    kind: 'Deployment',
    replicas: [2, 2],
    containers: [aContainer({ profile: 'leak', memoryMib: [150, 250], memoryAsked: [1.5, 2], memoryLimit: 1.6, leak: 10 })],
  },
  // The limit is below the afternoon's peak: OOM-killed each day.
  {
    sort: 'oom-prone',
    count: 3,
    kind: 'Deployment',
    replicas: [2, 3],
    containers: [aContainer({ profile: 'diurnal', memorySwing: 0.5, memoryAsked: [0.78, 0.84], memoryLimit: 1.13 })],
  },
  {
    sort: 'under-requested',
    count: 2,
    kind: 'Deployment',
    replicas: [2, 3],
    containers: [aContainer({ profile: 'weekly', cpuAsked: [0.3, 0.6], memoryAsked: [0.6, 0.8], memoryLimit: null })],
  },
  // A runtime that compiles during its start.
  {
    sort: 'slow-start',
    count: 3,
    kind: 'Deployment',
    replicas: [2, 3],
    containers: [aContainer({ profile: 'diurnal', memoryMib: [500, 900], memorySwing: 0.1, startup: [4, 150], cpuLimit: 1.5 })],
  },
  {
    sort: 'database',
    count: 3,
    kind: 'StatefulSet',
    replicas: [1, 3],
    containers: [aContainer({ profile: 'diurnal', memoryMib: [600, 1200], cpuLimit: 1, memoryLimit: 1 })],
  },
  {
    sort: 'weekly-run',
    count: 2,
    kind: 'StatefulSet',
    replicas: [1, 2],
    containers: [aContainer({ profile: 'weekly-peak', memorySwing: 0.4 })],
  },
  {
    sort: 'agent',
    count: 3,
    kind: 'DaemonSet',
    replicas: [1, 1],
    containers: [aContainer({ profile: 'steady', cpuMillicores: [15, 50], memoryMib: [60, 160] })],
  },
  {
    sort: 'report',
    count: 3,
    kind: 'CronJob',
    replicas: [1, 1],
    schedule: '17 */6 * * *',
    containers: [aContainer({ profile: 'batch', runSeconds: 1500, memoryMib: [300, 800] })],
  },
  {
    sort: 'short-run',
    count: 1,
    kind: 'CronJob',
    replicas: [1, 1],
    schedule: '*/30 * * * *',
    containers: [aContainer({ profile: 'batch', runSeconds: 45, cpuMillicores: [50, 100], memoryMib: [80, 160] })],
  },
];

/** The fields of a workload that the run needs. */
export interface FortnightWorkload {
  readonly sort: string;
  readonly kind: WorkloadSort['kind'];
  readonly namespace: string;
  readonly name: string;
  readonly hasHpa: boolean;
  readonly replicas: number;
  /** Names of its containers, for VPA's lower bounds. */
  readonly containers: readonly string[];
}

export interface FortnightInput {
  readonly workloads: readonly FortnightWorkload[];
  readonly manifests: readonly ManifestObject[];
}

const NAMESPACES = ['shop', 'data', 'platform', 'batch'] as const;
const API_VERSIONS = { Deployment: 'apps/v1', StatefulSet: 'apps/v1', DaemonSet: 'apps/v1', CronJob: 'batch/v1' } as const;
const SOURCE = 'the fortnight';

/** A number of workloads, with the kinds in proportion. */
export function fortnightInput(seed: number, count: number): FortnightInput {
  const workloads: FortnightWorkload[] = [];
  const manifests: ManifestObject[] = [];
  const named = new Map<string, number>();
  for (const [index, sort] of dealt(count).entries()) {
    const number = (named.get(sort.sort) ?? 0) + 1;
    named.set(sort.sort, number);
    const random = new SeededRandom(seed * 1000 + index);
    const draw = ([from, to]: readonly [number, number]): number => from + random.next() * (to - from);
    const workload: FortnightWorkload = {
      sort: sort.sort,
      kind: sort.kind,
      namespace: NAMESPACES[index % NAMESPACES.length] ?? 'shop',
      name: `${sort.sort}-${number}`,
      hasHpa: sort.hpaTarget !== undefined,
      replicas: Math.round(draw(sort.replicas)),
      containers: sort.containers.map(({ name }) => name),
    };
    workloads.push(workload);
    manifests.push(...manifestsOf(workload, sort, draw));
  }
  return { workloads, manifests };
}

/** Kinds in order of assignment: each once, then the most underrepresented. */
function dealt(count: number): readonly WorkloadSort[] {
  const total = SORTS.reduce((sum, sort) => sum + sort.count, 0);
  const given = new Map<WorkloadSort, number>();
  return Array.from({ length: count }, () => {
    const due = (sort: WorkloadSort): number => (given.has(sort) ? (sort.count * count) / total - (given.get(sort) ?? 0) : Infinity);
    const next = SORTS.reduce((best, sort) => (due(sort) > due(best) ? sort : best));
    given.set(next, (given.get(next) ?? 0) + 1);
    return next;
  });
}

type Draw = (range: readonly [number, number]) => number;

function manifestsOf(workload: FortnightWorkload, sort: WorkloadSort, draw: Draw): ManifestObject[] {
  const { namespace, name, kind, replicas } = workload;
  const labels = { app: name };
  const usage: Record<string, object> = {};
  const containers = sort.containers.map((container) => containerOf(container, draw, usage));
  const template = {
    metadata: { labels, annotations: { [USAGE_ANNOTATION]: JSON.stringify(usage) } },
    spec: { containers, ...(kind === 'CronJob' ? { restartPolicy: 'OnFailure' } : {}) },
  };
  const spec =
    kind === 'CronJob'
      ? { schedule: sort.schedule, jobTemplate: { spec: { template } } }
      : {
          selector: { matchLabels: labels },
          template,
          ...(kind === 'DaemonSet' ? {} : { replicas }),
          ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
        };
  const metadata = { namespace, name, labels };
  const made: ManifestObject[] = [{ source: SOURCE, object: { apiVersion: API_VERSIONS[kind], kind, metadata, spec } }];
  if (sort.hpaTarget !== undefined) made.push(autoscalerOf(workload, sort.hpaTarget));
  return made;
}

function containerOf(sort: ContainerSort, draw: Draw, usage: Record<string, object>): object {
  const cpu = Math.round(draw(sort.cpuMillicores));
  const memory = Math.round(draw(sort.memoryMib));
  usage[sort.name] = {
    profile: sort.profile,
    cpu: `${cpu}m`,
    memory: `${memory}Mi`,
    ...(sort.memorySwing === undefined ? {} : { memorySwing: sort.memorySwing }),
    ...(sort.leak === undefined ? {} : { leakPerHour: `${sort.leak}Mi` }),
    ...(sort.startup === undefined ? {} : { startupCpu: `${Math.round(cpu * sort.startup[0])}m`, startupSeconds: sort.startup[1] }),
    ...(sort.runSeconds === undefined ? {} : { runSeconds: sort.runSeconds }),
  };
  const requests = {
    cpu: Math.max(10, 5 * Math.ceil((cpu * draw(sort.cpuAsked)) / 5)),
    memory: 8 * Math.ceil((memory * draw(sort.memoryAsked)) / 8),
  };
  const limits = {
    ...(sort.cpuLimit === null ? {} : { cpu: `${Math.round(requests.cpu * sort.cpuLimit)}m` }),
    ...(sort.memoryLimit === null ? {} : { memory: `${Math.round(requests.memory * sort.memoryLimit)}Mi` }),
  };
  return {
    name: sort.name,
    image: `registry.example/${sort.name}:1`,
    readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 10 },
    resources: { requests: { cpu: `${requests.cpu}m`, memory: `${requests.memory}Mi` }, limits },
  };
}

function autoscalerOf({ namespace, name, replicas }: FortnightWorkload, target: number): ManifestObject {
  return {
    source: SOURCE,
    object: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { namespace, name },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
        minReplicas: 2,
        maxReplicas: replicas * 3,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: target } } }],
      },
    },
  };
}
