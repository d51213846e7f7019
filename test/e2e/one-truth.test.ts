// kubectl, the dashboard API and the pods report the same numbers, and pods have the values that their Recommendations published.

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type {
  ExplainedResource,
  Recommendation as ShownRecommendation,
  RecommendationDetail,
} from '../../src/apis/http/types.generated.ts';
import type { Recommendation, RecommendationStatusContainer } from '../../src/apis/v1alpha1/index.ts';
import { readQuantities, readRequestsAndLimits } from '../../src/core/recommendations/quantities.ts';
import { ClusterClient, type Pod } from './cluster-client.ts';
import { ask, read } from './dashboard.ts';
import { type Demo, startDemo } from './demo-process.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from './processes.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const WORKLOADS = 12;

let fixture: TestFixture;
let demo: Demo;
let cluster: ClusterClient;

beforeAll(async () => {
  fixture = new TestFixture();
  demo = await startDemo(fixture, ['--speed', '300']);
  cluster = await ClusterClient.connect(fixture, demo.kubeconfig);
  await eventuallyReads(
    'a recommendation for every workload, and changes that are complete: the dozen asks for more than it uses',
    HANG_MS,
    async () => (await cluster.recommendations()).map(({ metadata, status }) => `${metadata.name}: ${String(status?.state)}`),
    (states) => states.length === WORKLOADS && states.filter((state) => state.endsWith(': applied')).length >= 3,
  );
}, HANG_TEST_MS);
afterAll(() => fixture.tearDown());

const readers: readonly (readonly [string, boolean, () => Promise<readonly Recommendation[]>])[] = [
  ['the API server', true, () => cluster.recommendations()],
  [hasKubectl ? 'kubectl' : 'kubectl (skipped: it is not installed)', hasKubectl, recommendationsByKubectl],
];

describe.each(readers)('%s and curl', (_name, present, recommendations) => {
  (present ? test : test.skip)('show the same recommendation for each workload, which is the sum of its explanation', async () => {
    const compared = new Set<string>();
    const mismatches: unknown[] = [];
    await eventually('every recommendation read by both in the same version: each is written only when it changes', HANG_MS, async () => {
      for (const published of await recommendations()) {
        const { kind, name } = published.spec.targetRef;
        const detail = await read<RecommendationDetail>(
          demo.dashboard,
          `recommendations/${published.metadata.namespace}/${name}?kind=${kind}`,
        );
        // Another decision was published between the two reads: retried.
        if (detail.updatedAt !== published.status?.updatedAt) continue;
        compared.add(published.metadata.name);
        mismatches.push(
          ...mismatchIn(() => {
            expect(figuresShown(detail)).toEqual(figuresPublished(published));
            expectExplained(detail);
            expectInputsAddUp(published);
          }),
        );
      }
      return compared.size === WORKLOADS || mismatches.length > 0;
    });
    expect(mismatches).toEqual([]);
  });
});

describe('A resized pod', () => {
  test('has the applied values of its Recommendation, as its node reports it, unless it was raised separately', async () => {
    const compared = new Set<string>();
    const mismatches: unknown[] = [];
    await eventually(
      'three applied workloads looked at between two changes: each Recommendation is written only when it changes',
      HANG_MS,
      async () => {
        for (const before of await cluster.recommendations()) {
          const { status } = before;
          if (status?.state !== 'applied' || status.lastApplied?.containers === undefined) continue;
          const pods = await podsOf(before);
          const after = (await cluster.recommendations()).find(({ metadata }) => metadata.uid === before.metadata.uid);
          if (after?.status?.updatedAt !== status.updatedAt || pods.length !== status.lastApplied.pods) continue;
          const promised = Object.fromEntries(
            status.lastApplied.containers.map((container) => [container.name, readRequestsAndLimits(container)]),
          );
          const raisedAlone = [...(status.oomBumps ?? []), ...(status.hotReplicas ?? [])].map(({ pod }) => pod);
          for (const pod of pods.filter(({ metadata }) => !raisedAlone.includes(metadata.name))) {
            const reported = (pod.status.containerStatuses ?? []).map(({ name, resources }) => [name, readRequestsAndLimits(resources)]);
            mismatches.push(
              ...mismatchIn(() => expect([pod.metadata.name, Object.fromEntries(reported)]).toEqual([pod.metadata.name, promised])),
            );
          }
          compared.add(before.metadata.name);
        }
        return compared.size >= 3 || mismatches.length > 0;
      },
    );
    expect(mismatches).toEqual([]);
  });
});

describe('The dashboard API', () => {
  test('returns every read in the envelope', async () => {
    const answer = await boundedFetch(`${demo.dashboard}/api/v1/openapi.json`, 'the OpenAPI description');
    const description = JSON.parse(answer.text) as { readonly paths: Record<string, { readonly get?: Record<string, unknown> }> };
    const raw = ['/openapi.json', '/docs', '/stream'];
    const paths = Object.entries(description.paths).flatMap(([path, { get }]) => (get !== undefined && !raw.includes(path) ? [path] : []));
    expect(paths.length).toBeGreaterThanOrEqual(12);
    const [node] = await read<readonly { readonly name: string }[]>(demo.dashboard, 'nodes');
    for (const path of paths) {
      const url = path
        .replace('/nodes/{name}', `/nodes/${node?.name ?? ''}`)
        .replace('{kind}/{name}', 'PodResizePolicy/demo')
        .replace('{ns}/{name}', 'shop/storefront');
      const { status, envelope } = await ask<unknown>(demo.dashboard, url.slice(1));
      // The demo has no sign-in, and thus no session.
      if (description.paths[path]?.get?.['x-evenkeel-access'] === 'admin-session') {
        expect([url, status, envelope.error?.code, envelope.data]).toEqual([url, 403, 'session_required', null]);
        continue;
      }
      expect([url, status, Object.keys(envelope)]).toEqual([url, 200, ['data', 'meta']]);
      const { meta, data } = envelope;
      expect([url, meta]).toEqual([
        url,
        expect.objectContaining({
          total: Array.isArray(data) ? expect.any(Number) : 1,
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          requestId: expect.stringMatching(/./),
          dataAge: expect.any(Number),
        }),
      ]);
      if (Array.isArray(data)) expect(meta.total).toBeGreaterThanOrEqual(data.length);
    }
  });

  test('lists as many recommendations as kubectl', async () => {
    const { envelope } = await ask<readonly ShownRecommendation[]>(demo.dashboard, 'recommendations');
    expect([envelope.meta.total, envelope.data.length]).toEqual([WORKLOADS, WORKLOADS]);
  });
});

async function recommendationsByKubectl(): Promise<readonly Recommendation[]> {
  const { stdout } = await promisify(execFile)('kubectl', ['--kubeconfig', demo.kubeconfig, 'get', 'recommendations', '-A', '-o', 'json']);
  return (JSON.parse(stdout) as { readonly items: readonly Recommendation[] }).items;
}

/** Running pods of a workload, by the label `app` of the demo. */
async function podsOf({ metadata, spec }: Recommendation): Promise<readonly Pod[]> {
  const pods = await cluster.pods(metadata.namespace ?? '');
  return pods.filter((pod) => pod.metadata.labels?.['app'] === spec.targetRef.name && pod.status.phase === 'Running');
}

function figuresShown(shown: ShownRecommendation): object {
  const { containers, state, reason, until, confidence, risk, mode, policy, updatedAt, appliedAt, source } = shown;
  return {
    ...{ state, reason, until, confidence, risk, mode, policy, updatedAt, appliedAt, source },
    containers: containers.map(({ name, current, recommended, lowerBound, upperBound, usage, oomKills }) => ({
      ...{ name, current, recommended, lowerBound, upperBound, usage, oomKills },
    })),
  };
}

function figuresPublished({ spec, status = {} }: Recommendation): object {
  return {
    state: status.state,
    reason: status.reason ?? null,
    until: status.until ?? null,
    confidence: status.confidence ?? null,
    risk: status.risk,
    mode: status.mode,
    policy: spec.policyRef?.name ?? null,
    updatedAt: status.updatedAt,
    appliedAt: status.lastApplied?.at ?? null,
    source: status.source,
    containers: (status.containers ?? []).map((container) => containerPublished(container)),
  };
}

function containerPublished({
  name,
  current,
  recommended,
  lowerBound,
  upperBound,
  usage,
  oomKills,
}: RecommendationStatusContainer): object {
  return {
    name,
    current: readRequestsAndLimits(current),
    recommended: readRequestsAndLimits(recommended),
    lowerBound: readQuantities(lowerBound),
    upperBound: readQuantities(upperBound),
    usage: {
      p50: readQuantities(usage?.p50),
      p95: readQuantities(usage?.p95),
      p99: readQuantities(usage?.p99),
      max: readQuantities(usage?.max),
    },
    oomKills: oomKills ?? null,
  };
}

/** Checks that the steps of the explanation add up to the shown value, which is the recommended value. */
function expectExplained({ containers, audit }: RecommendationDetail): void {
  for (const { name, cpu, memory } of audit.containers) {
    const recommended = containers.find((container) => container.name === name)?.recommended.requests;
    expect([name, 'cpu', sumOf(cpu), cpu?.recommended]).toEqual([name, 'cpu', recommended?.cpuMillicores, recommended?.cpuMillicores]);
    expect([name, 'memory', sumOf(memory), memory?.recommended]).toEqual([
      name,
      'memory',
      recommended?.memoryBytes,
      recommended?.memoryBytes,
    ]);
  }
}

/** A resource without advice has no value and no steps. */
function sumOf(explained: ExplainedResource | null): number | null | undefined {
  return explained?.steps.length === 0 ? null : explained?.steps.reduce((sum, { value }) => sum + value, 0);
}

/** The inputs of the object alone add up too: the last step is the value. A resource without advice has no step and keeps its value. */
function expectInputsAddUp({ metadata, status = {} }: Recommendation): void {
  for (const container of status.containers ?? []) {
    const recommended = readRequestsAndLimits(container.recommended).requests;
    const current = readRequestsAndLimits(container.current).requests;
    const last = (resource: string, unit: string): number | undefined =>
      status.inputs?.findLast((step) => step.container === container.name && step.resource === resource && step.unit === unit)?.value;
    const where = `${metadata.name}/${container.name}`;
    const [cpu, memory] = [last('cpu', 'millicores'), last('memory', 'bytes')];
    expect([where, 'cpu', recommended.cpuMillicores]).toEqual([
      where,
      'cpu',
      cpu ?? keptOrNone(recommended.cpuMillicores, current.cpuMillicores),
    ]);
    expect([where, 'memory', recommended.memoryBytes]).toEqual([
      where,
      'memory',
      memory ?? keptOrNone(recommended.memoryBytes, current.memoryBytes),
    ]);
  }
}

/** Value of a resource without advice: null before the first recommendation, else the current value. */
function keptOrNone(recommended: number | null, current: number | null): number | null {
  return recommended === null ? null : current;
}

/** Failed expectations: thrown inside a wait, they would be retried until they pass. */
function mismatchIn(expectations: () => void): readonly unknown[] {
  try {
    expectations();
    return [];
  } catch (err) {
    return [err instanceof Error ? err.message : err];
  }
}
