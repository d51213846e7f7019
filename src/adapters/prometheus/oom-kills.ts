// Past OOM kills, from kube-state-metrics: a restart whose last termination reason is OOMKilled.

import type { Bytes, Instant } from '#kube/units';
import { LAST_TERMINATED_REASON as REASON, LIMITS, RESTARTS } from './metric-names.ts';
import type { PrometheusQueries } from './client/prometheus-client.ts';
import type { RangeSeries } from './client/read-answer.ts';
import { containersIn, findSeriesNames, refOf, type SeriesNames } from './series-names.ts';

/** OOM kills by `pod/container`. */
export type OomKills = ReadonlyMap<string, readonly { readonly at: Instant; readonly memoryLimitBytes: Bytes | null }[]>;

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** OOM kills of a namespace; empty without kube-state-metrics. A kill has the time of the first step that shows it. */
export async function readOomKills(
  client: PrometheusQueries,
  namespace: string,
  span: Span,
  chunks: readonly Span[],
  range: (query: string, chunk: Span) => Promise<readonly RangeSeries[]>,
  signal: AbortSignal,
): Promise<OomKills> {
  const names = await findSeriesNames(client, `${REASON}{reason="OOMKilled"}`, span, signal);
  if (names === null) return new Map();
  const by = (expression: string) => `max by (${names.pod},${names.container}) (${expression})`;
  const of = (metric: string, more = '') => by(`${metric}{${containersIn(namespace, names)}${more}}`);
  const kills = new Map<string, { at: Instant; memoryLimitBytes: Bytes | null }[]>();
  const restartsBefore = new Map<string, number>();
  for (const chunk of chunks) {
    // A chunk without OOMKilled needs no further queries, but restart counts of earlier chunks are then no longer current.
    const killed = byContainer(await range(`${of(REASON, ',reason="OOMKilled"')} == 1`, chunk), names);
    if (killed.size === 0) {
      restartsBefore.clear();
      continue;
    }
    const restarts = byContainer(await range(of(RESTARTS), chunk), names);
    const limits = byContainer(await range(of(LIMITS, ',resource="memory"'), chunk), names);
    for (const [key, counts] of restarts) {
      for (const [at, count] of counts) {
        const before = restartsBefore.get(key);
        restartsBefore.set(key, count);
        if (before === undefined || count <= before || killed.get(key)?.has(at) !== true) continue;
        const known = kills.get(key) ?? [];
        kills.set(key, known);
        known.push({ at, memoryLimitBytes: limits.get(key)?.get(at) ?? null });
      }
    }
  }
  return kills;
}

function byContainer(series: readonly RangeSeries[], names: SeriesNames): Map<string, Map<Instant, number>> {
  const found = new Map<string, Map<Instant, number>>();
  for (const { labels, points } of series) {
    const { pod, container } = refOf(labels, names);
    const values = found.get(`${pod}/${container}`) ?? new Map<Instant, number>();
    found.set(`${pod}/${container}`, values);
    for (const { at, value } of points) values.set(at, value);
  }
  return found;
}
