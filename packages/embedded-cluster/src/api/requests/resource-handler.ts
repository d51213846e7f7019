// Verbs on stored resources: reads the request and shapes the response.

import type { Clock } from '../../ports/clock.ts';
import { json, warningHeaders, type Answer, type StreamAnswer } from '../answer.ts';
import { ApiStatusError, badRequest, notFound } from '../api-error.ts';
import type { Authorizer } from '../access/authorization.ts';
import type { ApiCall } from './api-call.ts';
import { cloneJson } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import type { ObjectDeleter } from '../verbs/object-deleter.ts';
import { listObjects, type ListQuery } from '../verbs/object-lister.ts';
import { decodeObject } from '../verbs/object-metadata.ts';
import { patchTypeOf, type ObjectPatcher } from '../verbs/object-patcher.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { ObjectWriter, WriteResult } from '../verbs/object-writer.ts';
import { negotiate, ObjectPresenter, type TableMaker } from './representation.ts';
import { isTrue, writeRequestOf } from './write-options.ts';
import type { ResourceTarget } from './request-target.ts';
import { applyScale, SCALE, scaleOf } from '../verbs/scale-subresource.ts';
import { selectionOf, type Selection } from '../verbs/selection/selection.ts';
import type { ServedResource } from '../resources/served-resources.ts';
import { methodNotAllowed, type Subresources } from '../verbs/subresources.ts';
import type { WatchTimers } from '../watch/watch-timers.ts';
import { checkWatchQuery, WatchSession, type WatchQuery } from '../watch/watch-session.ts';
import { readDeleteOptions, subjectOf, type WriteRequest } from '../verbs/write-request.ts';

export interface ResourceHandlerDependencies {
  readonly store: ObjectStore;
  readonly writer: ObjectWriter;
  readonly deleter: ObjectDeleter;
  readonly patcher: ObjectPatcher;
  readonly subresources: Subresources;
  readonly tables: TableMaker;
  readonly clock: Clock;
  readonly watchTimers: WatchTimers;
  readonly authorizer: Authorizer;
}

/** Kinds whose DELETE returns the object; all others return a Status. */
const ANSWERS_DELETED_OBJECT: ReadonlySet<string> = new Set([
  'pods',
  'persistentvolumes',
  'persistentvolumeclaims',
  'podtemplates',
  'replicationcontrollers',
  'resourcequotas',
  'serviceaccounts',
  'services',
]);

/** Subresources that return the object itself. */
const OBJECT_SUBRESOURCES: ReadonlySet<string> = new Set(['', 'status', 'resize']);

export class ResourceHandler {
  readonly #dependencies: ResourceHandlerDependencies;

  constructor(dependencies: ResourceHandlerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws ApiStatusError for every error. */
  handle(resource: ServedResource, target: ResourceTarget, verb: string, call: ApiCall): Answer {
    const request = writeRequestOf(call, this.#dependencies.authorizer);
    switch (verb) {
      case 'get':
        return this.#get(resource, target, call);
      case 'list':
        return this.#list(resource, target, call);
      case 'watch':
        return this.#watch(resource, target, call);
      case 'create':
        return this.#create(resource, target, call, request);
      case 'update':
        return this.#update(resource, target, call, request);
      case 'patch':
        return this.#patch(resource, target, call, request);
      case 'delete':
        return this.#delete(resource, target, call);
      case 'deletecollection':
        return this.#deleteCollection(resource, target, call);
      default:
        throw methodNotAllowed();
    }
  }

  #get(resource: ServedResource, target: ResourceTarget, call: ApiCall): Answer {
    const { namespace, subresource } = target;
    const name = target.name ?? '';
    const stored = this.#dependencies.store.table(resource.storageId).get(namespace, name);
    if (stored === undefined) throw notFound(subjectOf(resource, name));
    const served = resource.view.toServed(stored);
    if (subresource === 'scale')
      return json(200, this.#presenter({ ...resource, descriptor: SCALE }, call).served(scaleOf(resource, served)));
    if (!OBJECT_SUBRESOURCES.has(subresource)) throw methodNotAllowed();
    return json(200, this.#presenter(resource, call).served(served));
  }

  #list(resource: ServedResource, target: ResourceTarget, call: ApiCall): Answer {
    const presenter = this.#presenter(resource, call);
    const page = listObjects(this.#dependencies.store, this.#selection(resource, target, call), listQueryOf(call.query));
    return json(200, presenter.list(page));
  }

  #watch(resource: ServedResource, target: ResourceTarget, call: ApiCall): StreamAnswer {
    const { store, watchTimers } = this.#dependencies;
    const view = this.#presenter(resource, call).watchView();
    const selection = this.#selection(resource, target, call);
    const query = watchQueryOf(call.query);
    checkWatchQuery(query);
    const timeoutSeconds = wholeNumberOf(call.query, 'timeoutSeconds') ?? 0;
    return {
      kind: 'stream',
      status: 200,
      headers: {},
      contentType: 'application/json',
      open(sink) {
        const session = new WatchSession(store, selection, view, (event) => sink.push(event));
        let follows = false;
        try {
          follows = session.start(query);
        } catch (error) {
          if (!(error instanceof ApiStatusError)) throw error;
          sink.push({ type: 'ERROR', object: error.toStatus() });
        }
        if (!follows) {
          sink.end();
          return () => undefined;
        }
        const stopTimers = watchTimers.follow(session, query.allowWatchBookmarks, timeoutSeconds, () => {
          session.stop();
          sink.end();
        });
        return () => {
          stopTimers();
          session.stop();
        };
      },
    };
  }

  #create(resource: ServedResource, target: ResourceTarget, call: ApiCall, request: WriteRequest): Answer {
    const { namespace, name, subresource } = target;
    if (subresource !== '')
      return json(201, this.#dependencies.subresources.create(resource, namespace, name ?? '', subresource, call.body, request));
    if (name !== null) throw methodNotAllowed();
    const { object, unknownFields } = decodeObject(call.body, resource.apiVersion, resource.descriptor.kind);
    delete object.metadata.managedFields;
    return this.#written(resource, this.#dependencies.writer.create(resource, namespace, object, request, unknownFields), call);
  }

  #update(resource: ServedResource, target: ResourceTarget, call: ApiCall, request: WriteRequest): Answer {
    const { namespace, subresource } = target;
    const name = target.name ?? '';
    if (subresource === 'finalize') return json(200, this.#dependencies.subresources.finalize(resource, name, call.body, request));
    if (subresource === 'scale') return this.#replaceScale(resource, namespace, name, call, request);
    if (!OBJECT_SUBRESOURCES.has(subresource)) throw methodNotAllowed();
    const { object, unknownFields } = decodeObject(call.body, resource.apiVersion, resource.descriptor.kind);
    if (resource.custom && (object.metadata.resourceVersion as string | undefined) === undefined) throw unversionedUpdate(resource, name);
    if ((object.metadata.name as string | undefined) === undefined || object.metadata.name === '')
      throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
    const change = { subresource, produce: () => object, unknownFields };
    const { store, writer } = this.#dependencies;
    const isNew = resource.descriptor.createdByUpdate === true && store.table(resource.storageId).get(namespace, name) === undefined;
    const written =
      isNew && subresource === '' && object.metadata.name === name
        ? writer.create(resource, namespace, object, request, unknownFields)
        : writer.update(resource, namespace, name, change, request);
    return this.#written(resource, written, call);
  }

  #replaceScale(resource: ServedResource, namespace: string | null, name: string, call: ApiCall, request: WriteRequest): Answer {
    const { object: scale } = decodeObject(call.body, 'autoscaling/v1', 'Scale');
    const produce = (current: KubeObject): KubeObject => {
      const draft = cloneJson(current);
      applyScale(resource, draft, scale);
      return draft;
    };
    const written = this.#dependencies.writer.update(resource, namespace, name, { subresource: 'scale', produce }, request);
    return json(200, scaleOf(resource, written.object));
  }

  #patch(resource: ServedResource, target: ResourceTarget, call: ApiCall, request: WriteRequest): Answer {
    const { namespace, subresource } = target;
    if (!OBJECT_SUBRESOURCES.has(subresource) && subresource !== 'scale') throw methodNotAllowed();
    const type = patchTypeOf(call.contentType ?? '', resource);
    const force = isTrue(call.query['force']);
    const written = this.#dependencies.patcher.patch({
      resource,
      namespace,
      name: target.name ?? '',
      subresource,
      type,
      body: call.body,
      force,
      request,
    });
    if (subresource === 'scale') return json(200, written.object, warningHeaders(written.warnings));
    return this.#written(resource, written, call);
  }

  #delete(resource: ServedResource, target: ResourceTarget, call: ApiCall): Answer {
    const name = target.name ?? '';
    if (target.subresource !== '') throw methodNotAllowed();
    const { dryRun, ...options } = readDeleteOptions(call.body, call.query);
    const deleted = this.#dependencies.deleter.delete(resource, target.namespace, name, options, dryRun);
    if (deleted === undefined) throw notFound(subjectOf(resource, name));
    const object = resource.view.toServed(deleted.object);
    if (!deleted.gone || ANSWERS_DELETED_OBJECT.has(resource.id)) return json(200, this.#presenter(resource, call).served(object));
    const { group, plural } = resource.descriptor;
    const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid: object.metadata.uid };
    return json(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
  }

  #deleteCollection(resource: ServedResource, target: ResourceTarget, call: ApiCall): Answer {
    const { dryRun, ...options } = readDeleteOptions(call.body, call.query);
    const page = listObjects(this.#dependencies.store, this.#selection(resource, target, call), listQueryOf(call.query));
    for (const { metadata } of page.items) {
      this.#dependencies.deleter.delete(resource, metadata.namespace ?? null, metadata.name, options, dryRun);
    }
    return json(200, this.#presenter(resource, call).list(page));
  }

  #written(resource: ServedResource, written: WriteResult, call: ApiCall): Answer {
    const shown = this.#presenter(resource, call).served(written.object);
    return json(written.created ? 201 : 200, shown, warningHeaders(written.warnings));
  }

  #presenter(resource: ServedResource, call: ApiCall): ObjectPresenter {
    const representation = negotiate(call.accept, call.query['includeObject']);
    if (representation === undefined)
      throw new ApiStatusError(
        406,
        'NotAcceptable',
        'only the following media types are accepted: application/json, application/json;as=Table;v=v1;g=meta.k8s.io, application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
      );
    return new ObjectPresenter(resource, representation, this.#dependencies.tables, () => this.#dependencies.clock.now());
  }

  #selection(resource: ServedResource, target: ResourceTarget, call: ApiCall): Selection {
    const { labelSelector, fieldSelector } = call.query;
    const byName = target.name === null ? fieldSelector : `metadata.name=${target.name}`;
    return selectionOf(resource, target.namespace, labelSelector, byName);
  }
}

function wholeNumberOf(query: ApiCall['query'], name: string): number | undefined {
  const text = query[name];
  if (text === undefined || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`${name}: ${JSON.stringify(text)} must be a whole number of at least 0`);
  return Number(text);
}

function listQueryOf(query: ApiCall['query']): ListQuery {
  const { resourceVersion, resourceVersionMatch, sendInitialEvents } = query;
  const token = query['continue'];
  const limit = wholeNumberOf(query, 'limit');
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(token === undefined ? {} : { continue: token }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(resourceVersionMatch === undefined ? {} : { resourceVersionMatch }),
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents: isTrue(sendInitialEvents) }),
  };
}

function watchQueryOf(query: ApiCall['query']): WatchQuery {
  const { resourceVersion, resourceVersionMatch, sendInitialEvents } = query;
  return {
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(resourceVersionMatch === undefined ? {} : { resourceVersionMatch }),
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents: isTrue(sendInitialEvents) }),
    allowWatchBookmarks: isTrue(query['allowWatchBookmarks']),
  };
}

/** An update of a custom resource requires the resourceVersion. */
function unversionedUpdate(resource: ServedResource, name: string): ApiStatusError {
  const { group, plural } = resource.descriptor;
  const message = 'Invalid value: 0: must be specified for an update';
  return new ApiStatusError(422, 'Invalid', `${plural}.${group} "${name}" is invalid: metadata.resourceVersion: ${message}`, {
    name,
    group,
    kind: plural,
    causes: [{ reason: 'FieldValueInvalid', message, field: 'metadata.resourceVersion' }],
  });
}
