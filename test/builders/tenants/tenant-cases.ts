// Properties of what a tenant can write: a few hundred cases in `make test`, 100,000 in `make soak`.

import { expect } from '@jest/globals';
import fc from 'fast-check';
import { WORKLOAD_ANNOTATIONS } from '../../../src/apis/annotations.ts';
import type { PodResizePolicySpec } from '../../../src/apis/v1alpha1/index.ts';
import { GiB, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { anHpaRecord, aWorkloadRecord } from '../rightsizing.ts';
import { earlierRecords, tenantWrites, type TenantWrites } from './tenant.ts';
import { TenantWorld, type Load } from './tenant-world.ts';

const WORKLOAD = aWorkloadRecord();
const HPA = anHpaRecord();
const REPLICAS = 3;

const load = fc.constantFrom<Load>('quiet', 'less', 'more', 'far more');
const loads = fc.array(load, { minLength: 1, maxLength: 3 });
type Phase = (world: TenantWorld) => void;

/** The same writes, with earlier records replayed in place of forged ones. */
function replaying(writes: fc.Arbitrary<TenantWrites>): fc.Arbitrary<TenantWrites> {
  return fc
    .tuple(writes, earlierRecords(WORKLOAD, HPA), fc.boolean())
    .map(([forged, earlier, isReplayed]) =>
      isReplayed ? { ...forged, workload: { ...forged.workload, ...earlier.workload }, hpa: { ...forged.hpa, ...earlier.hpa } } : forged,
    );
}

async function lived(world: TenantWorld, phases: readonly Load[], written: readonly Phase[]): Promise<TenantWorld> {
  for (const [index, load] of phases.entries()) {
    world.use(load);
    written[index]?.(world);
    await world.passes(HOUR_MS + 5 * MINUTE_MS);
  }
  return world;
}

/** In Observe, Recommend and Off there is no effect, whatever is written, forged, or replayed after a restart. */
export const effectsWhereNothingActs = fc.asyncProperty(
  fc.constantFrom('Observe' as const, 'Recommend' as const, 'Off' as const),
  fc.constantFrom<NonNullable<PodResizePolicySpec['workloadOverrides']>>('All', 'Stricter').chain((workloadOverrides) =>
    fc.record({
      workloadOverrides: fc.constant(workloadOverrides),
      writes: fc.array(replaying(tenantWrites(WORKLOAD, HPA, workloadOverrides === 'All' ? 'all but the mode' : 'all')), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  ),
  loads,
  fc.boolean(),
  fc.boolean(),
  async (mode, { workloadOverrides, writes }, phases, hasAutoscaler, isLost) => {
    // Off can be set for a workload only.
    const world = new TenantWorld({ mode: mode === 'Off' ? 'Auto' : mode, workloadOverrides }, hasAutoscaler);
    const off = { [WORKLOAD_ANNOTATIONS.mode]: 'Off' };
    const written = writes.map((write, index) => (at: TenantWorld) => {
      at.write(mode === 'Off' ? { ...write, workload: { ...write.workload, ...off } } : write);
      if (!isLost || index === 0) return;
      at.world.cluster.recommendationList = [];
      at.world.start();
    });
    await lived(world, phases, written);
    expect(world.effects).toBe(0);
  },
);

/** The end equals that of a life without forged and replayed records. */
export const sameEnds = fc.asyncProperty(
  fc.array(replaying(tenantWrites(WORKLOAD, HPA, 'none')), { minLength: 1, maxLength: 3 }),
  loads,
  fc.boolean(),
  async (writes, phases, hasAutoscaler) => {
    const [honest, forged] = await Promise.all([
      lived(new TenantWorld({ mode: 'Auto' }, hasAutoscaler), phases, []),
      lived(
        new TenantWorld({ mode: 'Auto' }, hasAutoscaler),
        phases,
        writes.map((write) => (at) => at.write(write)),
      ),
    ]);
    expect(forged.state).toEqual(honest.state);
  },
);

/**
 * In Auto, with a policy that accepts only stricter overrides, sizes keep within the bounds although earlier records are replayed at any
 * time.
 */
export const boundsHold = fc.asyncProperty(
  fc.array(replaying(tenantWrites(WORKLOAD, HPA, 'all')), { minLength: 1, maxLength: 3 }),
  loads,
  fc.boolean(),
  fc.boolean(),
  async (writes, phases, hasAutoscaler, isLost) => {
    const world = new TenantWorld({ mode: 'Auto', workloadOverrides: 'Stricter' }, hasAutoscaler);
    const written = writes.map((write, index) => (at: TenantWorld) => {
      at.write(write);
      if (!isLost || index === 0) return;
      at.world.cluster.recommendationList = [];
      at.world.start();
    });
    await lived(world, phases, written);
    expectWithinBounds(world);
  },
);

function expectWithinBounds({ world: { cluster, evicted, restarted } }: TenantWorld): void {
  for (const { namespace, containers } of cluster.podList) {
    const [{ requests, limits } = { requests: null, limits: null }] = containers;
    expect(limits).toEqual({ cpuMillicores: null, memoryBytes: null });
    const [cpu, memory] = [requests?.cpuMillicores ?? 0, requests?.memoryBytes ?? 0];
    const isAsDeployed = cpu === 500 && memory === 512 * MiB;
    if (namespace === 'shop') {
      expect(cpu >= 50 && cpu <= 1000 && memory >= 64 * MiB && memory <= GiB).toBe(true);
    } else {
      expect(isAsDeployed).toBe(true);
    }
  }
  for (const { namespace, replicas } of cluster.workloadList) {
    expect(replicas.desired).toBeLessThanOrEqual(REPLICAS);
    expect(replicas.desired).toBeGreaterThanOrEqual(namespace === 'shop' ? 1 : REPLICAS);
  }
  for (const { minReplicas, maxReplicas } of cluster.hpaList) {
    expect(maxReplicas).toBe(HPA.maxReplicas);
    expect(minReplicas).toBeLessThanOrEqual(maxReplicas);
    expect(minReplicas).toBeGreaterThanOrEqual(1);
  }
  expect([...evicted, ...restarted]).toEqual([]);
}
