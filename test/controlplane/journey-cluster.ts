// Cluster of the end-to-end journey: 50 nodes, a thousand pods, and namespaces with quotas and limits.

import { MiB } from '#kube/units';
import type { KnownWorkload } from './recorded-usage.ts';
import { runningForAnHour } from './simulated-pods.ts';
import type { RealCluster } from './real-cluster.ts';

export const NODES = 50;
const SHOPS = 49;
export const PODS_EACH = 20;

export interface JourneyWorkload {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly requests: { readonly cpu: string; readonly memory: string };
  readonly uses: { readonly cpuMillicores: number; readonly memoryMib: number };
  /** Annotations of the pods. */
  readonly annotations?: Readonly<Record<string, string>>;
}

const TOO_LARGE = { cpu: '200m', memory: '256Mi' };
const TOO_SMALL = { cpu: '50m', memory: '64Mi' };
const USES = { cpuMillicores: 100, memoryMib: 100 };

export const SHOP_NAMES = Array.from({ length: SHOPS }, (_, index) => `shop-${String(index + 1).padStart(2, '0')}`);

export const PILOT_PODS_EACH = 6;
/**
 * Namespaces that are right-sized in Auto. There are only three, because Evenkeel reduces at most 50 pods a minute, whatever the size of
 * the cluster.
 */
export const PILOT_NAMES = ['pilot-1', 'pilot-2', 'pilot-3'];

export const WORKLOADS: readonly JourneyWorkload[] = [
  ...PILOT_NAMES.map((name) => ({ namespace: 'pilot', name, replicas: PILOT_PODS_EACH, requests: TOO_LARGE, uses: USES })),
  ...SHOP_NAMES.map((name) => ({ namespace: 'shop', name, replicas: PODS_EACH, requests: TOO_LARGE, uses: USES })),
  // A LimitRange whose minimum is above the recommendation.
  { namespace: 'bounded', name: 'floor', replicas: 4, requests: TOO_LARGE, uses: { cpuMillicores: 20, memoryMib: 30 } },
  // Its recommendation exceeds the quota.
  { namespace: 'tight', name: 'hungry', replicas: 4, requests: TOO_SMALL, uses: USES },
  // The nodes have no free capacity for it, temporarily or at all.
  { namespace: 'full', name: 'later', replicas: 2, requests: TOO_SMALL, uses: USES, annotations: { 'evenkeel.dev/resize': 'Deferred' } },
  { namespace: 'full', name: 'never', replicas: 2, requests: TOO_SMALL, uses: USES, annotations: { 'evenkeel.dev/resize': 'Infeasible' } },
  // A user rolls it back.
  { namespace: 'regret', name: 'regretted', replicas: 4, requests: TOO_LARGE, uses: USES },
];

export const PODS = WORKLOADS.reduce((sum, { replicas }) => sum + replicas, 0);

/** The usage of a workload, as the history of the controller has it. */
export function known({ namespace, name, uses }: JourneyWorkload): KnownWorkload {
  const { cpuMillicores, memoryMib } = uses;
  return { namespace, name, container: 'app', uses: { cpuMillicores, memoryBytes: memoryMib * MiB } };
}

/** Creates all objects that exist before Evenkeel starts. */
export async function furnish(cluster: RealCluster): Promise<void> {
  for (const name of new Set(WORKLOADS.map(({ namespace }) => namespace))) {
    await cluster.api.expect({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } });
  }
  await cluster.api.expect({
    method: 'POST',
    path: '/api/v1/namespaces/bounded/limitranges',
    body: { metadata: { name: 'least' }, spec: { limits: [{ type: 'Container', min: { cpu: '150m', memory: '200Mi' } }] } },
  });
  await cluster.api.expect({
    method: 'POST',
    path: '/api/v1/namespaces/tight/resourcequotas',
    body: { metadata: { name: 'team' }, spec: { hard: { 'requests.cpu': '200m', 'requests.memory': '256Mi', pods: '10' } } },
  });
  await Promise.all(
    WORKLOADS.map((workload) =>
      cluster.api.expect({
        method: 'POST',
        path: `/apis/apps/v1/namespaces/${workload.namespace}/deployments`,
        body: deployment(workload),
      }),
    ),
  );
}

function deployment({ namespace, name, replicas, requests, uses, annotations }: JourneyWorkload): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels,
          annotations: {
            'kwok.x-k8s.io/usage-cpu': `${uses.cpuMillicores}m`,
            'kwok.x-k8s.io/usage-memory': `${uses.memoryMib}Mi`,
            ...runningForAnHour(),
            ...annotations,
          },
        },
        spec: { containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests } }] },
      },
    },
  };
}

/** A policy that right-sizes as fast as possible, by a fixed rule: 20 % above usage, limits unchanged. */
export function quickPolicy(name: string, namespaces: readonly string[], mode: 'Auto' | 'Recommend'): object {
  const rule = { percentile: 0.95, margin: 0.2, limit: { rule: 'Keep' } };
  return {
    apiVersion: 'evenkeel.io/v1alpha1',
    kind: 'PodResizePolicy',
    metadata: { name },
    spec: {
      namespaces,
      mode,
      cpu: rule,
      memory: rule,
      minConfidence: 0,
      cooldown: '1s',
      interval: '10s',
      maxConcurrent: 100,
      rollback: { within: '3s' },
    },
  };
}
