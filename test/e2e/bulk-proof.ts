// Tests of bulk requests that run on any cluster, and their durations.

import { performance } from 'node:perf_hooks';
import { expect } from '@jest/globals';
import type { PodResizePolicy } from '../../src/apis/v1alpha1/index.ts';
import type { BulkResult } from '../../src/apis/http/types.generated.ts';
import { ask, send } from './dashboard.ts';
import { eventuallyReads, HANG_MS } from '../eventually.ts';

export const BULK_ITEMS = 500;
export const BULK_NAMESPACE = 'bulk';

interface Annotated {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

export interface BulkWorld {
  /** Name of the cluster, for the printed line. */
  readonly name: string;
  readonly dashboard: string;
  /** Reads the Deployments of the namespace from the API server. */
  list(): Promise<readonly Annotated[]>;
  /** Reads the policy that selects them from the API server. */
  policy(): Promise<PodResizePolicy>;
}

/** Only observes, so that only the bulk requests write. */
export const BULK_POLICY = {
  apiVersion: 'evenkeel.io/v1alpha1',
  kind: 'PodResizePolicy',
  metadata: { name: 'bulk' },
  spec: { namespaces: [BULK_NAMESPACE], mode: 'Observe', interval: '1h' },
};

const FLOOR = 'evenkeel.io/floor';

/** A Deployment without pods, because only its annotations matter here. */
export function bulkDeployment(index: number, replicas = 0): object {
  const name = `w-${index}`;
  const labels = { app: name };
  const container = { name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: BULK_NAMESPACE, name, labels },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  };
}

/** Tests bulks of overrides and of the resource audit. */
export async function proveBulk(world: BulkWorld): Promise<void> {
  const { dashboard } = world;
  const names = Array.from({ length: BULK_ITEMS }, (_, index) => `w-${index}`);
  const workloads = names.map((name) => ({ namespace: BULK_NAMESPACE, name }));
  const setting = (cpu: string) => workloads.map((workload) => ({ ...workload, action: 'set', floor: { app: { cpu } } }));
  await eventuallyReads(
    'the dashboard lists all workloads: the informer lists them',
    HANG_MS,
    async () => (await ask(dashboard, `resource-audit?namespace=${BULK_NAMESPACE}&limit=1`)).envelope.meta.total,
    (total) => total === BULK_ITEMS,
  );
  const trigger = async (): Promise<string> =>
    (await send<{ readonly cycleId: string }>(dashboard, 'POST', 'resize-cycle/trigger', {})).envelope.data.cycleId;
  let cycleId = await trigger();
  await eventuallyReads(
    'a triggered cycle has evaluated all workloads: it ends by itself',
    HANG_MS,
    async () => {
      const cycle = (await world.policy()).status?.lastCycle;
      const isEnded = cycle?.finishedAt !== undefined && cycle.id === cycleId;
      // A cycle that was running is joined, and may have begun with fewer workloads.
      if (isEnded && cycle.evaluated !== BULK_ITEMS) cycleId = await trigger();
      return isEnded ? cycle : undefined;
    },
    (cycle) => cycle?.evaluated === BULK_ITEMS,
  );

  const tooMany = await send(dashboard, 'POST', 'overrides/bulk', { items: [...setting('250m'), setting('250m')[0]] });
  expect([tooMany.status, tooMany.envelope.error?.code]).toEqual([400, 'invalid_request']);
  const auditTooMany = await send(dashboard, 'POST', 'resource-audit/bulk', {
    action: 'reset-to-deploy',
    items: [...workloads, workloads[0]],
  });
  expect(auditTooMany.status).toBe(400);
  expect((await world.list()).filter(({ metadata }) => annotationsOf(metadata) > 0)).toEqual([]);

  const withOneWrong = setting('250m').map((item, index) => (index === 250 ? { ...item, name: 'missing' } : item));
  const first = await timed(world, 'overrides', { items: withOneWrong });
  expect(first.filter(({ ok }) => !ok)).toEqual([{ index: 250, ok: false, error: { code: 'not_found', message: expect.any(String) } }]);
  const floors = await floorsOf(world);
  expect([floors.size, floors.get('w-250')]).toEqual([BULK_ITEMS - 1, undefined]);

  // Sent directly after the first, before the informers have its writes: no write is lost and none is refused.
  const second = await timed(world, 'overrides', {
    items: workloads.map((workload) => ({ ...workload, action: 'set', floor: { app: { memory: '96Mi' } } })),
  });
  expect(second.every(({ ok }) => ok)).toBe(true);
  const merged = await floorsOf(world);
  expect(merged.get('w-0')).toBe('{"app":{"cpu":"250m","memory":"96Mi"}}');
  expect(merged.get('w-250')).toBe('{"app":{"memory":"96Mi"}}');

  const dryRun = await timed(world, 'resource-audit', { action: 'reset-to-deploy', items: workloads }, '?dryRun=true');
  expect(dryRun.every(({ ok }) => ok)).toBe(true);
  const stripped = await timed(world, 'resource-audit', { action: 'strip-annotations', items: workloads });
  expect(stripped.every(({ ok }) => ok)).toBe(true);
  expect((await floorsOf(world)).size).toBe(0);
}

async function timed(world: BulkWorld, section: string, body: object, query = ''): Promise<readonly BulkResult[]> {
  const began = performance.now();
  const { status, envelope } = await send<readonly BulkResult[]>(world.dashboard, 'POST', `${section}/bulk${query}`, body);
  const tookMs = performance.now() - began;
  process.stdout.write(`bulk of ${BULK_ITEMS}, ${section}, ${world.name}: ${Math.round(tookMs)} ms\n`);
  expect([status, envelope.meta.total]).toEqual([200, BULK_ITEMS]);
  return envelope.data;
}

async function floorsOf(world: BulkWorld): Promise<ReadonlyMap<string, string>> {
  const entries = (await world.list()).flatMap(({ metadata }) => {
    const floor = metadata.annotations?.[FLOOR];
    return floor === undefined ? [] : [[metadata.name, floor] as const];
  });
  return new Map(entries);
}

function annotationsOf({ annotations = {} }: Annotated['metadata']): number {
  return Object.keys(annotations).filter((key) => key.startsWith('evenkeel.io/')).length;
}
