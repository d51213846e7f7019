// Runs the same day of a Deployment with an HPA three times on the embedded cluster: unchanged, right-sized with the HPA's target adjusted,
// and right-sized with the target unchanged. Only the last may have other replicas.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { PodResizePolicySpec } from '../../src/apis/v1alpha1/index.ts';
import { applyManifests } from '../../src/demo/apply-manifests.ts';
import { OWN_NAMESPACE } from '../../src/demo/demo-cluster.ts';
import { startDemoController } from '../../src/demo/demo-controller.ts';
import { parseDemoOptions } from '../../src/demo/options.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import { createLogger } from '../../src/runtime/logging.ts';
import { SeededRandom } from '../../src/runtime/random.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { HANG_TEST_MS } from '../eventually.ts';

const START = Date.UTC(2026, 0, 5, 3);
const SEED = 3;
const LOOK_EVERY_MS = 5 * MINUTE_MS;
/** Warm-up during the night, in which usage is learned and pods are resized before the load of the day. */
const SETTLE_MS = 4 * HOUR_MS;
const DAY_LASTS_MS = 7 * HOUR_MS;

interface Life {
  /** Replica count at each sample of the day. */
  readonly replicas: readonly number[];
  /** CPU requests of the pods at the end. */
  readonly cpus: readonly string[];
  readonly target: number;
  readonly original: string | undefined;
}

interface WirePod {
  readonly spec: { readonly containers: readonly { readonly resources: { readonly requests: { readonly cpu: string } } }[] };
}

interface WireHpa {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly metrics: readonly { readonly resource: { readonly target: { readonly averageUtilization: number } } }[] };
}

/** 4.8 cores in busy minutes, shared by the replicas: eight replicas use 60 % of a core each. */
function manifests(): readonly object[] {
  const labels = { app: 'web' };
  const usage = {
    'simulator.evenkeel.io/usage': JSON.stringify({
      app: { profile: 'diurnal', cpu: '1200m', memory: '300Mi', startupCpu: '300m', startupSeconds: 5 },
    }),
  };
  const container = { name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu: '1000m', memory: '512Mi' } } };
  const metadata = { namespace: 'shop', name: 'web', labels };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OWN_NAMESPACE } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: 4,
        selector: { matchLabels: labels },
        template: { metadata: { labels, annotations: usage }, spec: { containers: [container] } },
      },
    },
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata,
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 2,
        maxReplicas: 20,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } }],
      },
    },
  ];
}

async function live(spec: PodResizePolicySpec, watchedMs = DAY_LASTS_MS): Promise<Life> {
  const timer = new SystemTimer();
  const cluster = new EmbeddedCluster({
    startAt: START,
    seed: SEED,
    random: (of) => new SeededRandom(of),
    speed: 'max',
    nodes: { count: 2, machineTypes: ['n2-standard-8'] },
    timer,
    logger: createLogger({ level: 'warn', stream: process.stderr }),
  });
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-autoscaled-'));
  const apply = async (objects: readonly object[]): Promise<void> => {
    const inputs = objects.map((object) => ({ source: 'the test', object })) as Parameters<typeof applyManifests>[1];
    const { refused } = await applyManifests(cluster.transport('test'), inputs, 'test');
    expect(refused).toEqual([]);
  };
  const parsed = parseDemoOptions(['--speed', 'max', '--for', '1d', '--seed', String(SEED)]);
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  await apply(manifests());
  const controller = await startDemoController(cluster, parsed.options, {
    folder,
    logFile: join(folder, 'controller.log'),
    timer,
    interrupted: new AbortController().signal,
  });
  try {
    await apply([
      {
        apiVersion: 'evenkeel.io/v1alpha1',
        kind: 'PodResizePolicy',
        metadata: { name: 'all' },
        spec: { minConfidence: 0, ...spec },
      },
    ]);
    await cluster.clock.runFor(SETTLE_MS);
    const access = cluster.server.accessAs('test');
    const replicas: number[] = [];
    for (let at = 0; at < watchedMs; at += LOOK_EVERY_MS) {
      await cluster.clock.runFor(LOOK_EVERY_MS);
      const web = access.get('deployments.apps', 'shop', 'web') as unknown as { readonly spec: { readonly replicas: number } };
      replicas.push(web.spec.replicas);
    }
    const pods = access.list('pods', { namespace: 'shop' }) as unknown as readonly WirePod[];
    const hpa = access.get('horizontalpodautoscalers.autoscaling', 'shop', 'web') as unknown as WireHpa;
    return {
      replicas,
      cpus: [...new Set(pods.map(({ spec: { containers } }) => containers[0]?.resources.requests.cpu ?? ''))],
      target: hpa.spec.metrics[0]?.resource.target.averageUtilization ?? 0,
      original: hpa.metadata.annotations?.['evenkeel.io/original'],
    };
  } finally {
    await controller.stop();
    cluster.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

describe('right-sizing under an autoscaler', () => {
  test(
    'keeps the replica counts of a day without right-sizing',
    async () => {
      const plain = await live({ mode: 'Recommend' });
      const sized = await live({ mode: 'Auto' });
      const alone = await live({ mode: 'Auto', hpa: 'Off' }, 3 * HOUR_MS);

      expect(plain).toMatchObject({ cpus: ['1'], target: 60, original: undefined });
      expect(Math.max(...plain.replicas) - Math.min(...plain.replicas)).toBeGreaterThanOrEqual(2);
      expect(sized.cpus).not.toContain('1');
      expect(sized.target).toBeGreaterThan(60);
      expect(sized.original).toContain('"user":60,"cpuMillicores":1000');
      const apart = sized.replicas.map((replicas, at) => Math.abs(replicas - (plain.replicas[at] ?? 0)));
      expect(apart.filter((difference) => difference > 1).length / apart.length).toBeLessThan(0.03);
      expect(Math.abs(sum(sized.replicas) / sum(plain.replicas) - 1)).toBeLessThan(0.03);
      // Control: without the adjusted target the replica counts differ, so the comparison above can fail.
      expect(sum(alone.replicas) / sum(plain.replicas.slice(0, alone.replicas.length))).toBeGreaterThan(1.1);
    },
    HANG_TEST_MS,
  );
});
