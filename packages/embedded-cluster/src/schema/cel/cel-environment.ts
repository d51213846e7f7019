// CEL as custom resource definitions use it: the standard language plus Kubernetes' own functions (quantities, lists,
// sets, strings, regular expressions, URLs, IP addresses). Integers are BigInt, doubles numbers.

import { Environment, Optional } from '@marcbachmann/cel-js';
import type { Quantity } from '#kube/read-quantity';
import { parseQuantity } from '#kube/quantity';
import { isEqualJson } from '../../api/json.ts';
import { isCidr, isIpv4, isIpv6 } from '../formats.ts';
import { compileRe2 } from './re2.ts';

const NANO = 1_000_000_000n;

/** A quantity in CEL: exact, comparable, otherwise opaque. */
class CelQuantity {
  readonly value: Quantity;
  constructor(value: Quantity) {
    this.value = value;
  }
}

class CelUrl {
  readonly url: URL;
  readonly text: string;
  constructor(url: URL, text: string) {
    this.url = url;
    this.text = text;
  }
}

class CelIp {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Scalar = bigint | number | string | boolean | Date;

/** The environment for compiling rules with `self` and `oldSelf`. It is expensive, so it is built once. */
export function createCelEnvironment(): Environment {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  environment.registerVariable('self', 'dyn').registerVariable('oldSelf', 'dyn');
  addQuantities(environment);
  addLists(environment);
  addStrings(environment);
  addNetwork(environment);
  return environment;
}

/** `oldSelf` of a rule with `optionalOldSelf`. */
export function optionalValue(value: unknown): unknown {
  return value === undefined ? Optional.none() : Optional.of(value);
}

function addQuantities(environment: Environment): void {
  const nano = (quantity: CelQuantity): bigint => quantity.value.nano;
  const plus = (a: CelQuantity, addend: bigint): CelQuantity => new CelQuantity({ nano: nano(a) + addend, format: a.value.format });
  environment
    .registerType('Quantity', CelQuantity)
    .registerFunction('quantity(string): Quantity', (text: string) => {
      const read = parseQuantity(text);
      if (!read.ok) throw new Error(read.message);
      return new CelQuantity(read.value);
    })
    .registerFunction('isQuantity(string): bool', (text: string) => parseQuantity(text).ok)
    .registerFunction('Quantity.isInteger(): bool', (quantity: CelQuantity) => nano(quantity) % NANO === 0n)
    .registerFunction('Quantity.asInteger(): int', (quantity: CelQuantity) => {
      if (nano(quantity) % NANO !== 0n) throw new Error('cannot convert value to integer');
      return nano(quantity) / NANO;
    })
    .registerFunction('Quantity.asApproximateFloat(): double', (quantity: CelQuantity) => Number(nano(quantity)) / 1e9)
    .registerFunction('sign(Quantity): int', (quantity: CelQuantity) => signOf(nano(quantity)))
    .registerFunction('Quantity.add(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => plus(a, nano(b)))
    .registerFunction('Quantity.add(int): Quantity', (a: CelQuantity, b: bigint) => plus(a, b * NANO))
    .registerFunction('Quantity.sub(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => plus(a, -nano(b)))
    .registerFunction('Quantity.sub(int): Quantity', (a: CelQuantity, b: bigint) => plus(a, -b * NANO))
    .registerFunction('Quantity.isGreaterThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => nano(a) > nano(b))
    .registerFunction('Quantity.isLessThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => nano(a) < nano(b))
    .registerFunction('Quantity.compareTo(Quantity): int', (a: CelQuantity, b: CelQuantity) => signOf(nano(a) - nano(b)))
    .registerOperator('Quantity == Quantity', (a: CelQuantity, b: CelQuantity) => nano(a) === nano(b));
}

function addLists(environment: Environment): void {
  environment
    .registerFunction('list<dyn>.isSorted(): bool', (list: Scalar[]) =>
      list.every((item, index) => index === 0 || list.slice(index - 1, index).every((before) => before <= item)),
    )
    .registerFunction('list<dyn>.sum(): dyn', sumOf)
    .registerFunction('list<dyn>.min(): dyn', (list: Scalar[]) => extreme(list, 'min', (a, b) => a < b))
    .registerFunction('list<dyn>.max(): dyn', (list: Scalar[]) => extreme(list, 'max', (a, b) => a > b))
    .registerFunction('list<dyn>.indexOf(dyn): int', (list: unknown[], sought: unknown) =>
      BigInt(list.findIndex((item) => isSame(item, sought))),
    )
    .registerFunction('list<dyn>.lastIndexOf(dyn): int', (list: unknown[], sought: unknown) =>
      BigInt(list.findLastIndex((item) => isSame(item, sought))),
    )
    .registerType('Sets', CelSets)
    .registerConstant('sets', 'Sets', new CelSets())
    .registerFunction('Sets.contains(list<dyn>, list<dyn>): bool', (_: CelSets, all: unknown[], some: unknown[]) => hasAllOf(all, some))
    .registerFunction(
      'Sets.equivalent(list<dyn>, list<dyn>): bool',
      (_: CelSets, a: unknown[], b: unknown[]) => hasAllOf(a, b) && hasAllOf(b, a),
    )
    .registerFunction('Sets.intersects(list<dyn>, list<dyn>): bool', (_: CelSets, a: unknown[], b: unknown[]) =>
      a.some((item) => b.some((other) => isSame(item, other))),
    );
}

/** Receiver of `sets.contains(…)` and similar functions. */
class CelSets {
  readonly name = 'sets';
}

function addStrings(environment: Environment): void {
  environment
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) => text.replaceAll(from, () => to))
    .registerFunction('string.replace(string, string, int): string', (text: string, from: string, to: string, times: bigint) =>
      replaceTimes(text, from, to, times),
    )
    .registerFunction('string.charAt(int): string', (text: string, index: bigint) => Array.from(text)[Number(index)] ?? '')
    .registerFunction('string.reverse(): string', (text: string) => Array.from(text).reverse().join(''))
    .registerFunction('string.find(string): string', (text: string, pattern: string) => regex(pattern).exec(text)?.[0] ?? '')
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => findAll(text, pattern, Infinity))
    .registerFunction('string.findAll(string, int): list<string>', (text: string, pattern: string, limit: bigint) =>
      findAll(text, pattern, limit < 0n ? Infinity : Number(limit)),
    )
    .registerFunction('string.format(list<dyn>): string', formatText);
}

function addNetwork(environment: Environment): void {
  environment
    .registerType('URL', CelUrl)
    .registerFunction('url(string): URL', (text: string) => {
      const url = readUrl(text);
      if (url === null) throw new Error(`URL parse error during conversion from string: ${JSON.stringify(text)}`);
      return new CelUrl(url, text);
    })
    .registerFunction('isURL(string): bool', (text: string) => readUrl(text) !== null)
    .registerFunction('URL.getScheme(): string', (value: CelUrl) => (value.text.startsWith('/') ? '' : value.url.protocol.replace(':', '')))
    .registerFunction('URL.getHost(): string', (value: CelUrl) => (value.text.startsWith('/') ? '' : value.url.host))
    .registerFunction('URL.getHostname(): string', (value: CelUrl) => (value.text.startsWith('/') ? '' : value.url.hostname))
    .registerFunction('URL.getPort(): string', (value: CelUrl) => value.url.port)
    .registerFunction('URL.getEscapedPath(): string', (value: CelUrl) => value.url.pathname)
    .registerType('IP', CelIp)
    .registerFunction('ip(string): IP', (text: string) => {
      if (!isIpv4(text) && !isIpv6(text)) throw new Error(`IP Address ${JSON.stringify(text)} parse error during conversion from string`);
      return new CelIp(text);
    })
    .registerFunction('isIP(string): bool', (text: string) => isIpv4(text) || isIpv6(text))
    .registerFunction('isCIDR(string): bool', isCidr)
    .registerFunction('IP.family(): int', (value: CelIp) => (isIpv4(value.text) ? 4n : 6n));
}

function signOf(value: bigint): bigint {
  if (value === 0n) return 0n;
  return value > 0n ? 1n : -1n;
}

function sumOf(list: (bigint | number)[]): bigint | number {
  if (list.every((item) => typeof item === 'bigint')) return list.reduce((total, item) => total + item, 0n);
  return list.reduce<number>((total, item) => total + Number(item), 0);
}

function extreme(list: readonly Scalar[], name: string, isMoreExtreme: (a: Scalar, b: Scalar) => boolean): Scalar {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return rest.reduce((best, item) => (isMoreExtreme(item, best) ? item : best), first);
}

function hasAllOf(all: readonly unknown[], some: readonly unknown[]): boolean {
  return some.every((item) => all.some((other) => isSame(item, other)));
}

function isSame(a: unknown, b: unknown): boolean {
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  return isEqualJson(a, b);
}

function replaceTimes(text: string, from: string, to: string, times: bigint): string {
  if (times < 0n) return text.replaceAll(from, () => to);
  let result = text;
  let start = 0;
  for (let count = 0n; count < times; count++) {
    const at = result.indexOf(from, start);
    if (at < 0) break;
    result = result.slice(0, at) + to + result.slice(at + from.length);
    start = at + to.length;
  }
  return result;
}

function regex(pattern: string, flags = ''): RegExp {
  const compiled = compileRe2(pattern, flags);
  if (compiled === undefined) throw new Error(`Illegal regex: ${pattern}`);
  return compiled;
}

function findAll(text: string, pattern: string, limit: number): string[] {
  const found: string[] = [];
  for (const match of text.matchAll(regex(pattern, 'g'))) {
    if (found.length >= limit) break;
    found.push(match[0]);
  }
  return found;
}

/** `%s`, `%d`, `%f`, `%.2f`, `%e`, `%x`, `%X`, `%o`, `%b`, `%%`. */
function formatText(text: string, values: readonly unknown[]): string {
  let next = 0;
  return text.replaceAll(/%(?:(%)|(?:\.(\d+))?([sdfexXob]))/g, (_, percent: string | undefined, digits: string | undefined, verb = 's') => {
    if (percent !== undefined) return '%';
    if (next >= values.length) throw new Error(`index ${next} out of range`);
    return formatValue(values[next++], verb as string, digits === undefined ? 6 : Number(digits));
  });
}

function formatValue(value: unknown, verb: string, digits: number): string {
  if (verb === 'f') return Number(value).toFixed(digits);
  if (verb === 'e') return Number(value).toExponential(digits);
  const radix = { x: 16, X: 16, o: 8, b: 2 }[verb];
  if (radix !== undefined && (typeof value === 'bigint' || typeof value === 'number')) {
    const digitsOf = value.toString(radix);
    return verb === 'X' ? digitsOf.toUpperCase() : digitsOf;
  }
  return textOf(value);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, inner]) => `${key}: ${textOf(inner)}`)
      .join(', ')}}`;
  return String(value);
}

function readUrl(text: string): URL | null {
  return URL.parse(text.startsWith('/') ? `http://host${text}` : text);
}
