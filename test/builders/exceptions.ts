// Builders for limit exceptions: demand by minute, and a workload whose memory limit Evenkeel does not manage.

import type { RecommendationStatus } from '../../src/apis/v1alpha1/index.ts';
import type { ContainerDemand } from '../../src/core/resize/model/evidence/demand.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import { DEFAULT_POLICY_RULES, type PolicyRules } from '../../src/core/resize/policy/policy-rules.ts';
import type { DashboardWorld } from './dashboard-world.ts';
import { memory } from './rightsizing.ts';

/** Working sets of the last minutes of `main`, the newest last. */
export function memoryDemand(now: number, ...working: readonly string[]): readonly ContainerDemand[] {
  return [
    {
      container: 'main',
      windows: windowsOf(
        now,
        working.map((text) => ({ memoryBytes: memory(text) })),
      ),
    },
  ];
}

/** CPU of the last minutes of `main`, in millicores, the newest last. @param throttledRatio null when throttling is unmeasured */
export function cpuDemand(now: number, used: readonly number[], throttledRatio: number | null = null): readonly ContainerDemand[] {
  return [
    {
      container: 'main',
      windows: windowsOf(
        now,
        used.map((cpuMillicores) => ({ cpuMillicores, throttledRatio })),
      ),
    },
  ];
}

function windowsOf(now: number, values: readonly Partial<ContainerDemand['windows'][number]>[]): ContainerDemand['windows'] {
  return values.map((value, index) => ({
    at: now - (values.length - 1 - index) * MINUTE_MS,
    memoryBytes: null,
    cpuMillicores: null,
    throttledRatio: null,
    cpuPressureRatio: null,
    ...value,
  }));
}

/** A policy in Auto that manages requests only: limits belong to another controller. */
export function requestsOnlyPolicy(rules: Partial<PolicyRules> = {}): PolicyRules {
  const container = { ...DEFAULT_POLICY_RULES.container, controlled: 'requests' } as const;
  return { ...DEFAULT_POLICY_RULES, name: 'all', mode: 'Auto', container, ...rules };
}

/** Temporary limit overage: at most twice the limit, for 24 hours. */
export const TEMPORARY: PolicyRules['limitOverage'] = { mode: 'Temporary', maxRatio: 2, forMs: 24 * 60 * MINUTE_MS };

/** Adds limit exceptions to a workload's Recommendation. Missing fields are those of an open exception on memory. */
export function withExceptions(
  world: DashboardWorld,
  name: string,
  ...exceptions: readonly Partial<NonNullable<RecommendationStatus['limitExceptions']>[number]>[]
): void {
  const openedAt = new Date(world.clock.now() - HOUR_MS).toISOString();
  const base = { container: 'app', resource: 'memory', type: 'usage-over-limit', state: 'open', openedAt } as const;
  const amounts = { limit: '256Mi', observed: '244Mi', proposed: '320Mi', occurrences: 1, evidence: 'the working set reached 244Mi' };
  const limitExceptions = exceptions.map((exception) => ({ ...base, ...amounts, ...exception }));
  world.cluster.recommendationList = world.cluster.recommendationList.map((record) =>
    record.spec.targetRef.name === name ? { ...record, status: { ...record.status, state: 'exception', limitExceptions } } : record,
  );
}
