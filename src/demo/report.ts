// Output of the demo: the state before and now.

import { DAY_MS, GiB, HOUR_MS, MINUTE_MS, type Instant } from '#kube/units';
import type { ClusterSummary } from '#embedded-cluster/nodes/cluster-summary';
import type { RequestedMoney } from './money.ts';

/** A reading of the cluster. */
export interface Reading {
  readonly summary: ClusterSummary;
  readonly money: RequestedMoney;
}

/** A table of before and now. */
export function beforeAndNow(before: Reading, now: Reading): readonly string[] {
  const rows: readonly (readonly [string, (reading: Reading) => string])[] = [
    ['requested CPU', ({ summary }) => cores(summary.requestedCpuMillicores)],
    ['used CPU', ({ summary }) => cores(summary.usedCpuMillicores)],
    ['requested memory', ({ summary }) => gib(summary.requestedMemoryBytes)],
    ['used memory', ({ summary }) => gib(summary.usedMemoryBytes)],
    ['cost of requests', ({ money }) => `${dollars(money.requestedPerMonthUsd)} per month`],
    ['of it unused', ({ money }) => `${dollars(money.unusedPerMonthUsd)} per month`],
  ];
  const head = `  ${''.padEnd(20)}${'before'.padEnd(22)}now`;
  return [head, ...rows.map(([name, show]) => `  ${name.padEnd(20)}${show(before).padEnd(22)}${show(now)}`)];
}

/** One line with the current state. */
export function progressLine(openedAt: Instant, at: Instant, before: Reading, now: Reading, resizes: number): string {
  const share = (from: number, to: number): string =>
    from === 0 ? '' : ` (${to <= from ? '−' : '+'}${Math.abs(Math.round((1 - to / from) * 100))} %)`;
  const cpu = `${cores(now.summary.requestedCpuMillicores)}${share(before.summary.requestedCpuMillicores, now.summary.requestedCpuMillicores)}`;
  const memory = `${gib(now.summary.requestedMemoryBytes)}${share(before.summary.requestedMemoryBytes, now.summary.requestedMemoryBytes)}`;
  return `${virtualTime(openedAt, at)}  ${resizes} resizes · requested ${cpu}, ${memory} · ${dollars(now.money.requestedPerMonthUsd)} per month`;
}

/** `day 15 03:20`: time since the cluster's start, which is day 1. */
export function virtualTime(openedAt: Instant, at: Instant): string {
  const since = at - openedAt;
  const day = 15 + Math.floor(since / DAY_MS);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `day ${day} ${two(Math.floor((since % DAY_MS) / HOUR_MS))}:${two(Math.floor((since % HOUR_MS) / MINUTE_MS))}`;
}

function cores(millicores: number): string {
  return `${(millicores / 1000).toFixed(2)} cores`;
}

function gib(bytes: number): string {
  return `${(bytes / GiB).toFixed(1)} GiB`;
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}
