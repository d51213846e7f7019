// What a recommendation is worth, and what it costs to leave things as they are. Three figures are told apart
// elsewhere (potential, reclaimed, realised); this is the potential: of what is recommended and not yet in force.

import { GiB, HOURS_PER_MONTH } from '../model/units.ts';
import type { OptionalResources } from '../model/resources.ts';
import type { Bytes, Millicores, Usd } from '../model/units.ts';
import type { ContainerAdvice } from './advice.ts';

/** What a requested unit costs where the workload runs. */
export interface UnitPrices {
  readonly perCoreHourUsd: Usd;
  readonly perGiBHourUsd: Usd;
}

/** Cost of requests per month; an unset request costs nothing. */
export function requestsCostPerMonth(requests: OptionalResources, prices: UnitPrices): Usd {
  const cpu = ((requests.cpuMillicores ?? 0) / 1000) * prices.perCoreHourUsd;
  const memory = ((requests.memoryBytes ?? 0) / GiB) * prices.perGiBHourUsd;
  return (cpu + memory) * HOURS_PER_MONTH;
}

/** One container's part of a recommendation: requests in force, and recommended. */
export interface ContainerChange {
  readonly current: OptionalResources;
  readonly recommended: OptionalResources;
}

/** Potential savings per month over all replicas; negative where more is needed. Linear: the sum of its containers. */
export function potentialSavingsPerMonth(containers: readonly ContainerChange[], replicas: number, prices: UnitPrices): Usd {
  return containers.reduce(
    (sum, { current, recommended }) => sum + (requestsCostPerMonth(current, prices) - requestsCostPerMonth(recommended, prices)) * replicas,
    0,
  );
}

type RiskLevel = 'none' | 'low' | 'medium' | 'high';

/** Danger of leaving the requests and limits as they are. How far the advice itself can be believed is its confidence. */
export interface Risk {
  readonly level: RiskLevel;
  readonly reason: string;
}

const LEVELS: readonly RiskLevel[] = ['none', 'low', 'medium', 'high'];
const NO_RISK: Risk = { level: 'none', reason: 'requests cover what it uses' };
/** A working set this near to its limit is one spike away from an OOM kill. */
const NEAR_LIMIT_RATIO = 0.92;
/** More than a quarter of the CPU periods throttled: requests wait visibly. */
const THROTTLED_RATIO = 0.25;

/** Risk of one container as it is configured now. */
export function riskOf(advice: ContainerAdvice, requests: OptionalResources, limits: OptionalResources): Risk {
  return worstRisk([
    limitRisk(advice, limits.memoryBytes),
    memoryRisk(advice, requests.memoryBytes),
    cpuRisk(advice, requests.cpuMillicores),
    missingRisk(advice, requests),
  ]);
}

function limitRisk(advice: ContainerAdvice, limit: Bytes | null): Risk {
  const { memoryEvidence, oomKills } = advice;
  if (memoryEvidence === null || limit === null) return NO_RISK;
  if (oomKills > 0 && memoryEvidence.oomNeed > limit) {
    return {
      level: 'high',
      reason: `${oomKills} OOM ${oomKills === 1 ? 'kill' : 'kills'}, and the memory limit still stands where it was hit`,
    };
  }
  const { peak7d } = memoryEvidence;
  return peak7d >= limit * NEAR_LIMIT_RATIO
    ? { level: 'high', reason: `memory reached ${percent(peak7d / limit)} of its limit within 7 days` }
    : NO_RISK;
}

function memoryRisk(advice: ContainerAdvice, request: Bytes | null): Risk {
  if (advice.leakSuspected) return { level: 'medium', reason: 'memory grows without end: a leak is suspected' };
  const peak = advice.memoryEvidence?.peak7d ?? 0;
  if (request === null || peak <= request) return NO_RISK;
  return { level: 'medium', reason: `memory peaked at ${percent(peak / request)} of its request: first to go when the node runs short` };
}

function cpuRisk(advice: ContainerAdvice, request: Millicores | null): Risk {
  const throttled = advice.throttledRatio ?? 0;
  if (throttled > THROTTLED_RATIO) return { level: 'medium', reason: `throttled in ${percent(throttled)} of its CPU periods` };
  if (advice.cpu === null || request === null) return NO_RISK;
  if (advice.usage.p95.cpuMillicores > request)
    return { level: 'medium', reason: 'needs more CPU than it requests more than 5 % of the time' };
  if (advice.usage.p99.cpuMillicores > request) return { level: 'low', reason: 'needs more CPU than it requests 1 to 5 % of the time' };
  return NO_RISK;
}

function missingRisk(advice: ContainerAdvice, requests: OptionalResources): Risk {
  const missing = (advice.cpu !== null && requests.cpuMillicores === null) || (advice.memory !== null && requests.memoryBytes === null);
  return missing ? { level: 'low', reason: 'runs without a request: nothing is kept free for it' } : NO_RISK;
}

/** The worst of several (the first of equals); none where there are none. */
export function worstRisk(risks: readonly Risk[]): Risk {
  return risks.reduce((worst, risk) => (LEVELS.indexOf(risk.level) > LEVELS.indexOf(worst.level) ? risk : worst), NO_RISK);
}

/** Mean unit prices over the nodes that a workload's pods run on; null where it runs nowhere. */
export function meanUnitPrices(prices: readonly UnitPrices[]): UnitPrices | null {
  if (prices.length === 0) return null;
  const sum = (pick: (price: UnitPrices) => Usd) => prices.reduce((total, price) => total + pick(price), 0) / prices.length;
  return { perCoreHourUsd: sum((price) => price.perCoreHourUsd), perGiBHourUsd: sum((price) => price.perGiBHourUsd) };
}

function percent(ratio: number): string {
  return `${Math.round(ratio * 100)} %`;
}
