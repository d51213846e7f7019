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

export const PACK_OPTIONS = {
  pods: {
    value: 'FILE',
    help: 'pods: CSV of name,cpu_milli,memory_mib[,gpu][,priority], or manifests in a .yaml, .yml or .json file (required)',
    read: text(),
    default: null,
  },
  pools: {
    value: 'FILE',
    help: 'pools: CSV of machine_type,vcpu,memory_gib,usd_per_hour[,max][,alloc_cpu_milli,alloc_memory_mib][,gpu][,zone][,capacity_type][,labels][,taints] (required)',
    read: text(),
    default: null,
  },
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

export interface PackOptions extends Omit<OptionValues<typeof PACK_OPTIONS>, 'pods' | 'pools'> {
  readonly pods: string;
  readonly pools: string;
}

export type ParsedPackOptions =
  { readonly ok: true; readonly options: PackOptions } | { readonly ok: false; readonly problems: readonly string[] };

export function parsePackOptions(args: readonly string[]): ParsedPackOptions {
  const parsed = parseArguments(PACK_OPTIONS, args);
  if (!parsed.ok) return { ok: false, problems: parsed.problems };
  const { pods, pools, ...others } = parsed.values;
  const problems = [
    ...(pods === null ? ['--pods is required: a CSV file of name,cpu_milli,memory_mib[,gpu]'] : []),
    ...(pools === null ? ['--pools is required: a CSV file of machine_type,vcpu,memory_gib,usd_per_hour'] : []),
  ];
  if (pods === null || pools === null) return { ok: false, problems };
  return { ok: true, options: { ...others, pods, pools } };
}
