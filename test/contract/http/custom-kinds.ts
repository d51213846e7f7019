// CustomResourceDefinitions of single cases.

import type { CaseContext } from './contract-case.ts';
import type { Json } from './raw-client.ts';

/** A custom kind and the paths of its objects. */
export interface CustomKind {
  /** Unique group of the case. */
  readonly group: string;
  readonly apiVersion: string;
  /** Path of the definition. */
  readonly definition: string;
  /** Path of its objects: in a namespace for a namespaced kind. */
  readonly collection: string;
}

interface Traits {
  /** Schema of `spec`; absent: anything. */
  readonly spec?: Json;
  /** The whole schema, in place of one with `spec` and `status`. */
  readonly schema?: Json;
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Additional fields of the version: subresources, additionalPrinterColumns, selectableFields. */
  readonly version?: Json;
  /** Additional fields of `spec.names`. */
  readonly names?: Json;
}

const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Definition of the kind Gauge (`gauges`) in a group, served and stored as v1. */
export function definitionOf(
  group: string,
  { spec = ANYTHING, schema, scope = 'Namespaced', version = {}, names = {} }: Traits = {},
): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gauges.${group}` },
    spec: {
      group,
      scope,
      names: { plural: 'gauges', singular: 'gauge', kind: 'Gauge', listKind: 'GaugeList', ...names },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema ?? { type: 'object', properties: { spec, status: ANYTHING } } },
          ...version,
        },
      ],
    },
  };
}

/** Group of the custom kinds of a case. */
export const groupOf = (given: CaseContext): string => `${given.id}.contract.example.com`;

/** Defines the kind Gauge in the group of the case and waits until it is served. It is deleted after the case. */
export async function defineGauge(given: CaseContext, traits: Traits = {}): Promise<CustomKind> {
  const group = groupOf(given);
  await given.create(DEFINITIONS, definitionOf(group, traits));
  const definition = `${DEFINITIONS}/gauges.${group}`;
  const root = `/apis/${group}/v1`;
  await established(given, definition);
  const collection = traits.scope === 'Cluster' ? `${root}/gauges` : `${root}/namespaces/${await given.namespace()}/gauges`;
  await given.eventually(
    'the kind is served: its definition is established',
    async () => (await given.client.get(`${root}/gauges`)).status === 200,
  );
  return { group, apiVersion: `${group}/v1`, definition, collection };
}

/** Waits until a definition is established, and returns it. */
export async function established(given: CaseContext, definition: string): Promise<Json> {
  return given.eventually('the definition is established: its names are accepted', async () => {
    const { body } = await given.client.get(definition);
    const conditions: Json[] = body.status?.conditions ?? [];
    return conditions.some(({ type, status }) => type === 'Established' && status === 'True') && (body as object);
  });
}

export function aGauge(kind: CustomKind, name: string, rest: object = {}): Json {
  return { apiVersion: kind.apiVersion, kind: 'Gauge', metadata: { name }, ...rest };
}
