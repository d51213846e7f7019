// Converts the structural schemas of CRDs into TypeScript interfaces. Every nested object becomes an interface named by its path
// (`PodResizePolicySpecCpuLimit`); items of a list use the singular (`…SpecWindow`). Equal shapes keep separate names, because a path is
// easier to find than a shape.

/** The keywords of a structural schema that are read. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly default?: string | number | boolean | object;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** The fields of a CustomResourceDefinition that are read. */
export interface Crd {
  readonly spec: {
    readonly group: string;
    readonly scope: 'Cluster' | 'Namespaced';
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

const LINE_WIDTH = 140;

/** One generated interface. */
export interface GeneratedType {
  readonly name: string;
  readonly text: string;
}

/**
 * The interfaces of one kind, with that of the kind first. @throws Error when two paths would get the same name, or a schema has no type
 */
export function typesOf(crd: Crd): readonly GeneratedType[] {
  const version = crd.spec.versions[0];
  if (version === undefined) throw new Error(`${crd.spec.names.kind}: no version`);
  const { kind } = crd.spec.names;
  const root = version.schema.openAPIV3Schema;
  const writer = new TypeWriter();
  const fields = [
    `  readonly apiVersion: '${crd.spec.group}/${version.name}';`,
    `  readonly kind: '${kind}';`,
    '  readonly metadata: ObjectMeta;',
  ];
  for (const part of ['spec', 'status'] as const) {
    const schema = root.properties?.[part];
    if (schema !== undefined) fields.push(...writer.field(kind, part, schema, root.required?.includes(part) === true));
  }
  return [{ name: kind, text: [...docComment('', root), `export interface ${kind} {`, ...fields, '}'].join('\n') }, ...writer.types()];
}

class TypeWriter {
  readonly #types = new Map<string, GeneratedType>();

  types(): readonly GeneratedType[] {
    return [...this.#types.values()];
  }

  field(owner: string, name: string, schema: Schema, required: boolean): string[] {
    const type = this.#typeOf(`${owner}${capitalized(name)}`, schema);
    return [...docComment('  ', schema), `  readonly ${name}${required ? '' : '?'}: ${type};`];
  }

  #typeOf(path: string, schema: Schema): string {
    if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
    if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`).join(' | ');
    switch (schema.type) {
      case 'string':
        return 'string';
      case 'boolean':
        return 'boolean';
      case 'integer':
      case 'number':
        return 'number';
      case 'array':
        return this.#listOf(path, schema);
      case 'object':
        return this.#objectOf(path, schema);
      default:
        if (schema['x-kubernetes-preserve-unknown-fields'] === true) return 'unknown';
        throw new Error(`${path}: no TypeScript type for this schema`);
    }
  }

  #listOf(path: string, schema: Schema): string {
    if (schema.items === undefined) throw new Error(`${path}: a list without items`);
    const item = this.#typeOf(singular(path), schema.items);
    return item.includes(' | ') ? `readonly (${item})[]` : `readonly ${item}[]`;
  }

  #objectOf(path: string, schema: Schema): string {
    if (typeof schema.additionalProperties === 'object') {
      return `Readonly<Record<string, ${this.#typeOf(`${path}Value`, schema.additionalProperties)}>>`;
    }
    if (schema.properties === undefined) return 'Readonly<Record<string, unknown>>';
    if (this.#types.has(path)) throw new Error(`${path}: two schemas would get this name`);
    // Reserved first, so that an object comes before its nested objects.
    this.#types.set(path, { name: path, text: '' });
    const fields = Object.entries(schema.properties).flatMap(([name, property]) =>
      this.field(path, name, property, schema.required?.includes(name) === true),
    );
    this.#types.set(path, { name: path, text: [...docComment('', schema), `export interface ${path} {`, ...fields, '}'].join('\n') });
    return path;
  }
}

function docComment(indent: string, schema: Schema): string[] {
  const fallback = schema.default !== undefined && typeof schema.default !== 'object' ? ` Default: ${String(schema.default)}.` : '';
  const text = `${schema.description?.trim() ?? ''}${fallback}`.trim();
  if (text === '') return [];
  const oneLine = `${indent}/** ${text} */`;
  if (oneLine.length <= LINE_WIDTH) return [oneLine];
  const lines: string[] = [];
  let line = `${indent} *`;
  for (const word of text.split(/\s+/)) {
    if (line.length + 1 + word.length > LINE_WIDTH) {
      lines.push(line);
      line = `${indent} *`;
    }
    line += ` ${word}`;
  }
  return [`${indent}/**`, ...lines, line, `${indent} */`];
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function singular(path: string): string {
  if (path.endsWith('ies')) return `${path.slice(0, -3)}y`;
  if (path.endsWith('sses')) return path.slice(0, -2);
  return path.endsWith('s') ? path.slice(0, -1) : `${path}Item`;
}
