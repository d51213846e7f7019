// Options of a subcommand, declared as a table from which they are parsed, validated and listed in the help. All problems are reported at
// once.

import { parseArgs } from 'node:util';

/** Parses an option's value. A failure has what is allowed. */
export type OptionReader<T> = (text: string) => { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

export interface OptionSpec<T> {
  /** Placeholder in the help; absent for a switch. */
  readonly value?: string;
  /** One letter, as in `-n shop`. */
  readonly short?: string;
  readonly help: string;
  readonly read: OptionReader<T>;
  readonly default: T;
}

export type OptionTable = Readonly<Record<string, OptionSpec<unknown>>>;
export type OptionValues<T extends OptionTable> = { readonly [K in keyof T]: T[K] extends OptionSpec<infer V> ? V : never };

export type ParsedArguments<T extends OptionTable> =
  | { readonly ok: true; readonly values: OptionValues<T>; readonly given: ReadonlySet<keyof T>; readonly positionals: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Parses `--name value` and `--name=value`. Names are the table's keys. Positional arguments are problems unless `withPositionals`; then
 * every argument after `--` is one.
 */
export function parseArguments<T extends OptionTable>(
  table: T,
  args: readonly string[],
  { withPositionals = false }: { readonly withPositionals?: boolean } = {},
): ParsedArguments<T> {
  const specs = new Map(Object.entries(table));
  const options = Object.fromEntries(
    [...specs].map(([name, { value, short }]) => {
      return [name, { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) } as const];
    }),
  );
  // Not strict: `parseArgs` throws at the first problem, and all are reported here.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const problems: string[] = [];
  const positionals: string[] = [];
  const parsed: Parsed = { values: new Map([...specs].map(([name, spec]) => [name, spec.default])), given: new Set() };
  /** The argument behind an unknown option is its value, not a further problem. */
  let skipped = -1;
  for (const token of tokens) {
    if (token.kind === 'option') {
      const spec = specs.get(token.name);
      const isKnown = token.rawName.startsWith('--') || token.rawName === `-${spec?.short ?? ''}`;
      if (spec !== undefined && isKnown) problems.push(...takeOption(token.name, spec, token.value, parsed));
      else {
        problems.push(unknownOption(args[token.index] ?? token.rawName, specs));
        if (token.inlineValue !== true) skipped = token.index + 1;
      }
    } else if (token.kind === 'positional' && token.index !== skipped) {
      if (withPositionals) positionals.push(token.value);
      else problems.push(unknownOption(token.value, specs));
    }
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, values: Object.fromEntries(parsed.values) as OptionValues<T>, given: parsed.given, positionals };
}

interface Parsed {
  readonly values: Map<string, unknown>;
  readonly given: Set<string>;
}

function unknownOption(argument: string, specs: ReadonlyMap<string, unknown>): string {
  return `${argument}: unknown option; use one of ${[...specs.keys()].map((name) => `--${name}`).join(', ')}`;
}

function takeOption(name: string, spec: OptionSpec<unknown>, given: string | undefined, parsed: Parsed): string[] {
  const raw = given ?? (spec.value === undefined ? 'true' : undefined);
  if (raw === undefined) return [`--${name}: needs a value (${spec.value ?? ''})`];
  if (parsed.given.has(name)) return [`--${name}: given twice`];
  parsed.given.add(name);
  const read = spec.read(raw);
  if (!read.ok) return [`--${name}: ${JSON.stringify(raw)} ${read.message}`];
  parsed.values.set(name, read.value);
  return [];
}

/** Lines of the options for `--help`. */
export function describeOptions(table: OptionTable): string[] {
  return Object.entries(table).map(([name, { value, short, help }]) => {
    const names = `${short === undefined ? '' : `-${short}, `}--${name}`;
    return `  ${`${names}${value === undefined ? '' : ` ${value}`}`.padEnd(28)}${help}`;
  });
}

/** Reads a non-empty text. */
export function text(): OptionReader<string | null> {
  return (given) => (given.trim() === '' ? { ok: false, message: 'must not be empty' } : { ok: true, value: given });
}

/** Reads true or false. */
export function flag(): OptionReader<boolean> {
  return (given) =>
    given === 'true' || given === 'false' ? { ok: true, value: given === 'true' } : { ok: false, message: 'must be true or false' };
}

/** Reads an integer from `min` to `max`. */
export function wholeNumber(min: number, max: number): OptionReader<number> {
  return (given) => {
    const value = Number(given);
    const isValid = /^-?\d+$/.test(given) && value >= min && value <= max;
    return isValid ? { ok: true, value } : { ok: false, message: `must be a whole number from ${min} to ${max}` };
  };
}
