// History of the invented shop.

import { DAY_MS, GiB, MINUTE_MS, MiB, type Instant } from '#kube/units';
import { workloadKey } from '#kube/records/workload';
import type { FakeHistory } from '../../fakes/fake-history.ts';
import { SHOP, amounts, appliedAt, type ShopRow } from './shop-rows.ts';

/** A point per 5 minutes of the last 7 days; requests fell two days ago. */
export function weekOfCluster(start: Instant): FakeHistory['clusterPoints'] {
  return Array.from({ length: 7 * 24 * 12 }, (_, index) => {
    const at = start - 7 * DAY_MS + index * 5 * MINUTE_MS;
    const day = (1 - Math.cos(((at % DAY_MS) / DAY_MS) * 2 * Math.PI)) / 2;
    const resized = at > start - 2 * DAY_MS;
    return {
      at,
      provisionedCpuMillicores: 23_520,
      provisionedMemoryBytes: 80 * GiB,
      requestedCpuMillicores: resized ? 20_070 : 22_900,
      requestedMemoryBytes: (resized ? 36 : 41) * GiB,
      recommendedCpuMillicores: 13_900,
      recommendedMemoryBytes: 30 * GiB,
      usedCpuMillicores: Math.round(5_200 + 3_900 * day + 300 * Math.sin(index * 1.7)),
      usedMemoryBytes: Math.round((23 + 2 * day) * GiB),
      costPerHourUsd: 0.71,
    };
  });
}

/** A point per 5 minutes of one workload's last day. */
export function dayOfUsage(row: ShopRow, start: Instant): FakeHistory['usagePoints'] {
  return Array.from({ length: 24 * 12 }, (_, index) => ({
    key: `${workloadKey(row)}/app`,
    at: start - DAY_MS + index * 5 * MINUTE_MS,
    cpuMillicores: Math.round(row.uses[0] * row.replicas * (1 + 0.25 * Math.sin(index / 20))),
    memoryBytes: row.uses[1] * row.replicas * MiB,
    replicas: row.replicas,
  }));
}

/** Thirty cycles, latest first. */
export function cyclesUntil(start: Instant): FakeHistory['cycleList'] {
  return Array.from({ length: 30 }, (_, index) => ({
    id: `cycle-${30 - index}`,
    startedAt: start - index * 5 * MINUTE_MS,
    durationMs: 640 + index,
    evaluated: 12,
    changed: index % 3,
    deferred: 0,
    blocked: 1,
    failed: 0,
    byReason: { cooldown: 1, approval: 1 },
    savings: { potentialPerMonthUsd: 118.4, reclaimedPerMonthUsd: 64.2, realisedPerMonthUsd: 0 },
  }));
}

/** Audit entries of the rows that were resized. */
export function entriesUntil(start: Instant): FakeHistory['entries'] {
  return SHOP.flatMap((row) => {
    const { before } = row;
    if (before === undefined) return [];
    return Array.from({ length: row.replicas }, (_, replica) => ({
      id: `${row.name}-${replica}`,
      at: Date.parse(appliedAt(row, start)) + replica * MINUTE_MS,
      kind: 'resize' as const,
      namespace: row.namespace,
      object: { kind: row.kind, name: row.name },
      pod: `${row.name}-${replica}`,
      container: 'app',
      from: { requests: amounts(before), limits: { cpuMillicores: null, memoryBytes: null } },
      to: { requests: amounts(row.asks), limits: { cpuMillicores: null, memoryBytes: null } },
      reason: 'over-provisioned',
      actor: 'evenkeel',
      outcome: 'applied' as const,
      message: '',
      durationMs: null,
      costDeltaPerHourUsd: null,
    }));
  });
}
