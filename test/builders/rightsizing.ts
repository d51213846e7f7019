// Builders for right-sizing tests: a workload of `web` pods with one container `main`, in quantities that read like YAML.

import { NO_SCHEDULING_FACTS } from '#kube/pod-spec/scheduling-facts';
import type { WorkloadSituation } from '../../src/core/resize/model/situation.ts';
import { NO_MEMORY, NO_USER_REQUESTS } from '../../src/core/resize/model/situation.ts';
import type { ContainerAdvice, OomAdvice, ResourceAdvice } from '../../src/core/recommender/advice.ts';
import { DEFAULT_POLICY_RULES, type PolicyRules } from '../../src/core/resize/policy/policy-rules.ts';
import type { WorkloadOverrides } from '../../src/core/resize/policy/workload-overrides.ts';
import { qosOf } from '../../src/core/resize/model/container-values.ts';
import type { NodeRecord } from '#kube/records/node';
import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import type { OptionalResources, RequestsAndLimits, ResourceName } from '#kube/records/resources';
import { parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import type { HpaRecord } from '../../src/core/model/cluster-records.ts';
import { DAY_MS, MINUTE_MS } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';
import { aNodeRecord } from './records.ts';

/** Overrides of a workload without annotations. */
export const NO_OVERRIDES: WorkloadOverrides = {
  mode: null,
  excluded: false,
  heldUntil: null,
  floor: new Map(),
  ceiling: new Map(),
  problems: [],
};

/** Noon of an ordinary Friday. */
export const T0 = Date.parse('2026-11-20T12:00:00Z');

function cpu(text: string): number {
  const amount = parseCpuMillicores(text);
  if (!amount.ok) throw new Error(amount.message);
  return amount.value;
}

export function memory(text: string): number {
  const amount = parseMemoryBytes(text);
  if (!amount.ok) throw new Error(amount.message);
  return amount.value;
}

/** `amounts('100m', '128Mi')`; null leaves a resource unset. */
export function amounts(cpuText: string | null, memoryText: string | null): OptionalResources {
  return { cpuMillicores: cpuText === null ? null : cpu(cpuText), memoryBytes: memoryText === null ? null : memory(memoryText) };
}

export interface ContainerTraits {
  readonly name?: string;
  readonly requests?: OptionalResources;
  readonly limits?: OptionalResources;
  readonly record?: Partial<ContainerRecord>;
}

export function aContainer({
  name = 'main',
  requests = amounts('500m', '512Mi'),
  limits = amounts(null, null),
  record = {},
}: ContainerTraits = {}): ContainerRecord {
  return {
    name,
    sidecar: false,
    requests,
    limits,
    actual: { requests, limits },
    allocated: requests,
    resizePolicy: { cpu: 'NotRequired', memory: 'NotRequired' },
    state: 'running',
    waitingReason: null,
    startedAt: T0 - DAY_MS,
    ready: true,
    restarts: 0,
    lastTermination: null,
    ...record,
  };
}

export interface PodTraits extends Partial<PodRecord> {
  readonly container?: ContainerTraits;
}

export function aPodRecord({ container = {}, ...record }: PodTraits = {}): PodRecord {
  const containers = record.containers ?? [aContainer(container)];
  const name = record.name ?? 'web-1';
  return {
    uid: `uid-${name}`,
    namespace: 'shop',
    name,
    resourceVersion: '1',
    labels: { app: 'web' },
    annotations: {},
    createdAt: T0 - DAY_MS,
    deletionAt: null,
    node: 'n1',
    phase: 'Running',
    ready: true,
    readySince: T0 - DAY_MS,
    unreadySince: null,
    schedulable: true,
    qosClass: qosOf(containers),
    priority: 0,
    restartPolicy: 'Always',
    owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-abc', uid: 'uid-rs' },
    hostNetwork: false,
    windows: false,
    ip: '10.0.0.1',
    resize: { state: 'none', message: '', since: null },
    resizedBy: null,
    scheduling: NO_SCHEDULING_FACTS,
    pinnedNode: null,
    ...record,
    containers,
  };
}

/** `count` equal pods, `web-1` to `web-<count>`. */
export function pods(count: number, traits: PodTraits = {}): readonly PodRecord[] {
  return Array.from({ length: count }, (_, index) => aPodRecord({ ...traits, name: `web-${index + 1}` }));
}

export function aWorkloadRecord(record: Partial<WorkloadRecord> = {}, container: ContainerTraits = {}): WorkloadRecord {
  const { name = 'main', requests = amounts('500m', '512Mi'), limits = amounts(null, null) } = container;
  return {
    namespace: 'shop',
    kind: 'Deployment',
    name: 'web',
    apiVersion: 'apps/v1',
    uid: 'uid-web',
    resourceVersion: '1',
    labels: { app: 'web' },
    annotations: {},
    createdAt: T0 - 30 * DAY_MS,
    deletionAt: null,
    controller: null,
    containers: [{ name, requests, limits, sidecar: false, image: 'web:1' }],
    replicas: { desired: 3, current: 3, ready: 3 },
    rolloutInProgress: false,
    ...record,
  };
}

function aResourceAdvice(resource: ResourceName, target: number, advice: Partial<ResourceAdvice> = {}): ResourceAdvice {
  return {
    target,
    base: target,
    increase: null,
    lowerBound: Math.floor(target * 0.9),
    upperBound: Math.ceil(target * 1.3),
    peak: target,
    recentPeak: Math.floor(target * 0.8),
    latest: Math.floor(target * 0.7),
    confidence: 0.95,
    isMeasured: true,
    steps: [
      { resource, step: 'usage', detail: 'what 98 % of the samples stay below', total: Math.floor(target * 0.8) },
      { resource, step: 'margin', detail: 'spare', total: target },
    ],
    ...advice,
  };
}

export interface AdviceTraits extends Partial<Omit<ContainerAdvice, 'cpu' | 'memory'>> {
  readonly cpu?: string;
  readonly memory?: string;
  readonly cpuAdvice?: Partial<ResourceAdvice>;
  readonly memoryAdvice?: Partial<ResourceAdvice>;
}

/** Advice with a long history of steady usage. */
export function anAdvice({
  cpu: cpuText = '100m',
  memory: memoryText = '128Mi',
  cpuAdvice = {},
  memoryAdvice = {},
  ...advice
}: AdviceTraits = {}): ContainerAdvice {
  const [millicores, bytes] = [cpu(cpuText), memory(memoryText)];
  const used = { cpuMillicores: Math.floor(millicores * 0.7), memoryBytes: Math.floor(bytes * 0.7) };
  return {
    container: 'main',
    cpu: aResourceAdvice('cpu', millicores, cpuAdvice),
    memory: aResourceAdvice('memory', bytes, memoryAdvice),
    usage: { p50: used, p95: used, p99: used, max: used },
    memoryEvidence: {
      historyMs: 14 * DAY_MS,
      peakEver: used.memoryBytes,
      peakEverAt: T0 - 5 * DAY_MS,
      peak24h: used.memoryBytes,
      peakHour: used.memoryBytes,
      latest: used.memoryBytes,
      worstRecordRatio: 1,
      typical: Math.floor(used.memoryBytes * 0.9),
      slopeBytesPerHour: 0,
      lastOomAt: null,
      minMemoryByKills: 0,
      leakSuspected: false,
    },
    oomKills: 0,
    lastOomAt: null,
    leakSuspected: false,
    throttledRatio: 0,
    cpuPressureRatio: 0,
    cpuHigh: { millicores: used.cpuMillicores, measuredMs: 14 * DAY_MS },
    samples: 4032,
    droppedSamples: 0,
    firstSampleAt: T0 - 14 * DAY_MS,
    lastSampleAt: T0,
    coverage: 1,
    enoughHistory: true,
    confidence: 0.95,
    confidenceText: 'would have covered 99 % of the last 168 hours; 14 days seen',
    ...advice,
  };
}

export interface HpaTraits extends Partial<Omit<HpaRecord, 'resourceMetrics'>> {
  readonly metrics?: readonly { readonly resource?: 'cpu' | 'memory'; readonly container?: string; readonly percent?: number }[];
}

/** Autoscaler of `web` at its target of 60 % of the CPU requests, with three replicas. */
export function anHpaRecord({ metrics = [{}], ...record }: HpaTraits = {}): HpaRecord {
  return {
    namespace: 'shop',
    name: 'web',
    uid: 'uid-hpa-web',
    resourceVersion: '1',
    createdAt: T0 - 30 * DAY_MS,
    annotations: {},
    hasAnnotations: false,
    controller: null,
    metricsWriter: null,
    target: { namespace: 'shop', group: 'apps', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 10,
    currentReplicas: 3,
    desiredReplicas: 3,
    lastScaleAt: null,
    scaleDownWindowMs: 5 * MINUTE_MS,
    ...record,
    resourceMetrics: metrics.map(({ resource = 'cpu', container = null, percent = 60 }, index) => ({
      index,
      resource,
      container,
      targetUtilizationRatio: percent / 100,
    })),
  };
}

/** Advice after OOM kills of every replica. @param need memory, in bytes @param at time of the last kill */
export function oomAdvice(need: number, at = T0): OomAdvice {
  return { limitNeed: need, killedPodNeed: need, requestNeed: 0, recentKills: [{ at, need }], lastNodeKill: null };
}

/** Default policy, in mode Auto. */
export function autoPolicy(rules: Partial<PolicyRules> = {}): PolicyRules {
  return { ...DEFAULT_POLICY_RULES, name: 'all', mode: 'Auto', ...rules };
}

/**
 * Three pods of 500m and 512Mi whose advice is 100m and 128Mi, under a policy in Auto, without blockers; throttling and pressure are
 * measured.
 */
export function aSituation(situation: Partial<WorkloadSituation> = {}): WorkloadSituation {
  return {
    now: T0,
    workload: aWorkloadRecord(),
    pods: pods(3),
    policy: autoPolicy(),
    policyProblem: null,
    overrides: NO_OVERRIDES,
    advice: [anAdvice()],
    hpas: [],
    freeForPod: null,
    scaledObjects: [],
    vpas: [],
    limitRanges: [],
    quotas: [],
    kubeletVersions: new Map([['n1', 'v1.36.0']]),
    unreadPods: new Set(),
    freeOnNodes: new Map(),
    demand: [{ container: 'main', windows: [], throttlingMeasuredAt: situation.now ?? T0 }],
    largestNode: null,
    userRequests: NO_USER_REQUESTS,
    memory: NO_MEMORY,
    gateState: { inPlace: true, dryRun: false, paused: null, stale: null, warmUpUntil: null },
    otherWorkloadsUnderWay: 0,
    governedWorkloads: 1,
    ...situation,
  };
}

/** The pods after the steps of a decision, as a kubelet reports them a moment later. */
export function resized(
  before: readonly PodRecord[],
  steps: readonly { readonly pod: PodRecord; readonly containers: readonly { readonly name: string; readonly to: RequestsAndLimits }[] }[],
): readonly PodRecord[] {
  return before.map((pod) => {
    const step = steps.find((candidate) => candidate.pod.uid === pod.uid);
    if (step === undefined) return pod;
    const containers = pod.containers.map((container) => {
      const to = step.containers.find((candidate) => candidate.name === container.name)?.to;
      return to === undefined ? container : { ...container, ...to, actual: to, allocated: to.requests };
    });
    return { ...pod, containers };
  });
}

/** A node with 16 CPUs and 64 GiB, ready since the start of the test. */
export function aLargeNode(name: string): NodeRecord {
  const size = { cpuMillicores: 16_000, memoryBytes: amounts(null, '64Gi').memoryBytes! };
  return aNodeRecord({ name, createdAt: T0, capacity: size, allocatable: size, machineType: 'e2-standard-16' });
}
