// Representation of objects by the Accept header: whole, as rows of a table, or metadata only.

import type { ResourceDescriptor } from '../resource-descriptor.ts';
import type { KubeObject } from '../kube-object.ts';
import type { ListPage } from '../verbs/object-lister.ts';
import type { ServedResource } from '../resources/served-resources.ts';
import type { WatchView } from '../watch/watch-session.ts';

type Shape = 'object' | 'table' | 'partial';
type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Makes `meta.k8s.io/v1` Tables: column definitions and a row per object. */
export type TableMaker = (
  descriptor: ResourceDescriptor,
  objects: readonly KubeObject[],
  now: number,
  includeObject: IncludeObject,
) => Record<string, unknown>;

export interface Representation {
  readonly shape: Shape;
  readonly includeObject: IncludeObject;
}

const AS_OBJECTS: Representation = { shape: 'object', includeObject: 'Metadata' };

/** undefined when no accepted media type is supported. */
export function negotiate(accept: string | undefined, includeObject: string | undefined): Representation | undefined {
  const include = includeObject === 'None' || includeObject === 'Object' ? includeObject : 'Metadata';
  if (accept === undefined || accept === '') return AS_OBJECTS;
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue;
    const asked = Object.fromEntries(parameters.map((parameter) => parameter.split('=', 2) as [string, string | undefined]));
    const shape = shapeOf(asked['as']);
    if (shape === undefined || (shape !== 'object' && !isMetaV1(asked))) continue;
    return { shape, includeObject: include };
  }
  return undefined;
}

function isMetaV1(asked: Readonly<Record<string, string | undefined>>): boolean {
  return asked['g'] === 'meta.k8s.io' && asked['v'] === 'v1';
}

function shapeOf(as: string | undefined): Shape | undefined {
  switch (as) {
    case undefined:
      return 'object';
    case 'Table':
      return 'table';
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return 'partial';
    default:
      return undefined;
  }
}

const PARTIAL = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' } as const;

function untyped({ kind: _kind, apiVersion: _apiVersion, ...rest }: KubeObject): object {
  return rest;
}

/** Converts one resource's stored objects into the requested representation. */
export class ObjectPresenter {
  readonly #resource: ServedResource;
  readonly #representation: Representation;
  readonly #table: TableMaker;
  readonly #now: () => number;

  constructor(resource: ServedResource, representation: Representation, table: TableMaker, now: () => number) {
    this.#resource = resource;
    this.#representation = representation;
    this.#table = table;
    this.#now = now;
  }

  /** Of an object in its served version. */
  served(object: KubeObject): unknown {
    const { shape } = this.#representation;
    if (shape === 'object') return object;
    if (shape === 'partial') return { ...PARTIAL, metadata: object.metadata };
    return { ...this.#rows([object]), metadata: { resourceVersion: object.metadata.resourceVersion } };
  }

  list(page: ListPage): unknown {
    const metadata = {
      resourceVersion: page.resourceVersion,
      ...(page.continue === undefined ? {} : { continue: page.continue }),
      ...(page.remainingItemCount === undefined ? {} : { remainingItemCount: page.remainingItemCount }),
    };
    const { view, descriptor, apiVersion } = this.#resource;
    const items =
      this.#resource.id === this.#resource.storageId && !this.#resource.custom ? page.items : page.items.map((item) => view.toServed(item));
    const { shape } = this.#representation;
    if (shape === 'table') return { ...this.#rows(items), metadata };
    if (shape === 'partial') {
      const partials = items.map((item) => ({ ...PARTIAL, metadata: item.metadata }));
      return { kind: 'PartialObjectMetadataList', apiVersion: PARTIAL.apiVersion, metadata, items: partials };
    }
    // The list has the kind of its items; custom resources repeat it.
    return { kind: descriptor.listKind, apiVersion, metadata, items: this.#resource.custom ? items : items.map(untyped) };
  }

  watchView(): WatchView {
    const { view } = this.#resource;
    let headersSent = false;
    const withHeadersOnce = (table: unknown): unknown => {
      if (this.#representation.shape !== 'table' || !headersSent) {
        headersSent = true;
        return table;
      }
      return { ...(table as object), columnDefinitions: null };
    };
    return {
      object: (stored) => withHeadersOnce(this.served(view.toServed(stored))),
      bookmark: (resourceVersion, isInitialEnd) => this.#bookmark(resourceVersion, isInitialEnd),
    };
  }

  #bookmark(resourceVersion: string, isInitialEnd: boolean): unknown {
    const annotations = isInitialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    const metadata = { resourceVersion, ...annotations };
    const { shape } = this.#representation;
    if (shape === 'table') return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions: null, rows: [] };
    if (shape === 'partial') return { ...PARTIAL, metadata };
    return { kind: this.#resource.descriptor.kind, apiVersion: this.#resource.apiVersion, metadata };
  }

  #rows(objects: readonly KubeObject[]): Record<string, unknown> {
    return this.#table(this.#resource.descriptor, objects, this.#now(), this.#representation.includeObject);
  }
}
