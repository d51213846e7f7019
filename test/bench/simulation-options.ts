import { parseArgs } from 'node:util';

export interface SimulationOptions {
  readonly days: number;
  readonly workloads: number;
  readonly seed: number;
  readonly record: boolean;
}

/** Parses the arguments. @throws when an argument is not a whole number, or an option is unknown */
export function readSimulationOptions(args: readonly string[]): SimulationOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { record: { type: 'boolean', default: false } },
  });
  const [days = '14', workloads = '60', seed = '1', ...others] = positionals;
  if (others.length > 0) throw new Error('at most 3 numbers are expected: days, workloads and seed');
  if (values.record && positionals.length > 0)
    throw new Error('--record takes no numbers: figures are compared where they were measured on the same input');
  return {
    days: wholeNumber('days', days, 1),
    workloads: wholeNumber('workloads', workloads, 1),
    seed: wholeNumber('seed', seed, 0),
    record: values.record,
  };
}

function wholeNumber(name: string, given: string, minimum: number): number {
  const value = /^\d+$/.test(given) ? Number(given) : NaN;
  if (!Number.isSafeInteger(value) || value < minimum) throw new Error(`${name}: "${given}" must be a whole number of at least ${minimum}`);
  return value;
}
