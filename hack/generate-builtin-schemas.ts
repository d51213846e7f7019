// Writes the schemas of Kubernetes' built-in kinds for the embedded API server: their structure from the model metadata of
// @kubernetes/client-node, and defaults, merge keys, enums and messages from the tables in packages/embedded-cluster/src/schema/facts/.
// `--check` exits with 1 when the file is stale.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { BUILTIN_FACTS, BUILTIN_ROOTS, EXTRA_SCHEMAS, META_TYPES } from '#embedded-cluster/schema/builtin-facts';
import type { FieldFacts, TypeFacts } from '#embedded-cluster/schema/schema-facts';
import type { StructuralSchema } from '#embedded-cluster/schema/structural-schema';

interface Attribute {
  readonly name: string;
  readonly baseName: string;
  readonly type: string;
  readonly format: string;
}

interface Model {
  getAttributeTypeMap(): Attribute[];
}

const OUTPUT = new URL('../packages/embedded-cluster/src/schema/builtin-schemas.generated.ts', import.meta.url);
const MODELS = join(dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node')), 'gen', 'models');

/** Types with required fields that the server defaults or never checks. */
const LENIENT =
  /(?:Status|Condition|State\w*|Conditions|Details|Series|EventSource|NodeSystemInfo|AttachedVolume|ContainerImage|DaemonEndpoint)$/;

class Generator {
  readonly schemas: Record<string, StructuralSchema> = {};
  readonly #names = new Map<string, string>();
  readonly #factsUsed = new Set<string>();

  async addRoot(model: string, prefix: string, gvk?: { group: string; version: string; kind: string }): Promise<void> {
    const name = await this.#add(model, prefix);
    const schema = this.schemas[name];
    if (gvk !== undefined && schema !== undefined) this.schemas[name] = { ...schema, 'x-kubernetes-group-version-kind': [gvk] };
  }

  get unusedFacts(): string[] {
    return Object.keys(BUILTIN_FACTS).filter((model) => !this.#factsUsed.has(model));
  }

  async #add(model: string, prefix: string): Promise<string> {
    const known = this.#names.get(model);
    if (known !== undefined) return known;
    const meta = META_TYPES.includes(model);
    const name = `${meta ? 'io.k8s.apimachinery.pkg.apis.meta.v1' : prefix}.${kindOf(model)}`;
    if (name in this.schemas) throw new Error(`two models are called ${name}; the second is ${model}`);
    this.#names.set(model, name);
    this.schemas[name] = {};
    const facts = BUILTIN_FACTS[model] ?? {};
    if (model in BUILTIN_FACTS) this.#factsUsed.add(model);
    const attributes = await attributesOf(model);
    const required = requiredNames(model);
    const properties: Record<string, StructuralSchema> = {};
    const needed: string[] = [];
    for (const attribute of attributes) {
      const { isRequired, ...known } = facts.fields?.[attribute.baseName] ?? {};
      if (isRequired ?? (required.has(attribute.name) && !LENIENT.test(model))) needed.push(attribute.baseName);
      properties[attribute.baseName] = joinFacts(await this.#shape(attribute.type, attribute.format, prefix), known);
    }
    refuseUnknownFields(model, facts, properties);
    this.schemas[name] = {
      type: 'object',
      ...(facts.description === undefined ? {} : { description: facts.description }),
      ...(needed.length === 0 ? {} : { required: needed }),
      properties,
      ...facts.schema,
    };
    return name;
  }

  async #shape(type: string, format: string, prefix: string): Promise<StructuralSchema> {
    const list = /^Array<(.*)>$/.exec(type);
    if (list?.[1] !== undefined) return { type: 'array', items: await this.#shape(list[1], format, prefix) };
    const map = /^\{ \[key: string\]: (.*); \}$/.exec(type);
    if (map?.[1] !== undefined) return { type: 'object', additionalProperties: await this.#shape(map[1], format, prefix) };
    switch (type) {
      case 'string':
        return format === '' ? { type: 'string' } : { type: 'string', format };
      case 'boolean':
        return { type: 'boolean' };
      case 'number':
        return format === 'double' || format === 'float' ? { type: 'number', format } : { type: 'integer', format };
      case 'Date':
      case 'V1MicroTime':
        return { type: 'string', format: 'date-time' };
      case 'IntOrString':
        return { 'x-kubernetes-int-or-string': true };
      case 'any':
        return { 'x-kubernetes-preserve-unknown-fields': true };
      default:
        return { $ref: await this.#add(type, prefix) };
    }
  }
}

async function attributesOf(model: string): Promise<Attribute[]> {
  const module = (await import(join(MODELS, `${model}.js`))) as Record<string, Model | undefined>;
  const found = module[model];
  if (found === undefined) throw new Error(`client-node has no model ${model}`);
  return found.getAttributeTypeMap();
}

/** Names of the required fields: those without a question mark in the declaration. */
function requiredNames(model: string): ReadonlySet<string> {
  const declaration = readFileSync(join(MODELS, `${model}.d.ts`), 'utf8');
  return new Set([...declaration.matchAll(/^ {4}'([^']+)': /gm)].map((match) => match[1] ?? ''));
}

function refuseUnknownFields(model: string, facts: TypeFacts, properties: Record<string, StructuralSchema>): void {
  for (const field of Object.keys(facts.fields ?? {}))
    if (!(field in properties)) throw new Error(`facts name ${model}.${field}, which does not exist`);
}

function joinFacts(shape: StructuralSchema, facts: Omit<FieldFacts, 'isRequired'>): StructuralSchema {
  return { ...shape, ...facts };
}

/** `V1PodSpec` → `PodSpec`, `CoreV1Event` → `Event`. */
function kindOf(model: string): string {
  return model.replace(/^[A-Z]?[a-z]*V\d+(?:alpha\d+|beta\d+)?/, '');
}

const generator = new Generator();
for (const root of BUILTIN_ROOTS) {
  const [group, version] = root.groupVersion.includes('/') ? (root.groupVersion.split('/') as [string, string]) : ['', root.groupVersion];
  for (const model of root.kinds) await generator.addRoot(model, root.schemaPrefix, { group, version, kind: kindOf(model) });
}
for (const model of META_TYPES) await generator.addRoot(model, '');
if (generator.unusedFacts.length > 0) throw new Error(`facts on types that no kind uses: ${generator.unusedFacts.join(', ')}`);

const json = JSON.stringify({ ...generator.schemas, ...EXTRA_SCHEMAS });
const text =
  '// Written by hack/generate-builtin-schemas.ts; change the facts in facts/ and run it again.\n' +
  `export const builtinSchemasJson = ${quoted(json)};\n`;

function quoted(raw: string): string {
  return `'${raw.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

if (process.argv.includes('--check')) {
  if (readFileSync(OUTPUT, 'utf8') !== text) {
    console.error('builtin-schemas.generated.ts is stale: run node hack/generate-builtin-schemas.ts');
    process.exit(1);
  }
} else {
  writeFileSync(OUTPUT, text);
  console.log(`${Object.keys(generator.schemas).length} schemas, ${Math.round(text.length / 1024)} kB`);
}
