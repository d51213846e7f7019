// Recordings from Prometheus: the past of each container of each workload, a namespace at a time.

import { randomBytes } from 'node:crypto';
import { severalClusters } from '../../adapters/prometheus/cluster-labels.ts';
import { connectPrometheus, type PrometheusConnection } from '../../adapters/prometheus/connection.ts';
import { PrometheusFailure } from '../../adapters/prometheus/failure.ts';
import { PrometheusClient } from '../../adapters/prometheus/prometheus-client.ts';
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
  /** `namespace/kind/workload/container`, good as a path. */
  readonly name: string;
  readonly source: string;
  readonly trace: Trace;
}

/** How Prometheus is reached; null where it is not requested, or where `onProblem` was called with the reason. */
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
    // The token is read for each query: whether it can be is seen here.
    connection.headers();
    return connection;
  } catch (error) {
    onProblem(error instanceof Error ? error.message : String(error));
    return null;
  }
}

/** Reads what the options name. A namespace that fails is a problem and stops no other, unless Prometheus does not answer. */
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
    onWarning: (warning) => print(`${connection.shown} answered in part: ${warning}`),
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
    const unfit = await severalClusters(client, span, '--matchers', signal).catch(reasonOf);
    if (unfit !== null) return { recordings, problems: [{ source: client.shown, line: null, problem: unfit }] };
    const namespaces = options.namespace ?? (await source.namespaces(span, signal));
    if (namespaces.length === 0) {
      problems.push({
        source: client.shown,
        line: null,
        problem: 'knows no container of any namespace; does it scrape /metrics/cadvisor of the kubelets?',
      });
    }
    for (const namespace of namespaces) {
      print(`reading ${options.days} days of namespace ${namespace} from ${client.shown}`);
      const about = `${client.shown} namespace ${namespace}`;
      try {
        const series: UsageSeries[] = [];
        for await (const each of source.range({ ...span, stepSeconds: SLOT_SECONDS, namespaces: [namespace] }, signal)) series.push(each);
        const found = recordingsOf(about, series);
        recordings.push(...found);
        if (found.length === 0)
          problems.push({ source: about, line: null, problem: `nothing is known of it in the last ${options.days} days` });
      } catch (error) {
        if (!(error instanceof PrometheusFailure)) throw error;
        problems.push({ source: about, line: null, problem: error.message });
        if (error.kind === 'unreachable' || error.kind === 'refused') break;
      }
    }
  } finally {
    client.close();
  }
  return { recordings, problems };
}

/** Of a question that failed. */
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

/** Labels may hold any text: none may lead out of a folder. */
function asFileName(part: string): string {
  return part.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_');
}
