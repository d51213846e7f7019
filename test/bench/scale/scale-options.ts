import { parseArgs } from 'node:util';

export interface ScaleOptions {
  /** Numbers of nodes, measured one after the other. */
  readonly sizes: readonly number[];
  /** Minutes of steady load per size. */
  readonly minutes: number;
  readonly record: boolean;
  /** Folder for CPU profiles of the controller's main thread; null: none. */
  readonly profiles: string | null;
}

const DEFAULT_SIZES = ['100', '1000'] as const;
const DEFAULT_MINUTES = '3';
/** A block of addresses per second octet: 127.20.0.1 to 127.20.255.250. */
const MAX_NODES = 60_000;

/** Parses the arguments. @throws when a number is not whole or out of range, or an option is unknown */
export function readScaleOptions(args: readonly string[]): ScaleOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      nodes: { type: 'string', multiple: true, default: [...DEFAULT_SIZES] },
      minutes: { type: 'string', default: DEFAULT_MINUTES },
      record: { type: 'boolean', default: false },
      profiles: { type: 'string' },
    },
  });
  const sizes = values.nodes.map((given) => wholeNumber('nodes', given, MAX_NODES));
  const { record, profiles = null } = values;
  if (record && profiles !== null) throw new Error('--record with --profiles: profiling costs CPU time, so its figures are not recorded');
  return { sizes, minutes: wholeNumber('minutes', values.minutes, 24 * 60), record, profiles };
}

function wholeNumber(name: string, given: string, max: number): number {
  const value = /^\d+$/.test(given) ? Number(given) : NaN;
  if (!(value >= 1 && value <= max)) throw new Error(`--${name}: "${given}" must be a whole number from 1 to ${max}`);
  return value;
}
