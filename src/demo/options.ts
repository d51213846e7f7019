import { parseDuration } from '../core/model/duration.ts';
import type { DurationMs } from '#kube/units';
import { findMachineType, similarTypes } from '#embedded-cluster/nodes/machine-types';
import { flag, type OptionReader, type OptionTable, type OptionValues, parseArguments, text, wholeNumber } from '../cli/arguments.ts';

const speed: OptionReader<number | 'max'> = (given) => {
  if (given === 'max') return { ok: true, value: 'max' };
  const value = Number(given);
  const isValid = given.trim() !== '' && Number.isFinite(value) && value >= 1 && value <= 1000;
  return isValid ? { ok: true, value } : { ok: false, message: 'must be a number from 1 to 1000, or max' };
};

const duration: OptionReader<DurationMs | null> = (given) => {
  const parsed = parseDuration(given);
  return parsed.ok ? parsed : { ok: false, message: 'must be a duration such as 30m, 21d or 1d12h' };
};

const machineType: OptionReader<string | null> = (given) => {
  const message = `is unknown; use one such as ${similarTypes(given)}`;
  return findMachineType(given) === undefined ? { ok: false, message } : { ok: true, value: given };
};

const port: OptionReader<number | null> = wholeNumber(0, 65_535);

/** Options of `evenkeel demo`. A port of null is the default port, or a free one where that is taken. */
export const DEMO_OPTIONS = {
  manifests: {
    value: 'PATH',
    help: 'file or folder of Kubernetes YAML to run instead of the built-in workloads',
    read: text(),
    default: null,
  },
  usage: {
    value: 'DIR',
    help: 'recorded usage, one CSV per container: t_s and cpu_m and/or mem_mib, NAMESPACE_WORKLOAD_CONTAINER.csv[.gz]',
    read: text(),
    default: null,
  },
  nodes: { value: 'N', help: 'number of nodes (default 6)', read: wholeNumber(1, 500), default: 6 },
  'machine-type': {
    value: 'T',
    help: 'machine type of all nodes (default: e2-standard-4 and n2-standard-4 in turn)',
    read: machineType,
    default: null,
  },
  speed: {
    value: 'S',
    help: 'virtual seconds per second, 1 to 1000, or max: as fast as possible (default 60)',
    read: speed,
    default: 60,
  },
  seed: {
    value: 'N',
    help: 'seed of all randomness; the same seed at --speed max gives the same result (default 1)',
    read: wholeNumber(0, 2 ** 31),
    default: 1,
  },
  'no-controller': { help: 'run only the cluster; start evenkeel-controller with its kubeconfig', read: flag(), default: false },
  for: { value: 'DURATION', help: 'run this long in virtual time, then print a line of JSON and exit', read: duration, default: null },
  compare: { help: 'with --for: run without the controller first and print both', read: flag(), default: false },
  kubeconfig: { value: 'FILE', help: 'path of the written kubeconfig (default: a temporary file)', read: text(), default: null },
  'api-port': { value: 'PORT', help: 'port of the API server (default: a free one)', read: port, default: null },
  'dashboard-port': { value: 'PORT', help: 'port of the dashboard and its API (default 9090)', read: port, default: null },
  'metrics-port': { value: 'PORT', help: 'port of /metrics (default 8080)', read: port, default: null },
  'probe-port': { value: 'PORT', help: 'port of /healthz and /readyz (default 8081)', read: port, default: null },
  'log-file': { value: 'FILE', help: "path of the controller's log (default: beside the kubeconfig)", read: text(), default: null },
} as const satisfies OptionTable;

export type DemoOptions = OptionValues<typeof DEMO_OPTIONS>;

export type ParsedDemoOptions =
  { readonly ok: true; readonly options: DemoOptions } | { readonly ok: false; readonly problems: readonly string[] };

/** Parses and validates the options. Reports all problems at once, including conflicts between options. */
export function parseDemoOptions(args: readonly string[]): ParsedDemoOptions {
  const parsed = parseArguments(DEMO_OPTIONS, args);
  if (!parsed.ok) return parsed;
  const { values } = parsed;
  const problems: string[] = [];
  if (values.compare && values.for === null) problems.push('--compare: needs --for DURATION, so that both runs end');
  if (values.compare && values['no-controller'])
    problems.push('--compare: runs with and without the controller; leave out --no-controller');
  if (values.speed === 'max' && values.for === null) problems.push('--speed max: needs --for DURATION, or it would never end');
  return problems.length > 0 ? { ok: false, problems } : { ok: true, options: values };
}
