// OOM kills of the past, from what kube-state-metrics says of restarts: a restart whose last end was a kill.

import type { Bytes, Instant } from '#kube/units';
import { LAST_TERMINATED_REASON as REASON, LIMITS, RESTARTS } from './metric-names.ts';
import type { PrometheusQueries } from './prometheus-client.ts';
import type { RangeSeries } from './read-answer.ts';
import { containersIn, namesOf, refOf, type SeriesNames } from './series-names.ts';

/** By `pod/container`. */
export type OomKills = ReadonlyMap<string, readonly { readonly at: Instant; readonly memoryLimitBytes: Bytes | null }[]>;

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** Kills of a namespace; none without kube-state-metrics. A kill is dated to the step that first shows it. */
export async function oomKillsOf(
  client: PrometheusQueries,
  namespace: string,
  span: Span,
  chunks: readonly Span[],
  range: (query: string, chunk: Span) => Promise<readonly RangeSeries[]>,
  signal: AbortSignal,
): Promise<OomKills> {
  const names = await namesOf(client, `${REASON}{reason="OOMKilled"}`, span, signal);
  if (names === null) return new Map();
  const by = (expression: string) => `max by (${names.pod},${names.container}) (${expression})`;
  const of = (metric: string, more = '') => by(`${metric}{${containersIn(namespace, names)}${more}}`);
  const kills = new Map<string, { at: Instant; memoryLimitBytes: Bytes | null }[]>();
  const restartsBefore = new Map<string, number>();
  for (const chunk of chunks) {
    // Without a kill in sight, nothing more is asked; but what was counted before is then not known any longer.
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
