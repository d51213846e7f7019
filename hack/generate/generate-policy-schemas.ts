// Writes src/apis/v1alpha1/policy-schemas.generated.ts from crds/: the schemas of overridable policy fields, so that a value can be checked
// without the API server. With --check writes nothing and fails when the file is stale.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { POLICY_KINDS } from '../../src/core/policies/policy-kinds.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const OUT = join(ROOT, 'src/apis/v1alpha1/policy-schemas.generated.ts');
/** Keywords for checking one value. The API server checks cross-field rules. */
const KEPT = new Set([
  'type',
  'enum',
  'format',
  'pattern',
  'default',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'maxProperties',
  'required',
  'x-kubernetes-int-or-string',
]);

interface Schema {
  readonly [key: string]: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message: string }[];
}

interface Crd {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: { readonly properties: { readonly spec: Schema } } } }];
  };
}

function trimmed(schema: Schema): object {
  const { properties, items, additionalProperties } = schema;
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => KEPT.has(key))),
    ...valueRules(schema),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, trimmed(child)])) }),
    ...(items === undefined ? {} : { items: trimmed(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: trimmed(additionalProperties) }),
  };
}

/** The rules of one value (pattern, minimum quantity) with their messages, as keywords that need no CEL. */
function valueRules({ 'x-kubernetes-validations': rules = [] }: Schema): object {
  return Object.assign(
    {},
    ...rules.map(({ rule, message }) => {
      const pattern = /self\.matches\('(.*)'\)$/.exec(rule)?.[1]?.replaceAll('\\\\', '\\');
      const minQuantity = /compareTo\(quantity\('([^']+)'\)\) >= 0$/.exec(rule)?.[1];
      if (pattern !== undefined) return { pattern, patternMessage: message };
      return minQuantity === undefined ? {} : { minQuantity, minQuantityMessage: message };
    }),
  ) as object;
}

const schemas = POLICY_KINDS.map(({ plural }) => {
  const crd = parse(readFileSync(join(ROOT, 'crds', `${plural}.yaml`), 'utf8')) as Crd;
  return `  ${crd.spec.names.kind}: ${JSON.stringify(trimmed(crd.spec.versions[0].schema.openAPIV3Schema.properties.spec))},`;
});
const wanted = [
  '// Generated from crds/ by hack/generate/generate-policy-schemas.ts. Change the CRD and run `node hack/generate/generate-policy-schemas.ts`; never edit this file.',
  '',
  '/** Schema of `spec` of each kind of policy, without descriptions. */',
  'export const POLICY_SPEC_SCHEMAS = {',
  ...schemas,
  '};',
  '',
].join('\n');

if (!process.argv.includes('--check')) writeFileSync(OUT, wanted);
else if (readFileSync(OUT, 'utf8') !== wanted) {
  console.error('src/apis/v1alpha1/policy-schemas.generated.ts is stale. Run: node hack/generate/generate-policy-schemas.ts');
  process.exitCode = 1;
}
