import { isObject } from '#kube/json';
import type { Environment, ParseResult } from '@marcbachmann/cel-js';
import type { FieldError } from '../../api/api-error.ts';
import { isEqualJson } from '../../api/json.ts';
import { createCelEnvironment, optionalValue } from './cel-environment.ts';
import { celValue } from './cel-values.ts';
import type { CelRule, SchemaResolver, StructuralSchema } from '../structural-schema.ts';
import { dereference, fieldSchema } from '../structural-schema.ts';
import { correlatedItem, quoteValue } from '../validate.ts';

/** A compiled rule, or its error. */
export type CompiledRule =
  | { readonly ok: true; readonly run: ParseResult; readonly message: ParseResult | null; readonly usesOld: boolean }
  | { readonly ok: false; readonly error: string };

/** Compiles rules, each once. */
class RuleCompiler {
  #environment: Environment | undefined;
  readonly #compiled = new WeakMap<CelRule, CompiledRule>();

  compile(rule: CelRule): CompiledRule {
    const known = this.#compiled.get(rule);
    if (known !== undefined) return known;
    const compiled = this.#compileNew(rule);
    this.#compiled.set(rule, compiled);
    return compiled;
  }

  #compileNew(rule: CelRule): CompiledRule {
    this.#environment ??= createCelEnvironment();
    try {
      const run = typed(this.#environment.parse(rule.rule), 'bool');
      const message = rule.messageExpression === undefined ? null : typed(this.#environment.parse(rule.messageExpression), 'string');
      return { ok: true, run, message, usesOld: /\boldSelf\b/.test(rule.rule) };
    } catch (error) {
      return { ok: false, error: firstLine(error) };
    }
  }
}

// A cache of a pure function: its content does not change results.
const compiler = new RuleCompiler();

/** Compiles a rule, or returns its error. The result for a rule object is always the same. */
export function compileRule(rule: CelRule): CompiledRule {
  return compiler.compile(rule);
}

const withRules = new WeakMap<StructuralSchema, boolean>();

/** Whether a schema has rules at any level; computed once per schema. */
export function hasRules(schema: StructuralSchema): boolean {
  const known = withRules.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, items, additionalProperties } = schema;
  const inner = [...Object.values(properties), items, additionalProperties].filter((part) => typeof part === 'object');
  const found = (schema['x-kubernetes-validations'] ?? []).length > 0 || inner.some(hasRules);
  withRules.set(schema, found);
  return found;
}

/**
 * Runs the CEL rules of a custom resource, at every level. Rules with `oldSelf` run only with an old value to correlate with (never inside
 * lists without keys), or with `optionalOldSelf`. The value must be valid otherwise: a rule that cannot be evaluated is an error.
 */
export function evaluateRules(schema: StructuralSchema, value: unknown, oldValue: unknown, resolve: SchemaResolver): FieldError[] {
  const errors: FieldError[] = [];
  visit({ schema, value, old: oldValue ?? undefined, path: '', isRoot: true });
  return errors;

  function visit(at: Place): void {
    if (at.value === null || at.value === undefined) return;
    if (at.schema.$ref === undefined && !hasRules(at.schema)) return;
    const node = dereference(at.schema, resolve);
    const rules = node['x-kubernetes-validations'];
    if (rules !== undefined && rules.length > 0) errors.push(...runRules(rules, node, at, resolve));
    if (Array.isArray(at.value)) visitItems(node, at.value, at);
    else if (isObject(at.value)) visitFields(node, at.value, at);
  }

  function visitFields(node: StructuralSchema, value: Readonly<Record<string, unknown>>, at: Place): void {
    const old = isObject(at.old) ? at.old : {};
    for (const [name, inner] of Object.entries(value)) {
      const field =
        typeof inner === 'object' || Object.hasOwn(node.properties ?? {}, name) ? fieldSchema(node, name) : node.additionalProperties;
      if (typeof field !== 'object') continue;
      visit({ schema: field, value: inner, old: old[name], path: at.path === '' ? name : `${at.path}.${name}`, isRoot: false });
    }
  }

  function visitItems(node: StructuralSchema, value: readonly unknown[], at: Place): void {
    const { items } = node;
    if (items === undefined) return;
    value.forEach((item, index) => {
      const before = correlatedItem(node, item, at.old);
      visit({ schema: items, value: item, old: before, path: `${at.path}[${index}]`, isRoot: false });
    });
  }
}

interface Place {
  readonly schema: StructuralSchema;
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
  readonly isRoot: boolean;
}

function runRules(rules: readonly CelRule[], node: StructuralSchema, at: Place, resolve: SchemaResolver): FieldError[] {
  // An unchanged value was checked before, perhaps by another rule; only transition rules run again.
  const isUnchanged = at.old !== undefined && isEqualJson(at.value, at.old);
  const due = rules.filter((rule) => !isUnchanged || isAboutChange(compiler.compile(rule)));
  if (due.length === 0) return [];
  const isResource = at.isRoot || node['x-kubernetes-embedded-resource'] === true;
  const self = celValue(node, at.value, resolve, isResource);
  const old = at.old === undefined ? undefined : celValue(node, at.old, resolve, isResource);
  return due.flatMap((rule) => runRule(rule, self, old, at));
}

/** A rule that does not compile counts as well, so that each write reports it. */
function isAboutChange(compiled: CompiledRule): boolean {
  return !compiled.ok || compiled.usesOld;
}

function runRule(rule: CelRule, self: unknown, old: unknown, at: Place): FieldError[] {
  const compiled = compiler.compile(rule);
  if (!compiled.ok) return [invalid(at, `rule compile error: ${compiled.error} compiling rule: ${rule.rule}`)];
  if (compiled.usesOld && old === undefined && rule.optionalOldSelf !== true) return [];
  const variables = { self, oldSelf: rule.optionalOldSelf === true ? optionalValue(old) : old };
  try {
    if (compiled.run(variables) === true) return [];
  } catch (error) {
    return [invalid(at, `${firstLine(error)} evaluating rule: ${rule.message ?? rule.rule}`)];
  }
  return [violation(rule, at, messageOf(rule, compiled.message, variables))];
}

function messageOf(rule: CelRule, expression: ParseResult | null, variables: Record<string, unknown>): string {
  const fallback = rule.message ?? `failed rule: ${rule.rule.trim()}`;
  if (expression === null) return fallback;
  try {
    const said: unknown = expression(variables);
    // A message that fails, is empty or has a line break is ignored; the rule still applies.
    return typeof said === 'string' && said.trim() !== '' && !said.includes('\n') ? said : fallback;
  } catch {
    return fallback;
  }
}

function violation(rule: CelRule, at: Place, message: string): FieldError {
  const field = joinPath(at.path, rule.fieldPath);
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return { field, type: 'FieldValueForbidden', message: `Forbidden: ${message}` };
    case 'FieldValueRequired':
      return { field, type: 'FieldValueRequired', message: `Required value: ${message}` };
    case 'FieldValueDuplicate':
      return { field, type: 'FieldValueDuplicate', message: `Duplicate value: ${shortly(at.value)}` };
    default:
      return {
        field,
        type: 'FieldValueInvalid',
        message: `Invalid value: ${isScalar(at.value) ? `${quoteValue(at.value)}: ` : ''}${message}`,
      };
  }
}

function invalid(at: Place, why: string): FieldError {
  return { field: joinPath(at.path, ''), type: 'FieldValueInvalid', message: `Invalid value: ${shortly(at.value)}: ${why}` };
}

/** Path of a whole object in the API server's errors. */
export const ROOT = '<nil>';

function joinPath(path: string, relative: string | undefined): string {
  if (relative === undefined || relative === '') return path === '' ? ROOT : path;
  return path === '' ? relative.replace(/^\./, '') : `${path}${relative}`;
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function shortly(value: unknown): string {
  if (Array.isArray(value)) return '"array"';
  return typeof value === 'object' && value !== null ? '"object"' : quoteValue(value);
}

function typed(expression: ParseResult, wanted: string): ParseResult {
  const checked = expression.check();
  if (!checked.valid) throw checked.error ?? new Error('not valid');
  if (checked.type !== wanted && checked.type !== 'dyn') throw new Error(`must evaluate to ${wanted}, found ${checked.type ?? 'nothing'}`);
  return expression;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0] ?? text;
}
