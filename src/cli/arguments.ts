// Options of a subcommand, declared as data: parsed, checked and listed in the help from the same table, with every
// problem reported at once.

/** How one option's value is read. A failure says what is allowed. */
export type OptionReader<T> = (text: string) => { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

export interface OptionSpec<T> {
  /** Placeholder in the help; an option without is a switch. */
  readonly value?: string;
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
 * Reads `--name value` and `--name=value`. Names are the table's keys. Positional arguments are problems unless they are
 * expected; then every argument after `--` is one.
 */
export function parseArguments<T extends OptionTable>(
  table: T,
  args: readonly string[],
  { withPositionals = false }: { readonly withPositionals?: boolean } = {},
): ParsedArguments<T> {
  const problems: string[] = [];
  const positionals: string[] = [];
  const specs = new Map(Object.entries(table));
  const values = new Map<string, unknown>([...specs].map(([name, spec]) => [name, spec.default]));
  const given = new Set<string>();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (withPositionals && isPositional(arg)) positionals.push(...(arg === '--' ? rest.splice(0) : [arg]));
    else problems.push(...takeArgument(arg, rest, specs, { values, given }));
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, values: Object.fromEntries(values) as OptionValues<T>, given, positionals };
}

interface Taken {
  readonly values: Map<string, unknown>;
  readonly given: Set<string>;
}

function isPositional(arg: string): boolean {
  return arg === '--' || arg === '-' || !arg.startsWith('-');
}

/** Takes an option, with its value from `rest` unless it is inline. Returns its problems. */
function takeArgument(arg: string, rest: string[], specs: ReadonlyMap<string, OptionSpec<unknown>>, taken: Taken): string[] {
  const [, name = '', inline] = /^--([a-z][a-z-]*)(?:=(.*))?$/s.exec(arg) ?? [];
  const spec = specs.get(name);
  if (spec === undefined) {
    if (inline === undefined && rest[0]?.startsWith('--') === false) rest.shift();
    return [`${arg}: no such option; known are ${[...specs.keys()].map((each) => `--${each}`).join(', ')}`];
  }
  return takeOption(name, spec, inline ?? (spec.value === undefined ? 'true' : rest.shift()), taken);
}

function takeOption(name: string, spec: OptionSpec<unknown>, raw: string | undefined, taken: Taken): string[] {
  if (raw === undefined) return [`--${name}: needs a value (${spec.value ?? ''})`];
  if (taken.given.has(name)) return [`--${name}: given twice`];
  taken.given.add(name);
  const read = spec.read(raw);
  if (!read.ok) return [`--${name}: ${JSON.stringify(raw)} ${read.message}`];
  taken.values.set(name, read.value);
  return [];
}

/** The table as lines for `--help`. */
export function describeOptions(table: OptionTable): string[] {
  return Object.entries(table).map(
    ([name, spec]) => `  ${`--${name}${spec.value === undefined ? '' : ` ${spec.value}`}`.padEnd(28)}${spec.help}`,
  );
}

export function text(): OptionReader<string | null> {
  return (given) => (given.trim() === '' ? { ok: false, message: 'must not be empty' } : { ok: true, value: given });
}

export function flag(): OptionReader<boolean> {
  return (given) =>
    given === 'true' || given === 'false' ? { ok: true, value: given === 'true' } : { ok: false, message: 'must be true or false' };
}

export function wholeNumber(least: number, most: number): OptionReader<number> {
  return (given) => {
    const value = Number(given);
    const fine = /^-?\d+$/.test(given) && value >= least && value <= most;
    return fine ? { ok: true, value } : { ok: false, message: `must be a whole number from ${least} to ${most}` };
  };
}
