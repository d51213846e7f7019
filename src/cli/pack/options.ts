import type { ClusterOptions } from '../connect.ts';
import { flag, type OptionReader, type OptionTable, type OptionValues, parseArguments, text } from '../arguments.ts';

const seconds: OptionReader<number> = (given) => {
  const value = Number(given);
  const isValid = /^\d+(\.\d+)?$/.test(given) && value >= 1 && value <= 86_400;
  return isValid ? { ok: true, value } : { ok: false, message: 'must be a number of seconds from 1 to 86400' };
};

const percent: OptionReader<number> = (given) => {
  const value = Number(given.replace(/%$/, ''));
  const isValid = /^\d+(\.\d+)?%?$/.test(given) && value <= 90;
  return isValid ? { ok: true, value: value / 100 } : { ok: false, message: 'must be a percentage from 0 to 90' };
};

const html: OptionReader<string | null> = (given) =>
  /\.html$/i.test(given) ? { ok: true, value: given } : { ok: false, message: 'must end in .html' };

import type { ClusterSources } from './cluster/read-cluster.ts';
import { CLUSTER_OPTIONS } from '../recommendations/options.ts';

export const PACK_OPTIONS = {
  pods: {
    value: 'FILE',
    help: 'pods: CSV of name,cpu_milli,memory_mib[,gpu][,priority][,node], or manifests in a .yaml, .yml or .json file (required without --nodes and --from-cluster)',
    read: text(),
    default: null,
  },
  pools: {
    value: 'FILE',
    help: 'pools: CSV of machine_type,vcpu,memory_gib,usd_per_hour[,max][,alloc_cpu_milli,alloc_memory_mib][,gpu][,zone][,capacity_type][,labels][,taints] (required without --from-cluster)',
    read: text(),
    default: null,
  },
  nodes: {
    value: 'FILE',
    help: 'nodes that exist, with their pods or beside --pods: CSV of node,machine_type, or Kubernetes objects in a .yaml, .yml or .json file',
    read: text(),
    default: null,
  },
  'from-cluster': {
    help: 'read nodes and pods from the cluster of the kubeconfig; pools are the machine types of its nodes where --pools is not given',
    read: flag(),
    default: false,
  },
  prices: {
    value: 'FILE',
    help: 'prices of machine types for --from-cluster, as in the setting prices.file (default: list prices)',
    read: text(),
    default: null,
  },
  ...CLUSTER_OPTIONS,
  seconds: { value: 'N', help: 'time for the search (default 10)', read: seconds, default: 10 },
  headroom: {
    value: 'PERCENT',
    help: 'part of the CPU, memory and pods of every node that stays free for bursts (default 0)',
    read: percent,
    default: 0,
  },
  'preference-cost': {
    value: 'PERCENT',
    help: 'what preferences of manifests may cost, of the cost of their pods; 0: they change nothing (default 10)',
    read: percent,
    default: 0.1,
  },
  emit: { value: 'FILE', help: 'write the packing as CSV: pod,node,machine_type', read: text(), default: null },
  report: { value: 'FILE.html', help: 'write one page with the tables and a picture of the packing', read: html, default: null },
  json: { help: 'machine-readable output', read: flag(), default: false },
} satisfies OptionTable;

/** Where the input is. */
export type PackSources =
  | { readonly kind: 'files'; readonly pods: string; readonly pools: string }
  /** `pods` null: they are in the file of the nodes. */
  | { readonly kind: 'nodes'; readonly pods: string | null; readonly nodes: string; readonly pools: string }
  | ({ readonly kind: 'cluster' } & ClusterSources & ClusterOptions);

/** Files that are read. */
export function filesOf(sources: PackSources): string[] {
  const { pools } = sources;
  const others = sources.kind === 'cluster' ? [sources.prices] : sources.kind === 'nodes' ? [sources.pods, sources.nodes] : [sources.pods];
  return [pools, ...others].filter((file) => file !== null);
}

type SourceValues = Pick<
  OptionValues<typeof PACK_OPTIONS>,
  'pods' | 'nodes' | 'pools' | 'from-cluster' | 'prices' | 'kubeconfig' | 'context'
>;

export interface PackOptions extends Omit<OptionValues<typeof PACK_OPTIONS>, keyof SourceValues> {
  readonly sources: PackSources;
}

export type ParsedPackOptions =
  { readonly ok: true; readonly options: PackOptions } | { readonly ok: false; readonly problems: readonly string[] };

export function parsePackOptions(args: readonly string[]): ParsedPackOptions {
  const parsed = parseArguments(PACK_OPTIONS, args);
  if (!parsed.ok) return { ok: false, problems: parsed.problems };
  const sources = sourcesOf(parsed.values);
  return 'problems' in sources ? { ok: false, problems: sources.problems } : { ok: true, options: { ...parsed.values, sources } };
}

function sourcesOf(values: SourceValues): PackSources | { readonly problems: readonly string[] } {
  return values['from-cluster'] ? clusterSources(values) : fileSources(values);
}

function clusterSources({
  pods,
  nodes,
  pools,
  prices,
  kubeconfig,
  context,
}: SourceValues): PackSources | { readonly problems: readonly string[] } {
  const files = Object.entries({ '--pods': pods, '--nodes': nodes }).filter(([, file]) => file !== null);
  const problems = [
    ...files.map(([option]) => `${option}: the cluster is read with --from-cluster; remove one of them`),
    ...(pools !== null && prices !== null ? ['--prices: the pools of --pools have prices; remove one of them'] : []),
  ];
  return problems.length > 0 ? { problems } : { kind: 'cluster', pools, prices, kubeconfig, context };
}

function fileSources({
  pods,
  nodes,
  pools,
  prices,
  kubeconfig,
  context,
}: SourceValues): PackSources | { readonly problems: readonly string[] } {
  const ofCluster = Object.entries({ '--prices': prices, '--kubeconfig': kubeconfig, '--context': context }).filter(
    ([, value]) => value !== null,
  );
  const problems = [
    ...(pods === null && nodes === null
      ? ['--pods is required: a CSV file of name,cpu_milli,memory_mib[,gpu]; or --nodes, or --from-cluster']
      : []),
    ...(pools === null ? ['--pools is required: a CSV file of machine_type,vcpu,memory_gib,usd_per_hour'] : []),
    ...ofCluster.map(([option]) => `${option}: only with --from-cluster; add it, or remove ${option}`),
  ];
  if (problems.length > 0 || pools === null) return { problems };
  if (nodes !== null) return { kind: 'nodes', pods, nodes, pools };
  return pods === null ? { problems } : { kind: 'files', pods, pools };
}
