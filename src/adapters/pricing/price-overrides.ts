// Parses `prices.file`: the prices that an administrator pays, which override the default list.

import { parse } from 'yaml';
import type { Usd } from '#kube/units';

/**
 * An administrator's own prices. The file is YAML:
 *
 * ```yaml
 * machines:                     # USD per hour by machine type; either may be omitted
 *   e2-standard-4: { onDemand: 0.11, spot: 0.05 }
 * rates:                        # for machine types in neither this file nor the default list
 *   perCoreHour: 0.03
 *   perGiBHour: 0.004
 *   spotRatio: 0.4              # spot ÷ on-demand, 0–1
 * cpuToMemory: 7.46             # price of one core ÷ price of one GiB; splits a node's price
 * ```
 */
export interface PriceOverrides {
  readonly machines: ReadonlyMap<string, { readonly onDemand: Usd | null; readonly spot: Usd | null }>;
  readonly rates: { readonly perCoreHour: Usd; readonly perGiBHour: Usd; readonly spotRatio: number } | null;
  readonly cpuToMemory: number | null;
}

export type PriceOverridesResult =
  | { readonly ok: true; readonly overrides: PriceOverrides }
  /** All problems, each with path and remedy. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** Parses the text of a prices file. @param path name of the file in problems */
export function parsePriceOverrides(text: string, path: string): PriceOverridesResult {
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
  const root = reader.mapping(document ?? {}, '', ['machines', 'rates', 'cpuToMemory']);
  const machines = new Map<string, { onDemand: Usd | null; spot: Usd | null }>();
  for (const [type, value] of Object.entries(reader.mapping(root['machines'] ?? {}, 'machines', null))) {
    const at = `machines.${type}`;
    const entry = reader.mapping(value, at, ['onDemand', 'spot']);
    machines.set(type, { onDemand: reader.price(entry['onDemand'], `${at}.onDemand`), spot: reader.price(entry['spot'], `${at}.spot`) });
    if (entry['onDemand'] === undefined && entry['spot'] === undefined) reader.problem(at, 'has no price; set onDemand, spot or both');
  }
  const overrides: PriceOverrides = {
    machines,
    rates: readRates(reader, root['rates']),
    cpuToMemory: reader.price(root['cpuToMemory'], 'cpuToMemory'),
  };
  return reader.problems.length === 0 ? { ok: true, overrides } : { ok: false, problems: reader.problems };
}

function readRates(reader: Reader, value: unknown): PriceOverrides['rates'] {
  if (value === undefined || value === null) return null;
  const rates = reader.mapping(value, 'rates', ['perCoreHour', 'perGiBHour', 'spotRatio']);
  const perCoreHour = reader.price(rates['perCoreHour'], 'rates.perCoreHour');
  const perGiBHour = reader.price(rates['perGiBHour'], 'rates.perGiBHour');
  const spotRatio = reader.price(rates['spotRatio'] ?? 1, 'rates.spotRatio');
  if (rates['perCoreHour'] === undefined || rates['perGiBHour'] === undefined)
    reader.problem('rates', 'needs both perCoreHour and perGiBHour');
  if (spotRatio !== null && spotRatio > 1) reader.problem('rates.spotRatio', 'must be between 0 and 1');
  return perCoreHour === null || perGiBHour === null || spotRatio === null ? null : { perCoreHour, perGiBHour, spotRatio };
}

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
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.problem(at, 'must be a mapping');
      return {};
    }
    const record = value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(record)) {
      if (keys !== null && !keys.includes(key)) this.problem(at === '' ? key : `${at}.${key}`, `is unknown; use one of ${keys.join(', ')}`);
    }
    return record;
  }

  price(value: unknown, at: string): number | null {
    if (value === undefined || value === null) return null;
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    this.problem(at, `must be a number of 0 or more, not ${JSON.stringify(value)}`);
    return null;
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
