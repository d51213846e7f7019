import { isObject } from '#kube/json';
import type { FieldError } from '../api/api-error.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { ResourceDescriptor } from '../api/resource-descriptor.ts';
import type { ScalePaths } from '../api/resources/served-resources.ts';
import { parseJsonPath, plainPath } from '../printing/json-path.ts';
import type { PrinterColumn } from '../printing/tables.ts';
import { structureErrors } from './structure-rules.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { quoteValue } from './validate.ts';

/** Decoded CustomResourceDefinition. The maps are by version; with errors they may be incomplete. */
export interface CustomResourceReading {
  /** Served versions, the stored one first. */
  readonly descriptors: readonly ResourceDescriptor[];
  readonly storageVersion: string;
  readonly schemas: ReadonlyMap<string, StructuralSchema>;
  readonly columns: ReadonlyMap<string, readonly PrinterColumn[]>;
  /** For versions with a scale subresource. */
  readonly scalePaths: ReadonlyMap<string, ScalePaths>;
  readonly errors: readonly FieldError[];
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: StructuralSchema | undefined;
  readonly columns: readonly PrinterColumn[];
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
  readonly selectable: readonly string[];
}

const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const LABEL_1035 = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const APPROVED = 'api-approved.kubernetes.io';

/**
 * Reads and checks a CustomResourceDefinition (apiextensions.k8s.io/v1, after defaults): names, versions, whether the
 * schemas are structural and their CEL rules compile, subresources, columns.
 */
export function readCustomResourceDefinition(crd: KubeObject): CustomResourceReading {
  const reader = new Reader();
  const spec = recordIn(crd, 'spec');
  const names = recordIn(spec, 'names');
  reader.names(crd, spec, names);
  const versions = listIn(spec, 'versions').map((version, index) => reader.version(version, `spec.versions[${index}]`));
  reader.versions(versions);
  const stored = versions.find((version) => version.storage);
  const served = versions.filter((version) => version.served);
  const ordered = [...served.filter((version) => version.storage), ...served.filter((version) => !version.storage)];
  return {
    descriptors: ordered.map((version) => descriptorOf(spec, names, version)),
    storageVersion: stored?.name ?? '',
    schemas: new Map(versions.flatMap(({ name, schema }) => (schema === undefined ? [] : [[name, schema]]))),
    columns: new Map(versions.map(({ name, columns }) => [name, columns])),
    scalePaths: new Map(versions.flatMap(({ name, scale }) => (scale === undefined ? [] : [[name, scale]]))),
    errors: hoisted(reader.errors, listIn(spec, 'versions')),
  };
}

/** Parts that all versions may share, by their name in a version and in the definition. */
const COMMON_PARTS: readonly (readonly [string, string])[] = [
  ['schema', 'spec.validation'],
  ['subresources', 'spec.subresources'],
  ['additionalPrinterColumns', 'spec.additionalPrinterColumns'],
];

/**
 * The API server decodes definitions into an older format, in which parts shared by all versions exist once, and reports errors by its
 * paths: with a single version, always. A missing part has no path there.
 */
function hoisted(errors: readonly FieldError[], versions: readonly unknown[]): readonly FieldError[] {
  const parts = COMMON_PARTS.filter(([part]) => {
    const [first, ...others] = versions.map((version) => (isObject(version) ? version[part] : undefined));
    return first !== undefined && others.every((other) => JSON.stringify(other) === JSON.stringify(first));
  });
  return errors.flatMap((error) => {
    const [, index, rest = ''] = /^spec\.versions\[(\d+)\]\.(.+)$/.exec(error.field) ?? [];
    const part = parts.find(([name]) => rest.startsWith(name));
    if (index === undefined || part === undefined) return [error];
    return index === '0' ? [{ ...error, field: `${part[1]}${rest.slice(part[0].length)}` }] : [];
  });
}

class Reader {
  readonly errors: FieldError[] = [];

  names(crd: KubeObject, spec: Fields, names: Fields): void {
    const group = textIn(spec, 'group');
    const plural = textIn(names, 'plural');
    if (crd.metadata.name !== `${plural}.${group}`)
      this.#invalid('metadata.name', crd.metadata.name, 'must be spec.names.plural+"."+spec.group');
    if (!group.includes('.')) this.#invalid('spec.group', group, 'should be a domain with at least one dot');
    else if (!group.split('.').every((part) => LABEL.test(part))) this.#invalid('spec.group', group, 'must be a lower-case DNS subdomain');
    if (/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group) && crd.metadata.annotations?.[APPROVED] === undefined)
      this.#add(
        `metadata.annotations[${APPROVED}]`,
        'FieldValueRequired',
        'Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      );
    if (spec['preserveUnknownFields'] === true)
      this.#invalid('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema');
    const kind = textIn(names, 'kind');
    if (!LABEL_1035.test(plural)) this.#invalid('spec.names.plural', plural, 'must be a lower-case DNS label that begins with a letter');
    if (!LABEL_1035.test(kind.toLowerCase()))
      this.#invalid('spec.names.kind', kind, 'may have mixed case, but should otherwise match a DNS label');
    const lists: readonly [string, readonly unknown[]][] = [
      ['singular', names['singular'] === undefined ? [] : [names['singular']]],
      ['shortNames', listIn(names, 'shortNames')],
      ['categories', listIn(names, 'categories')],
    ];
    for (const [field, given] of lists)
      for (const name of given)
        if (typeof name !== 'string' || !LABEL_1035.test(name))
          this.#invalid(`spec.names.${field}`, name, 'must be a lower-case DNS label that begins with a letter');
  }

  versions(versions: readonly Version[]): void {
    if (versions.filter((version) => version.storage).length !== 1)
      this.#invalid(
        'spec.versions',
        versions.map(({ name }) => name),
        'must have exactly one version marked as storage version',
      );
    const seen = new Set<string>();
    versions.forEach(({ name }, index) => {
      if (seen.has(name)) this.#add(`spec.versions[${index}].name`, 'FieldValueDuplicate', `Duplicate value: ${quoteValue(name)}`);
      seen.add(name);
    });
  }

  version(given: unknown, path: string): Version {
    const version = isObject(given) ? given : {};
    const name = textIn(version, 'name');
    if (!LABEL_1035.test(name)) this.#invalid(`${path}.name`, name, 'must be a lower-case DNS label that begins with a letter');
    const subresources = recordIn(version, 'subresources');
    return {
      name,
      served: version['served'] === true,
      storage: version['storage'] === true,
      schema: this.#schema(version, path),
      columns: listIn(version, 'additionalPrinterColumns').flatMap((column, index) =>
        this.#column(column, `${path}.additionalPrinterColumns[${index}]`),
      ),
      hasStatus: subresources['status'] !== undefined,
      scale: this.#scale(subresources, `${path}.subresources.scale`),
      selectable: listIn(version, 'selectableFields').flatMap((field) =>
        isObject(field) ? [textIn(field, 'jsonPath').replace(/^\./, '')] : [],
      ),
    };
  }

  #schema(version: Fields, path: string): StructuralSchema | undefined {
    const schema = recordIn(version, 'schema')['openAPIV3Schema'];
    const at = `${path}.schema.openAPIV3Schema`;
    if (!isObject(schema)) {
      this.#add(at, 'FieldValueRequired', 'Required value: schemas are required');
      return undefined;
    }
    this.errors.push(...structureErrors(schema, at));
    return schema;
  }

  #column(given: unknown, path: string): PrinterColumn[] {
    const column = isObject(given) ? given : {};
    const [name, type, jsonPath] = [textIn(column, 'name'), textIn(column, 'type'), textIn(column, 'jsonPath')];
    if (type !== '' && !COLUMN_TYPES.includes(type)) this.#invalid(`${path}.type`, type, `must be one of ${COLUMN_TYPES.join(',')}`);
    const values = parseJsonPath(jsonPath);
    if (values === undefined) this.#invalid(`${path}.jsonPath`, jsonPath, 'must be a valid JSON path');
    if (name === '' || values === undefined) return [];
    return [
      {
        name,
        type,
        format: textIn(column, 'format'),
        description: textIn(column, 'description') || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
        priority: typeof column['priority'] === 'number' ? column['priority'] : 0,
        values,
      },
    ];
  }

  #scale(subresources: Fields, path: string): ScalePaths | undefined {
    if (!isObject(subresources['scale'])) return undefined;
    const scale = subresources['scale'];
    const specReplicas = this.#scalePath(scale, 'specReplicasPath', ['spec'], path);
    const statusReplicas = this.#scalePath(scale, 'statusReplicasPath', ['status'], path);
    const labelSelector =
      textIn(scale, 'labelSelectorPath') === '' ? null : this.#scalePath(scale, 'labelSelectorPath', ['spec', 'status'], path);
    return { specReplicas, statusReplicas, labelSelector };
  }

  #scalePath(scale: Fields, field: string, under: readonly string[], path: string): readonly string[] {
    const text = textIn(scale, field);
    const steps = plainPath(text);
    const [first = '', second] = steps ?? [];
    if (second !== undefined && under.includes(first)) return steps ?? [];
    if (text === '') this.#add(`${path}.${field}`, 'FieldValueRequired', 'Required value');
    else this.#invalid(`${path}.${field}`, text, `should be a json path under ${under.map((part) => `.${part}`).join(' or ')}`);
    return [];
  }

  #add(field: string, type: FieldError['type'], message: string): void {
    this.errors.push({ field, type, message });
  }

  #invalid(field: string, value: unknown, why: string): void {
    this.#add(field, 'FieldValueInvalid', `Invalid value: ${quoteValue(value)}: ${why}`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function descriptorOf(spec: Fields, names: Fields, version: Version): ResourceDescriptor {
  const kind = textIn(names, 'kind');
  const group = textIn(spec, 'group');
  return {
    group,
    version: version.name,
    kind,
    listKind: textIn(names, 'listKind') || `${kind}List`,
    plural: textIn(names, 'plural'),
    singular: textIn(names, 'singular') || kind.toLowerCase(),
    shortNames: listIn(names, 'shortNames').filter((name) => typeof name === 'string'),
    categories: listIn(names, 'categories').filter((name) => typeof name === 'string'),
    namespaced: spec['scope'] === 'Namespaced',
    verbs: VERBS,
    subresources: [...(version.hasStatus ? ['status'] : []), ...(version.scale === undefined ? [] : ['scale'])],
    hasGeneration: true,
    schemaName: `${group.split('.').reverse().join('.')}.${version.name}.${kind}`,
    fieldSelectors: version.selectable,
  };
}

function recordIn(object: Fields, field: string): Fields {
  const value = object[field];
  return isObject(value) ? value : {};
}

function listIn(object: Fields, field: string): readonly unknown[] {
  const value = object[field];
  return Array.isArray(value) ? value : [];
}

function textIn(object: Fields, field: string): string {
  const value = object[field];
  return typeof value === 'string' ? value : '';
}
