// Writes the protobuf field numbers of Kubernetes' built-in kinds, with which the embedded API server decodes requests of
// client-go's typed clients. The numbers come from the struct tags of two Go modules:
//
//   go mod download k8s.io/api@v0.36.0 k8s.io/apimachinery@v0.36.0
//   node hack/import-protobuf-fields.ts "$(go env GOMODCACHE)/k8s.io"
//
// The output changes only with a Kubernetes release, so it is checked in and not part of `make verify`.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_RESOURCES } from '#embedded-cluster/api/resources/descriptors';

const RELEASE = 'v0.36.0';
const OUTPUT = new URL('../packages/embedded-cluster/src/api/protobuf/protobuf-fields.generated.ts', import.meta.url);
const META = 'meta/v1';

/** Types that are not plain messages, by package and name, with their code in the decoder. */
const SPECIAL: Readonly<Record<string, string>> = {
  'meta/v1.Time': 't',
  'meta/v1.MicroTime': 'u',
  'meta/v1.Duration': 'n',
  'meta/v1.FieldsV1': 'j',
  'resource.Quantity': 'q',
  'intstr.IntOrString': 'o',
  'runtime.RawExtension': 'j',
};
const SCALARS: Readonly<Record<string, string>> = {
  string: 's',
  bool: 'b',
  int32: 'i',
  int64: 'i',
  int: 'i',
  uint32: 'i',
  uint64: 'i',
  uint16: 'i',
  float64: 'd',
  '[]byte': 'y',
};

interface GoPackage {
  readonly structs: ReadonlyMap<string, readonly GoField[]>;
  /** `type A B` */
  readonly named: ReadonlyMap<string, string>;
  readonly imports: ReadonlyMap<string, string>;
}

interface GoField {
  readonly name: string;
  readonly type: string;
  readonly number: number;
  readonly inline: boolean;
}

const root = process.argv[2];
if (root === undefined) throw new Error('give the folder that holds api@… and apimachinery@…');

const packages = new Map<string, GoPackage>();
const lines = new Map<string, string>();

for (const { group, version, kind } of BUILT_IN_RESOURCES) {
  if (group !== 'metrics.k8s.io' && group !== 'apiextensions.k8s.io')
    visit(`${group === '' ? 'core' : group.split('.')[0]}/${version}`, kind);
}
for (const [name, type] of [
  [META, 'DeleteOptions'],
  ['autoscaling/v1', 'Scale'],
  ['policy/v1', 'Eviction'],
  ['core/v1', 'Binding'],
  ['authentication/v1', 'TokenRequest'],
] as const)
  visit(name, type);

const table = [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, fields]) => `${name} ${fields}`);
writeFileSync(
  OUTPUT,
  `// Written by hack/import-protobuf-fields.ts from Kubernetes ${RELEASE.replace('v0', 'v1')}; do not edit.\n\n` +
    `/** A line per message: name, then \`name:number:type\` for each field. See protobuf.ts for the types. */\n` +
    `export const PROTOBUF_FIELDS = \`\n${table.join('\n')}\n\`;\n`,
);
console.log(`${lines.size} messages`);

function visit(packageName: string, type: string): void {
  const key = `${packageName}.${type}`;
  if (lines.has(key)) return;
  const fields = packageOf(packageName).structs.get(type);
  if (fields === undefined) throw new Error(`no struct ${key}`);
  lines.set(key, '');
  lines.set(key, fields.map((field) => `${field.inline ? '+' : field.name}:${field.number}:${codeOf(packageName, field.type)}`).join(' '));
}

/** Code of a Go type; visits the messages that it refers to. */
function codeOf(packageName: string, type: string): string {
  const scalar = SCALARS[type];
  if (scalar !== undefined) return scalar;
  if (type.startsWith('*')) return `*${codeOf(packageName, type.slice(1))}`;
  if (type.startsWith('[]')) return `[]${codeOf(packageName, type.slice(2))}`;
  const map = /^map\[[\w.]+\](.+)$/.exec(type);
  if (map !== null) return `{}${codeOf(packageName, map[1] ?? '')}`;
  const dot = type.indexOf('.');
  if (dot >= 0) return codeIn(packageOf(packageName).imports.get(type.slice(0, dot)) ?? type.slice(0, dot), type.slice(dot + 1));
  return codeIn(packageName, type);
}

function codeIn(packageName: string, type: string): string {
  const special = SPECIAL[`${packageName}.${type}`];
  if (special !== undefined) return special;
  if (packageName === 'types') return 's';
  const { named, structs } = packageOf(packageName);
  const alias = named.get(type);
  if (alias !== undefined) {
    // A named list of strings is a message with `items`; a named map or scalar is encoded as its type.
    return alias === '[]string' ? 'v' : codeOf(packageName, alias);
  }
  if (!structs.has(type)) throw new Error(`unknown type ${packageName}.${type}`);
  visit(packageName, type);
  return `${packageName}.${type}`;
}

function packageOf(name: string): GoPackage {
  const goPackage = packages.get(name);
  if (goPackage !== undefined) return goPackage;
  const folder = name === META ? join(root ?? '', `apimachinery@${RELEASE}`, 'pkg/apis/meta/v1') : join(root ?? '', `api@${RELEASE}`, name);
  const parsed = parsePackage(folder);
  packages.set(name, parsed);
  return parsed;
}

function parsePackage(folder: string): GoPackage {
  const structs = new Map<string, GoField[]>();
  const named = new Map<string, string>();
  const imports = new Map<string, string>();
  for (const file of readdirSync(folder).filter(
    (entry) => /types\w*\.go$|^types|time\.go$|duration\.go$/.test(entry) && !/_test|generated/.test(entry),
  )) {
    const source = readFileSync(join(folder, file), 'utf8');
    for (const [, alias, path = ''] of source.matchAll(/^\s*(?:(\w+)\s+)?"(k8s\.io\/[^"]+)"$/gm))
      imports.set(alias ?? path.split('/').at(-1) ?? '', packageName(path));
    for (const [, type = '', target = ''] of source.matchAll(/^type (\w+) ((?:\[\]|map\[[\w.]+\])?[\w.]+)$/gm)) named.set(type, target);
    for (const [, type = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) structs.set(type, fieldsOf(body));
  }
  return { structs, named, imports };
}

function packageName(path: string): string {
  if (path.endsWith('/apis/meta/v1')) return META;
  return path.startsWith('k8s.io/api/') ? path.slice('k8s.io/api/'.length) : (path.split('/').at(-1) ?? path);
}

function fieldsOf(body: string): GoField[] {
  const fields: GoField[] = [];
  for (const [, declaration = '', tags = ''] of body.matchAll(/^\s*([^\n/`]+?)\s*`([^`]+)`/gm)) {
    const number = /protobuf:"[^",]*,(\d+)/.exec(tags)?.[1];
    const [jsonName = '', ...flags] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? '').split(',');
    if (number === undefined) continue;
    const parts = declaration.split(/\s+/);
    const type = parts.at(-1) ?? '';
    fields.push({
      name: jsonName,
      type,
      number: Number(number),
      inline: flags.includes('inline') || (parts.length === 1 && jsonName === ''),
    });
  }
  return fields;
}
