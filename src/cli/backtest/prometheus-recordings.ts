// Recordings from Prometheus: the history of each container of each workload, by namespace.

import { randomBytes } from 'node:crypto';
import { findSeveralClusters } from '../../adapters/prometheus/cluster-labels.ts';
import { connectPrometheus, type PrometheusConnection } from '../../adapters/prometheus/client/connection.ts';
import { PrometheusFailure } from '../../adapters/prometheus/client/failure.ts';
import { PrometheusClient } from '../../adapters/prometheus/client/prometheus-client.ts';
import { PrometheusHistorySource } from '../../adapters/prometheus/prometheus-history-source.ts';
import { traceOfReplicas } from '../../core/backtest/replica-trace.ts';
import { SLOT_SECONDS, type Trace } from '../../core/backtest/time-grid.ts';
import { inferOwners } from '../../core/model/infer-owner.ts';
import { DAY_MS } from '#kube/units';
import type { UsageSeries } from '#kube/records/usage';
import { SeededRandom } from '../../runtime/random.ts';
import { SystemTimer } from '../../runtime/system-clock.ts';
import type { InputProblem } from './find-recordings.ts';
import type { BacktestOptions } from './options.ts';

export interface PrometheusRecording {
  /** `namespace/kind/workload/container`, safe as a path. */
  readonly name: string;
  readonly source: string;
  readonly trace: Trace;
}

/** The connection to Prometheus; null where it is not requested, or where `onProblem` was called with the reason. */
export function connectByOptions(options: BacktestOptions, onProblem: (problem: string) => void): PrometheusConnection | null {
  if (options.prometheus === null) return null;
  const address = {
    url: options.prometheus,
    tokenFile: options['token-file'] ?? '',
    caFile: options['ca-file'] ?? '',
    headers: options.header === null ? [] : [options.header],
    tenant: options.tenant ?? '',
    matchers: options.matchers ?? [],
  };
  try {
    const connection = connectPrometheus(address, '--prometheus');
    // The token is read for each query; this checks that it is readable.
    connection.headers();
    return connection;
  } catch (error) {
    onProblem(error instanceof Error ? error.message : String(error));
    return null;
  }
}

/**
 * Reads the history selected by the options. A failing namespace is a problem and does not stop the others, unless Prometheus is
 * unreachable.
 */
export async function readFromPrometheus(
  connection: PrometheusConnection,
  options: BacktestOptions,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<{ readonly recordings: PrometheusRecording[]; readonly problems: InputProblem[] }> {
  const client = new PrometheusClient({
    connection,
    timer: new SystemTimer(),
    random: new SeededRandom(randomBytes(4).readUInt32LE()),
    onWarning: (warning) => print(`${connection.shown} returned a partial answer: ${warning}`),
  });
  const source = new PrometheusHistorySource({
    client,
    ownerOf: (namespace, pod) => inferOwners(namespace, pod)[0] ?? null,
    withKills: false,
  });
  const to = Date.now();
  const span = { from: to - options.days * DAY_MS, to };
  const recordings: PrometheusRecording[] = [];
  const problems: InputProblem[] = [];
  try {
    const rejection = await findSeveralClusters(client, span, '--matchers', signal).catch(reasonOf);
    if (rejection !== null) return { recordings, problems: [{ source: client.shown, line: null, problem: rejection }] };
    const namespaces = options.namespace ?? (await source.namespaces(span, signal));
    if (namespaces.length === 0) {
      problems.push({
        source: client.shown,
        line: null,
        problem: 'has no containers of any namespace; does it scrape /metrics/cadvisor of the kubelets?',
      });
    }
    for (const namespace of namespaces) {
      print(`reading ${options.days} days of namespace ${namespace} from ${client.shown}`);
      const inputSource = `${client.shown} namespace ${namespace}`;
      try {
        const series: UsageSeries[] = [];
        for await (const each of source.range({ ...span, stepSeconds: SLOT_SECONDS, namespaces: [namespace] }, signal)) series.push(each);
        const found = recordingsOf(inputSource, series);
        recordings.push(...found);
        if (found.length === 0) problems.push({ source: inputSource, line: null, problem: `no data in the last ${options.days} days` });
      } catch (error) {
        if (!(error instanceof PrometheusFailure)) throw error;
        problems.push({ source: inputSource, line: null, problem: error.message });
        if (error.kind === 'unreachable' || error.kind === 'refused') break;
      }
    }
  } finally {
    client.close();
  }
  return { recordings, problems };
}

/** The message of a PrometheusFailure. @throws other errors */
function reasonOf(error: unknown): string {
  if (error instanceof PrometheusFailure) return error.message;
  throw error;
}

function recordingsOf(source: string, series: readonly UsageSeries[]): PrometheusRecording[] {
  const byContainer = Map.groupBy(series, ({ workload, namespace, pod, container }) => {
    const { kind, name } = workload ?? { kind: 'Pod', name: pod };
    return JSON.stringify([namespace, kind, name, container]);
  });
  return [...byContainer]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, replicas]) => {
      const name = (JSON.parse(key) as string[]).map(asFileName).join('/');
      const trace = traceOfReplicas(name, replicas);
      return trace === null ? [] : [{ name, source, trace }];
    });
}

/** Labels may have any text: a file name must not leave the folder. */
function asFileName(part: string): string {
  return part.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_');
}
