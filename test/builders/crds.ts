// The CRDs of crds/, and an ajv validator for each that also knows the vocabulary of Kubernetes.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');

/** The fields of a schema that tests read. */
export interface CrdSchema {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, CrdSchema>>;
  readonly items?: CrdSchema;
  readonly additionalProperties?: CrdSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly {
    readonly rule: string;
    readonly message?: string;
    readonly reason?: string;
    readonly fieldPath?: string;
  }[];
}

/** The fields of a CRD that tests read. */
export interface CrdManifest {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: 'Cluster' | 'Namespaced';
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly shortNames: readonly string[];
      readonly categories: readonly string[];
    };
    readonly versions: readonly {
      readonly name: string;
      readonly subresources?: { readonly status?: object };
      readonly additionalPrinterColumns: readonly { readonly name: string; readonly jsonPath: string; readonly type: string }[];
      readonly schema: { readonly openAPIV3Schema: CrdSchema };
    }[];
  };
}

function documentsIn(folder: string): readonly { readonly file: string; readonly object: unknown }[] {
  return readdirSync(join(ROOT, folder))
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(ROOT, folder, file), 'utf8')).map((document) => ({ file, object: document.toJS() as unknown })),
    );
}

/** Every CRD of crds/. */
export function crds(): readonly CrdManifest[] {
  return documentsIn('crds').map(({ object }) => object as CrdManifest);
}

/** Every object of config/samples/. */
export function samples(): readonly { readonly file: string; readonly object: Readonly<Record<string, unknown>> }[] {
  return documentsIn('config/samples').map(({ file, object }) => ({ file, object: object as Readonly<Record<string, unknown>> }));
}

/** Schema of the served version. */
export function schemaOf(crd: CrdManifest): CrdSchema {
  return crd.spec.versions[0]!.schema.openAPIV3Schema;
}

/** Returns a validator of a CRD's schema. Unknown fields are errors, as in kubectl's strict validation. CEL rules are not evaluated. */
export function validatorOf(crd: CrdManifest): ValidateFunction {
  const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true, strictRequired: false, strictTypes: false });
  formats.default(ajv);
  ajv.addVocabulary([
    'x-kubernetes-validations',
    'x-kubernetes-list-type',
    'x-kubernetes-list-map-keys',
    'x-kubernetes-map-type',
    'x-kubernetes-int-or-string',
    'x-kubernetes-preserve-unknown-fields',
  ]);
  return ajv.compile(closed(schemaOf(crd), true));
}

function closed(schema: CrdSchema, root = false): object {
  const { properties, items, ...rest } = schema;
  return {
    ...rest,
    ...(items === undefined ? {} : { items: closed(items) }),
    ...(properties === undefined
      ? {}
      : {
          additionalProperties: false,
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [
              name,
              root && name === 'metadata' ? { type: 'object' } : closed(property),
            ]),
          ),
        }),
  };
}
