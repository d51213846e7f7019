// Output of the demo: the state before and now, in the cluster's time.

import { GiB, type Instant } from '#kube/units';
import { isoSeconds } from '#kube/time/iso-time';
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
    ['nodes cost', ({ summary }) => `${dollars(summary.costPerMonthUsd)} per month`],
    ['requests’ share', ({ money }) => `${dollars(money.requestedPerMonthUsd)} per month`],
    ['of it unused', ({ money }) => `${dollars(money.unusedPerMonthUsd)} per month`],
  ];
  const head = `  ${''.padEnd(20)}${'before'.padEnd(22)}now`;
  return [head, ...rows.map(([name, show]) => `  ${name.padEnd(20)}${show(before).padEnd(22)}${show(now)}`)];
}

/** One line with the current state. */
export function progressLine(at: Instant, before: Reading, now: Reading, resizes: number): string {
  const cpu = `${cores(now.summary.requestedCpuMillicores)}${change(before.summary.requestedCpuMillicores, now.summary.requestedCpuMillicores)}`;
  const memory = `${gib(now.summary.requestedMemoryBytes)}${change(before.summary.requestedMemoryBytes, now.summary.requestedMemoryBytes)}`;
  const cost = `${dollars(now.money.requestedPerMonthUsd)} of the nodes’ ${dollars(now.summary.costPerMonthUsd)} per month`;
  return `${clusterTime(at)}  ${resizes} ${resizes === 1 ? 'resize' : 'resizes'} · requested ${cpu}, ${memory}: ${cost}`;
}

/** `2026-11-27 03:20 UTC`: the time of the cluster, as on the dashboard and in the log. */
export function clusterTime(at: Instant): string {
  return `${isoSeconds(at).slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')} UTC`;
}

/** ` (−62 %)`; empty where it rounds to nothing. */
function change(from: number, to: number): string {
  const percent = from === 0 ? 0 : Math.round((to / from - 1) * 100);
  return percent === 0 ? '' : ` (${percent < 0 ? '−' : '+'}${Math.abs(percent)} %)`;
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
