import type { ASTNode } from '@marcbachmann/cel-js';
import { celName } from './cel-values.ts';
import type { StructuralSchema } from '../structural-schema.ts';

/** Type of a variable: a schema, or null when unknown. */
type Scope = ReadonlyMap<string, StructuralSchema | null>;

const COMPREHENSIONS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/**
 * Finds fields of a CEL expression that the schema does not declare, as the real server does when it type-checks the rules of a definition.
 * Takes the syntax tree of a compiled rule; returns `undefined field 'x'` for each.
 */
export function undefinedFields(expression: ASTNode, self: StructuralSchema, isResource: boolean): string[] {
  const problems: string[] = [];
  const root = isResource ? asResource(self) : self;
  typeOf(
    expression,
    new Map<string, StructuralSchema | null>([
      ['self', root],
      ['oldSelf', root],
    ]),
  );
  return [...new Set(problems)];

  function typeOf(node: ASTNode, scope: Scope): StructuralSchema | null {
    switch (node.op) {
      case 'id':
        return scope.get(node.args) ?? null;
      case '.':
      case '.?':
        return select(typeOf(node.args[0], scope), fieldName(node.args[1]));
      case '[]':
      case '[?]':
        typeOf(node.args[1], scope);
        return elementOf(typeOf(node.args[0], scope));
      case 'rcall':
        return call(node.args[0], node.args[1], node.args[2], scope);
      default:
        for (const child of childrenOf(node)) typeOf(child, scope);
        return null;
    }
  }

  function call(name: string, target: ASTNode, given: readonly ASTNode[], scope: Scope): StructuralSchema | null {
    const receiver = typeOf(target, scope);
    const [variable, ...bodies] = given;
    if (COMPREHENSIONS.has(name) && variable?.op === 'id') {
      // In a macro over a map the variable is a key, a string without fields.
      const item = receiver?.type === 'array' ? (receiver.items ?? null) : null;
      const inner = new Map(scope).set(variable.args, item);
      for (const body of bodies) typeOf(body, inner);
      return name === 'filter' ? receiver : null;
    }
    for (const argument of given) typeOf(argument, scope);
    return name === 'orValue' || name === 'value' ? receiver : null;
  }

  function select(schema: StructuralSchema | null, name: string): StructuralSchema | null {
    if (schema === null) return null;
    if (schema.properties !== undefined) {
      const found = Object.entries(schema.properties).find(([field]) => celName(field) === name);
      if (found !== undefined) return found[1];
    }
    if (typeof schema.additionalProperties === 'object') return schema.additionalProperties;
    if (schema.type === 'object') problems.push(`undefined field '${name}'`);
    return null;
  }
}

function elementOf(schema: StructuralSchema | null): StructuralSchema | null {
  if (schema?.type === 'array') return schema.items ?? null;
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : null;
}

/** The name after `.name` or `.?name`, in either representation of the parser. */
function fieldName(selected: unknown): string {
  if (typeof selected === 'string') return selected;
  const { args } = selected as { readonly args: unknown };
  return String(args);
}

function childrenOf(node: ASTNode): ASTNode[] {
  const found: ASTNode[] = [];
  collect(node.args);
  return found;

  function collect(part: unknown): void {
    if (Array.isArray(part)) part.forEach(collect);
    else if (isNode(part)) found.push(part);
  }
}

function isNode(part: unknown): part is ASTNode {
  return typeof part === 'object' && part !== null && 'op' in part && 'args' in part;
}

function asResource(schema: StructuralSchema): StructuralSchema {
  const text: StructuralSchema = { type: 'string' };
  const metadata: StructuralSchema = { type: 'object', properties: { name: text, generateName: text } };
  return { ...schema, properties: { apiVersion: text, kind: text, ...schema.properties, metadata } };
}
