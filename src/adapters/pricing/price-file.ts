// Parses `prices.file`: the prices that an administrator pays, which override the default list.

import { parse } from 'yaml';
import { findMachinePrice, isListedFamily } from '#kube/machines/machine-prices';
import type { MachineSize, StatedMachine, StatedPrices } from '../../core/cost/price-catalogue.ts';

export type PriceFileResult =
  | { readonly ok: true; readonly prices: StatedPrices }
  /** All problems, each with path and remedy. */
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Parses the text of a prices file, which is YAML:
 *
 * ```yaml
 * machines:                     # USD per hour by machine type; each key may be omitted
 *   e2-standard-4: { onDemand: 0.11, spot: 0.05 }
 *   m7g.xlarge: { onDemand: 0.16, vcpu: 4, memoryGiB: 16 }   # a size is needed of types that the default list does not have
 * zones:                        # prices that differ in a zone or region
 *   eu-west-1: { m7g.xlarge: { onDemand: 0.18 } }
 * discounts:                    # part of the default list's on-demand price that is paid, by machine type, family or "*"
 *   n2: 0.63
 * rates:                        # for machine types in neither this file nor the default list
 *   perCoreHour: 0.03
 *   perGiBHour: 0.004
 *   spotRatio: 0.4              # spot ÷ on-demand, 0–1
 * cpuToMemory: 7.46             # price of one core ÷ price of one GiB; splits a node's price
 * ```
 * @param path name of the file in problems
 */
export function parsePriceFile(text: string, path: string): PriceFileResult {
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    return {
      ok: false,
      problems: [`${path}: not valid YAML (${error instanceof Error ? firstLine(error.message) : String(error)}); correct the syntax`],
    };
  }
  const reader = new Reader(path);
  const root = reader.mapping(document ?? {}, '', ['machines', 'zones', 'discounts', 'rates', 'cpuToMemory']);
  const prices: StatedPrices = {
    machines: readMachines(reader, root['machines'] ?? {}, 'machines', SIZE_KEYS),
    sizes: readSizes(reader, root['machines'] ?? {}),
    zones: new Map(
      Object.entries(reader.mapping(root['zones'] ?? {}, 'zones', null)).map(([zone, machines]) => [
        zone,
        readMachines(reader, machines ?? {}, `zones.${zone}`),
      ]),
    ),
    discounts: readDiscounts(reader, root['discounts'] ?? {}),
    rates: readRates(reader, root['rates']),
    cpuToMemory: reader.amount(root['cpuToMemory'], 'cpuToMemory'),
  };
  return reader.problems.length === 0 ? { ok: true, prices } : { ok: false, problems: reader.problems };
}

const SIZE_KEYS = ['vcpu', 'memoryGiB', 'gpu'] as const;

/** @param sizeKeys keys of a size; with one, a price may be left out, since rates price it */
function readMachines(reader: Reader, value: unknown, at: string, sizeKeys: readonly string[] = []): ReadonlyMap<string, StatedMachine> {
  const machines = new Map<string, StatedMachine>();
  for (const [type, stated] of Object.entries(reader.mapping(value, at, null))) {
    const place = `${at}.${type}`;
    const entry = reader.mapping(stated, place, ['onDemand', 'spot', ...sizeKeys]);
    const hasSize = sizeKeys.some((key) => !isAbsent(entry[key]));
    if (isAbsent(entry['onDemand']) && isAbsent(entry['spot']) && !hasSize) {
      reader.problem(place, 'has no price; set onDemand, spot or both');
    }
    machines.set(type, {
      onDemand: reader.amount(entry['onDemand'], `${place}.onDemand`),
      spot: reader.amount(entry['spot'], `${place}.spot`),
    });
  }
  return machines;
}

/** Sizes of the same entries. Their form has been checked. */
function readSizes(reader: Reader, value: unknown): ReadonlyMap<string, MachineSize> {
  const sizes = new Map<string, MachineSize>();
  if (!isMapping(value)) return sizes;
  for (const [type, entry] of Object.entries(value)) {
    if (!isMapping(entry) || SIZE_KEYS.every((key) => isAbsent(entry[key]))) continue;
    const place = `machines.${type}`;
    if (isAbsent(entry['vcpu']) || isAbsent(entry['memoryGiB'])) reader.problem(place, 'has a part of a size; set both vcpu and memoryGiB');
    sizes.set(type, {
      vcpu: reader.size(entry['vcpu'], `${place}.vcpu`),
      memoryGib: reader.size(entry['memoryGiB'], `${place}.memoryGiB`),
      gpus: reader.count(entry['gpu'], `${place}.gpu`),
    });
  }
  return sizes;
}

function readDiscounts(reader: Reader, value: unknown): ReadonlyMap<string, number> {
  const discounts = new Map<string, number>();
  for (const [name, part] of Object.entries(reader.mapping(value, 'discounts', null))) {
    const at = `discounts.${name}`;
    if (name !== '*' && !isListed(name)) {
      reader.problem(at, 'is no machine type or family of the default list, whose prices discounts lower; use one of them, or "*"');
    } else if (typeof part === 'number' && part > 0 && part <= 1) discounts.set(name, part);
    else reader.problem(at, `must be the part of the price that is paid, above 0 and at most 1, not ${JSON.stringify(part)}`);
  }
  return discounts;
}

function isListed(name: string): boolean {
  return findMachinePrice(name) !== undefined || isListedFamily(name);
}

function readRates(reader: Reader, value: unknown): StatedPrices['rates'] {
  if (value === undefined || value === null) return null;
  const rates = reader.mapping(value, 'rates', ['perCoreHour', 'perGiBHour', 'spotRatio']);
  const perCoreHour = reader.amount(rates['perCoreHour'], 'rates.perCoreHour');
  const perGiBHour = reader.amount(rates['perGiBHour'], 'rates.perGiBHour');
  const spotRatio = reader.amount(rates['spotRatio'] ?? 1, 'rates.spotRatio');
  if (isAbsent(rates['perCoreHour']) || isAbsent(rates['perGiBHour'])) reader.problem('rates', 'needs both perCoreHour and perGiBHour');
  if (spotRatio !== null && spotRatio > 1) reader.problem('rates.spotRatio', 'must be between 0 and 1');
  return perCoreHour === null || perGiBHour === null || spotRatio === null ? null : { perCoreHour, perGiBHour, spotRatio };
}

/** More vCPUs or GiB than any machine has. */
const MAX_SIZE = 100_000;
const MAX_GPUS = 1_000;

class Reader {
  readonly problems: string[] = [];
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  problem(at: string, message: string): void {
    this.problems.push(`${this.#path}: ${at === '' ? 'the document' : at} ${message}`);
  }

  mapping(value: unknown, at: string, keys: readonly string[] | null): Readonly<Record<string, unknown>> {
    if (!isMapping(value)) {
      this.problem(at, 'must be a mapping');
      return {};
    }
    for (const key of Object.keys(value)) {
      if (keys !== null && !keys.includes(key)) this.problem(at === '' ? key : `${at}.${key}`, `is unknown; use one of ${keys.join(', ')}`);
    }
    return value;
  }

  amount(value: unknown, at: string): number | null {
    if (value === undefined || value === null) return null;
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    this.problem(at, `must be a number of 0 or more, not ${JSON.stringify(value)}`);
    return null;
  }

  /** An amount of a machine's CPU or memory. */
  size(value: unknown, at: string): number {
    if (isAbsent(value)) return 0;
    if (typeof value === 'number' && value > 0 && value <= MAX_SIZE) return value;
    this.problem(at, `must be a number above 0 and at most ${MAX_SIZE}, not ${JSON.stringify(value)}`);
    return 0;
  }

  count(value: unknown, at: string): number {
    if (isAbsent(value)) return 0;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_GPUS) return value;
    this.problem(at, `must be a whole number from 0 to ${MAX_GPUS}, not ${JSON.stringify(value)}`);
    return 0;
  }
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A key without a value is null in YAML. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
