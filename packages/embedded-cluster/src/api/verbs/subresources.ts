// POST to a subresource: an action of the resource (binding, eviction), or a token of a ServiceAccount.

import { isObject } from '#kube/json';
import type { Clock } from '../../ports/clock.ts';
import { ApiStatusError, badRequest, notFound } from '../api-error.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import { decodeObject } from './object-metadata.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { ObjectWriter } from './object-writer.ts';
import type { ServedResource } from '../resources/served-resources.ts';
import type { SubresourceAction } from '../strategy.ts';
import { subjectOf, type WriteRequest } from './write-request.ts';

export interface SubresourceDependencies {
  readonly store: ObjectStore;
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  /** By `pods/eviction`. */
  readonly actions: ReadonlyMap<string, SubresourceAction>;
  /** Actions with the permissions of the request's user. */
  readonly accessFor: (user: string) => ClusterAccess;
}

export class Subresources {
  readonly #dependencies: SubresourceDependencies;

  constructor(dependencies: SubresourceDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws ApiStatusError: NotFound, MethodNotAllowed, and the errors of the action. */
  create(
    resource: ServedResource,
    namespace: string | null,
    name: string,
    subresource: string,
    body: unknown,
    request: WriteRequest,
  ): Record<string, unknown> {
    const { store, actions, accessFor, clock } = this.#dependencies;
    const target = store.table(resource.storageId).get(namespace, name);
    if (target === undefined) throw notFound(subjectOf(resource, name));
    if (resource.id === 'namespaces' && subresource === 'finalize') return this.finalize(resource, name, body, request);
    const action = actions.get(`${resource.id}/${subresource}`);
    if (action === undefined) throw methodNotAllowed();
    if (body !== undefined && !isObject(body)) throw badRequest('the request body must be an object');
    const cluster = accessFor(request.user);
    return action(target, body ?? {}, { now: clock.now(), cluster, user: request.user, dryRun: request.dryRun });
  }

  /** Namespaces keep `spec.finalizers` until their content is deleted; only this subresource changes them. */
  finalize(resource: ServedResource, name: string, body: unknown, request: WriteRequest): Record<string, unknown> {
    const { object, unknownFields } = decodeObject(body, resource.apiVersion, resource.descriptor.kind);
    const change = { subresource: 'finalize', produce: () => object, unknownFields };
    return this.#dependencies.writer.update(resource, null, name, change, request).object;
  }
}

/** Subresources that connect to a process or a port of a container; simulated containers have neither. */
const NEEDS_PROCESS: ReadonlySet<string> = new Set(['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'services/proxy']);

/** 501 with an explanation for such a subresource; undefined for any other, which is an unknown path. */
export function needsProcess(subresource: string): ApiStatusError | undefined {
  if (!NEEDS_PROCESS.has(subresource)) return undefined;
  return new ApiStatusError(
    501,
    'NotImplemented',
    `the embedded cluster does not serve ${subresource}: its containers are simulated, and no process runs in them`,
  );
}

/** 405, as for any verb that a resource does not have. */
export function methodNotAllowed(): ApiStatusError {
  return new ApiStatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}
