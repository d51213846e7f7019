// Checks whether the values that one schema allows are allowed, without pruning, by another. Upgrades and rollbacks need the same check.

/** A schema in the keywords of CRDs; custom types are compared by name. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Difference {
  /** `spec.containers[].cpu`, `spec.labels{}`, or empty at the root. */
  readonly path: string;
  readonly message: string;
}

/**
 * Handling of a field that only the first schema has: a server prunes it (`lost`), and code that does not know it does not read it
 * (`ignored`).
 */
export type UnknownField = 'lost' | 'ignored';

interface Pair {
  readonly path: string;
  readonly from: Schema;
  readonly to: Schema;
}

type Schemas = Readonly<Record<string, Schema>>;
type Check = (pair: Pair) => readonly string[];

const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'shortestMs'];
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'longestMs'];
/** The values that two of these have in common cannot be computed, so only an equal or absent keyword allows the same values. */
const OPAQUE = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'allOf', 'anyOf', 'oneOf', 'not'];
/** Keywords by which server-side apply merges: another value interprets the same object differently. */
const MERGE_KEYWORDS = ['x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type', 'x-kubernetes-embedded-resource'];
const COMPARED: ReadonlySet<string> = new Set([
  ...LOWER_BOUNDS,
  ...UPPER_BOUNDS,
  ...OPAQUE,
  ...MERGE_KEYWORDS,
  'type',
  'enum',
  'nullable',
  'required',
  'default',
  'properties',
  'additionalProperties',
  'items',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);
const ANNOTATIONS: ReadonlySet<string> = new Set(['description', 'title', 'example', 'externalDocs']);

/**
 * Values that `from` allows and `to` may refuse or prune. Without differences there are none; a difference may be harmless, because
 * patterns and CEL rules are compared as text. @throws at a keyword that is not compared
 */
export function findRefusals(from: Schema, to: Schema, unknownField: UnknownField): readonly Difference[] {
  const checks = unknownField === 'lost' ? [...CHECKS, lostFields] : CHECKS;
  return [...sharedNodes({ path: '', from, to })].flatMap((pair) =>
    checks.flatMap((check) => check(pair)).map((message) => ({ path: pair.path, message })),
  );
}

/** Fields of both schemas with another default, so that an object without the field has another meaning. */
export function findChangedDefaults(from: Schema, to: Schema): readonly Difference[] {
  return [...sharedNodes({ path: '', from, to })]
    .filter((pair) => !isSame(pair.from['default'], pair.to['default']))
    .map((pair) => ({ path: pair.path, message: `default ${shown(pair.to['default'])} instead of ${shown(pair.from['default'])}` }));
}

function* sharedNodes(pair: Pair): Generator<Pair> {
  const { path, from, to } = pair;
  for (const schema of [from, to]) refuseUnknownKeywords(schema, path);
  yield pair;
  for (const name of new Set([...Object.keys(propertiesOf(from)), ...Object.keys(propertiesOf(to))])) {
    yield* sharedChild(path === '' ? name : `${path}.${name}`, fieldOf(from, name), fieldOf(to, name));
  }
  yield* sharedChild(`${path}{}`, freeFieldOf(from), freeFieldOf(to));
  yield* sharedChild(`${path}[]`, from['items'] as Schema | undefined, to['items'] as Schema | undefined);
}

function* sharedChild(path: string, from: Schema | undefined, to: Schema | undefined): Generator<Pair> {
  if (from === undefined || to === undefined) return;
  // A schema allows its own values; this shortcut compares a thousand variants of a large schema in seconds.
  if (from !== to) yield* sharedNodes({ path, from, to });
}

function refuseUnknownKeywords(schema: Schema, path: string): void {
  for (const keyword of Object.keys(schema)) {
    if (!COMPARED.has(keyword) && !ANNOTATIONS.has(keyword)) throw new Error(`${path}: the keyword ${keyword} is not compared yet`);
  }
}

const CHECKS: readonly Check[] = [
  ({ from, to }) => {
    const [before, after] = [typeOf(from), typeOf(to)];
    const widened = (before === 'integer' && after === 'number') || (after === 'integer or string' && /^(integer|string)$/.test(before));
    return after === 'any' || before === after || widened ? [] : [`type ${after} instead of ${before}`];
  },
  ({ from, to }) => {
    const allowed = to['enum'] as readonly unknown[] | undefined;
    if (allowed === undefined) return [];
    const before = from['enum'] as readonly unknown[] | undefined;
    if (before === undefined) return [`enum ${shown(allowed)} instead of any value`];
    return before
      .filter((value) => !allowed.some((candidate) => isSame(candidate, value)))
      .map((value) => `value ${shown(value)} is not in the enum`);
  },
  ({ from, to }) =>
    LOWER_BOUNDS.filter((bound) => numberAt(to, bound, -Infinity) > numberAt(from, bound, -Infinity)).map(replaced(from, to)),
  ({ from, to }) => UPPER_BOUNDS.filter((bound) => numberAt(to, bound, Infinity) < numberAt(from, bound, Infinity)).map(replaced(from, to)),
  ({ from, to }) => OPAQUE.filter((keyword) => to[keyword] !== undefined && !isSame(from[keyword], to[keyword])).map(replaced(from, to)),
  ({ from, to }) => MERGE_KEYWORDS.filter((keyword) => !isSame(from[keyword], to[keyword])).map(replaced(from, to)),
  ({ from, to }) => (from['nullable'] === true && to['nullable'] !== true ? ['null is not allowed'] : []),
  ({ from, to }) => {
    const before = namesAt(from, 'required');
    // The server sets defaults before it validates, also in stored objects.
    const added = namesAt(to, 'required').filter((name) => !before.includes(name) && fieldOf(to, name)?.['default'] === undefined);
    return added.map((name) => `${name} is required`);
  },
  ({ from, to }) => {
    const before = rulesOf(from);
    return rulesOf(to)
      .filter((rule) => !before.includes(rule))
      .map((rule) => `rule ${rule} is not in the other schema`);
  },
];

const lostFields: Check = ({ from, to }) => {
  const names = Object.keys(propertiesOf(from)).filter((name) => fieldOf(to, name) === undefined);
  const free = freeFieldOf(from) !== undefined && freeFieldOf(to) === undefined;
  return [...names.map((name) => `${name} is unknown`), ...(free ? ['fields of any name are unknown'] : [])];
};

function replaced(from: Schema, to: Schema): (keyword: string) => string {
  return (keyword) => `${keyword} ${shown(to[keyword])} instead of ${shown(from[keyword])}`;
}

function typeOf(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  return (schema['type'] as string | undefined) ?? 'any';
}

function propertiesOf(schema: Schema): Schemas {
  return (schema['properties'] as Schemas | undefined) ?? {};
}

function fieldOf(schema: Schema, name: string): Schema | undefined {
  const properties = propertiesOf(schema);
  return Object.hasOwn(properties, name) ? properties[name] : freeFieldOf(schema);
}

/** Schema of fields without a declared property; undefined when there are none. */
function freeFieldOf(schema: Schema): Schema | undefined {
  const free = schema['additionalProperties'];
  if (typeof free === 'object') return free as Schema;
  return free === true || schema['x-kubernetes-preserve-unknown-fields'] === true ? {} : undefined;
}

function rulesOf(schema: Schema): readonly string[] {
  const rules = (schema['x-kubernetes-validations'] as readonly { readonly rule: string }[] | undefined) ?? [];
  return rules.map(({ rule }) => rule);
}

function namesAt(schema: Schema, keyword: string): readonly string[] {
  return (schema[keyword] as readonly string[] | undefined) ?? [];
}

function numberAt(schema: Schema, keyword: string, fallback: number): number {
  const value = schema[keyword] ?? fallback;
  if (typeof value !== 'number') throw new Error(`${keyword} ${shown(value)} is not compared: it is not a number`);
  return value;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
