// autoscaling/v1 Scale: one shape for how many replicas something has, whatever its kind.

import { isObject } from '#kube/json';
import { badRequest, invalid } from '../api-error.ts';
import { readPath, writePath } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import type { ResourceDescriptor } from '../resource-descriptor.ts';
import type { ScalePaths, ServedResource } from '../resources/served-resources.ts';

/** Describes the shape itself, which is no resource of its own: in its table, replicas have columns whatever is scaled. */
export const SCALE: ResourceDescriptor = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  listKind: 'ScaleList',
  plural: 'scales',
  singular: 'scale',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: [],
  subresources: [],
  hasGeneration: false,
  schemaName: 'io.k8s.api.autoscaling.v1.Scale',
  fieldSelectors: [],
};

const BUILT_IN_PATHS: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  labelSelector: null,
};

/** The Scale that an object shows. */
export function scaleOf(resource: ServedResource, object: KubeObject): KubeObject {
  const paths = resource.scalePaths ?? BUILT_IN_PATHS;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = count(readPath(object, paths.specReplicas));
  const selector = resource.scalePaths === null ? selectorText(readPath(object, ['spec', 'selector'])) : customSelector(object, paths);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: count(readPath(object, paths.statusReplicas)), ...(selector === '' ? {} : { selector }) },
  };
}

/** Carries a wanted Scale over to the draft of the object. Throws ApiStatusError: 400 for a count that is no whole number, 422 below 0. */
export function applyScale(resource: ServedResource, draft: KubeObject, scale: KubeObject): void {
  const replicas = readPath(scale, ['spec', 'replicas']) ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas))
    throw badRequest(`spec.replicas: ${JSON.stringify(replicas)} must be an integer of at least 0`);
  if (replicas < 0) {
    const subject = { group: SCALE.group, kind: SCALE.kind, plural: SCALE.plural, name: draft.metadata.name };
    const why = resource.custom ? 'should be a non-negative integer' : 'must be greater than or equal to 0';
    const message = `Invalid value: ${replicas}: ${why}`;
    throw invalid(subject, [{ field: 'spec.replicas', type: 'FieldValueInvalid', message }]);
  }
  writePath(draft, (resource.scalePaths ?? BUILT_IN_PATHS).specReplicas, replicas);
  draft.metadata.resourceVersion = (scale.metadata as Partial<KubeObject['metadata']>).resourceVersion ?? '';
}

/** What an applied Scale says of the object itself. */
export function scaledPart(resource: ServedResource, name: string, scale: KubeObject): KubeObject {
  const part: KubeObject = {
    apiVersion: resource.apiVersion,
    kind: resource.descriptor.kind,
    metadata: { name } as KubeObject['metadata'],
  };
  const replicas = readPath(scale, ['spec', 'replicas']);
  if (replicas !== undefined) writePath(part, (resource.scalePaths ?? BUILT_IN_PATHS).specReplicas, replicas);
  return part;
}

function customSelector(object: KubeObject, paths: ScalePaths): string {
  const text = paths.labelSelector === null ? undefined : readPath(object, paths.labelSelector);
  return typeof text === 'string' ? text : '';
}

/** A label selector object (or a ReplicationController's plain map) as the text of a query. */
function selectorText(selector: unknown): string {
  if (!isObject(selector)) return '';
  const plain = !isObject(selector['matchLabels']) && !Array.isArray(selector['matchExpressions']);
  const labels = plain ? selector : isObject(selector['matchLabels']) ? selector['matchLabels'] : {};
  const parts = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${String(labels[key])}`);
  const expressions = Array.isArray(selector['matchExpressions']) ? (selector['matchExpressions'] as unknown[]) : [];
  return [...parts, ...expressions.filter(isObject).map(expressionText)].join(',');
}

function expressionText(expression: Record<string, unknown>): string {
  const key = String(expression['key']);
  const values = Array.isArray(expression['values']) ? expression['values'].join(',') : '';
  switch (expression['operator']) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'NotIn':
      return `${key} notin (${values})`;
    default:
      return `${key} in (${values})`;
  }
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
