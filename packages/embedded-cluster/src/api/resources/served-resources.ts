// Served resources, their versions, and the tables of their objects. Built-in ones exist from the start; CustomResourceDefinitions add and
// remove theirs at run time.

import { BUILT_IN_RESOURCES } from './descriptors.ts';
import { EVENTS_VIEW, HPA_V1_VIEW, SAME_VIEW, type ObjectView } from '../store/object-view.ts';
import { resourceId, type ResourceDescriptor } from '../resource-descriptor.ts';

/** Fields of a custom resource that the scale subresource shows, as dotted paths without the leading dot. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** A label selector as text; null when the resource has none. */
  readonly labelSelector: readonly string[] | null;
}

export interface ServedResource {
  readonly descriptor: ResourceDescriptor;
  /** `pods`, `deployments.apps`. */
  readonly id: string;
  /** Id of the table with its objects: that of another resource for a second view of the same objects. */
  readonly storageId: string;
  /** Schema of the stored form, which defaulting and validation use. */
  readonly storedDescriptor: ResourceDescriptor;
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** From a CustomResourceDefinition. */
  readonly custom: boolean;
  readonly view: ObjectView;
  /** Set for custom resources that declare the scale subresource. */
  readonly scalePaths: ScalePaths | null;
}

/** `v1`, `apps/v1`. */
export function groupVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** A resource served in the version in which it is stored. */
function servedAsStored(descriptor: ResourceDescriptor): ServedResource {
  const id = resourceId(descriptor);
  return {
    descriptor,
    id,
    storageId: id,
    storedDescriptor: descriptor,
    apiVersion: groupVersion(descriptor.group, descriptor.version),
    custom: false,
    view: SAME_VIEW,
    scalePaths: null,
  };
}

/** Built-in resources that are another view on objects stored elsewhere: the path stored under, and the view. */
const VIEWS: Readonly<Record<string, { readonly of: string; readonly view: ObjectView }>> = {
  'events.k8s.io/v1/events': { of: '/v1/events', view: EVENTS_VIEW },
  'autoscaling/v1/horizontalpodautoscalers': { of: 'autoscaling/v2/horizontalpodautoscalers', view: HPA_V1_VIEW },
};

export class ServedResources {
  readonly #byPath = new Map<string, ServedResource>();
  /** The first version added of each resource, in which it is stored. */
  readonly #preferredById = new Map<string, ServedResource>();
  #generation = 0;

  constructor(descriptors: readonly ResourceDescriptor[] = BUILT_IN_RESOURCES) {
    for (const descriptor of descriptors) this.#addBuiltIn(descriptor);
  }

  /** Increases with every addition and removal: results computed from the set are valid while it stays the same. */
  get generation(): number {
    return this.#generation;
  }

  add(resource: ServedResource): void {
    const { group, version, plural } = resource.descriptor;
    this.#byPath.set(`${group}/${version}/${plural}`, resource);
    if (!this.#preferredById.has(resource.id)) this.#preferredById.set(resource.id, resource);
    this.#generation++;
  }

  #addBuiltIn(descriptor: ResourceDescriptor): void {
    const served = servedAsStored(descriptor);
    const shown = VIEWS[`${served.apiVersion}/${descriptor.plural}`];
    const stored = shown === undefined ? undefined : this.#byPath.get(shown.of);
    if (shown === undefined || stored === undefined) this.add(served);
    else this.add({ ...served, storageId: stored.id, storedDescriptor: stored.descriptor, view: shown.view });
  }

  /** Every version of a resource. */
  remove(id: string): void {
    for (const [path, resource] of this.#byPath) if (resource.id === id) this.#byPath.delete(path);
    this.#preferredById.delete(id);
    this.#generation++;
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** By `pods` or `deployments.apps`, in the version in which objects are stored. */
  findById(id: string): ServedResource | undefined {
    return this.#preferredById.get(id);
  }

  findByKind(group: string, version: string, kind: string): ServedResource | undefined {
    for (const resource of this.#byPath.values()) {
      const { descriptor } = resource;
      if (descriptor.kind === kind && descriptor.group === group && descriptor.version === version) return resource;
    }
    return undefined;
  }

  /** In order of addition. */
  all(): Iterable<ServedResource> {
    return this.#byPath.values();
  }

  /** Groups with their versions, preferred version first, in order of addition. The core group is ``. */
  groups(): ReadonlyMap<string, readonly string[]> {
    const versionsByGroup = new Map<string, string[]>();
    for (const { descriptor } of this.#byPath.values()) {
      const versions = versionsByGroup.get(descriptor.group) ?? [];
      if (!versions.includes(descriptor.version)) versions.push(descriptor.version);
      versionsByGroup.set(descriptor.group, versions);
    }
    return versionsByGroup;
  }

  of(group: string, version: string): readonly ServedResource[] {
    return [...this.#byPath.values()].filter(({ descriptor }) => descriptor.group === group && descriptor.version === version);
  }
}
