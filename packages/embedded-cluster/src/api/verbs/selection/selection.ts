import { fieldPredicate, parseFieldSelector } from './field-selection.ts';
import type { KubeObject } from '../../kube-object.ts';
import { parseLabelSelector } from './label-selection.ts';
import type { ResourceTable } from '../../store/object-store.ts';
import type { ServedResource } from '../../resources/served-resources.ts';

/** The objects of a list or a watch: part of a resource, by namespace, labels and fields. */
export interface Selection {
  readonly resource: ServedResource;
  readonly namespace: string | null;
  /** Whether a selector beyond the namespace narrows it. */
  readonly selective: boolean;
  /** Of a stored object. */
  isSelected(object: KubeObject): boolean;
  /** Stored objects that may match, by the narrowest index there is, in key order. */
  candidates(table: ResourceTable): readonly KubeObject[];
}

/** Throws ApiStatusError 400 for selectors that cannot be read. */
export function selectionOf(
  resource: ServedResource,
  namespace: string | null,
  labelSelector: string | undefined,
  fieldSelector: string | undefined,
): Selection {
  const labels = parseLabelSelector(labelSelector ?? '');
  const requirements = parseFieldSelector(fieldSelector ?? '', resource);
  const fields = fieldPredicate(requirements);
  const sameView = resource.id === resource.storageId;
  const isIn = (object: KubeObject): boolean => namespace === null || object.metadata.namespace === namespace;
  const exact = (field: string): string | undefined =>
    requirements.find((requirement) => requirement.field === field && requirement.equal)?.value;
  const name = exact('metadata.name');
  const node = resource.id === 'pods' ? exact('spec.nodeName') : undefined;

  return {
    resource,
    namespace,
    selective: labels !== null || fields !== null,
    isSelected: (object) =>
      isIn(object) &&
      (labels === null || labels(object.metadata.labels)) &&
      (fields === null || fields(sameView ? object : resource.view.toServed(object))),
    candidates(table) {
      if (name !== undefined && (namespace !== null || !resource.descriptor.namespaced)) {
        const found = table.get(namespace, name);
        return found === undefined ? [] : [found];
      }
      if (node !== undefined && node !== '') return table.listByIndex(node);
      return table.list(namespace);
    },
  };
}
