// The embedded Kubernetes API server: a function from a call to a response. Transports call `handle`.

import type { Activity, Clock, MachineTimer } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Random } from '../ports/random.ts';
import { tableFor } from '../printing/tables.ts';
import { SchemaRegistry } from '../schema/schema-registry.ts';
import type { Answer } from './answer.ts';
import { json, refusal, text } from './answer.ts';
import type { ApiCall } from './requests/api-call.ts';
import { ApiStatusError, badRequest, forbidden, notFound } from './api-error.ts';
import { Authenticator } from './access/authentication.ts';
import { Authorizer, type AccessAttributes } from './access/authorization.ts';
import { ChangeDispatcher } from './watch/change-dispatcher.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { CustomResources, DEFINITIONS } from './resources/custom-resources.ts';
import { EventExpiry } from './event-expiry.ts';
import type { KubeObject } from './kube-object.ts';
import { metricsAnswer } from './requests/metrics-resources.ts';
import { namespaceStrategy } from './verbs/namespace-strategy.ts';
import { NonResourceHandler } from './requests/non-resource-handler.ts';
import { ObjectDeleter } from './verbs/object-deleter.ts';
import { ObjectPatcher } from './verbs/object-patcher.ts';
import { ObjectStore } from './store/object-store.ts';
import { ObjectWriter } from './verbs/object-writer.ts';
import { OpenApiDocuments } from './requests/openapi-documents.ts';
import { podLog } from './requests/pod-logs.ts';
import type { ApiProviders } from './providers.ts';
import { RegistrySchemaWork } from './resources/registry-schema-work.ts';
import { resourceTarget, verbOf, type ResourceTarget } from './requests/request-target.ts';
import { ResourceHandler } from './requests/resource-handler.ts';
import { answerReview, reviews } from './access/reviews.ts';
import { ServedResources, type ServedResource } from './resources/served-resources.ts';
import { issueToken } from './access/service-account-token.ts';
import { isTrue } from './requests/write-options.ts';
import { StoreAccess, type StoreAccessDependencies } from './store-access.ts';
import type { ResourceStrategy, SubresourceAction } from './strategy.ts';
import { methodNotAllowed, needsProcess, Subresources } from './verbs/subresources.ts';
import { SYSTEM_OBJECTS } from './system-objects.ts';
import { AUTHENTICATED_GROUP, serviceAccountUser, type UserInfo } from './access/user.ts';
import { WatchTimers } from './watch/watch-timers.ts';
import { subjectOf } from './verbs/write-request.ts';

export interface EmbeddedApiServerOptions {
  readonly clock: Clock;
  readonly activity: Activity;
  readonly machine: MachineTimer;
  /** Seeded: names and uids come from it. */
  readonly random: Random;
  readonly logger: Logger;
  /** By resource id. */
  readonly strategies: ReadonlyMap<string, ResourceStrategy>;
  /** By `pods/eviction`. */
  readonly actions: ReadonlyMap<string, SubresourceAction>;
  readonly providers: ApiProviders;
  /** Of the clock, for `/evenkeel/clock`. */
  readonly speed: () => number | 'max';
}

/** User of the server's own writes. */
const SELF = 'system:apiserver';

export class EmbeddedApiServer {
  readonly authenticator: Authenticator;
  /** Everything that is served, built-in and custom. */
  readonly resources = new ServedResources();
  readonly store = new ObjectStore();
  readonly schemas = new SchemaRegistry();
  readonly activity: Activity;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #accessDependencies: StoreAccessDependencies;
  readonly #handler: ResourceHandler;
  readonly #nonResources: NonResourceHandler;
  readonly #authorizer: Authorizer;
  readonly #reviews: ReturnType<typeof reviews>;
  readonly #watchTimers: WatchTimers;
  readonly #eventExpiry: EventExpiry;
  readonly #customResources: CustomResources;
  #providers: ApiProviders;

  constructor(options: EmbeddedApiServerOptions) {
    const { clock, activity, machine, logger } = options;
    const { store, resources } = this;
    this.activity = activity;
    this.#clock = clock;
    this.#logger = logger;
    this.#providers = options.providers;
    this.authenticator = new Authenticator(clock, machine, (namespace, name) => store.table('serviceaccounts').get(namespace, name));
    this.#authorizer = new Authorizer(store);
    this.#reviews = reviews(this.authenticator, this.#authorizer);
    this.#watchTimers = new WatchTimers(clock, machine);
    this.#eventExpiry = new EventExpiry(store, clock);

    const schemas = new RegistrySchemaWork(this.schemas);
    const reads = (): ClusterAccess => own;
    this.#customResources = new CustomResources({ store, resources, schemas: this.schemas, work: schemas, access: reads });
    const strategies = new Map([['namespaces', namespaceStrategy], ...options.strategies, [DEFINITIONS, this.#customResources.strategy]]);
    const writer = new ObjectWriter({ store, schemas, strategies, clock, random: options.random, reads });
    const deleter = new ObjectDeleter(store, clock);
    const subresources = new Subresources({ store, writer, clock, actions: options.actions, accessFor: (user) => this.accessAs(user) });
    const dispatcher = new ChangeDispatcher(activity, logger);
    this.#accessDependencies = { resources, store, writer, deleter, subresources, dispatcher };
    const own = this.accessAs(SELF);
    const patcher = new ObjectPatcher({ store, writer, schemas, clock });
    this.#handler = new ResourceHandler({
      store,
      writer,
      deleter,
      patcher,
      subresources,
      tables: (descriptor, objects, now, includeObject) =>
        tableFor(descriptor, this.#customResources.columnsOf(descriptor), objects, now, includeObject),
      clock,
      watchTimers: this.#watchTimers,
      authorizer: this.#authorizer,
    });
    const startedAt = clock.now();
    this.#nonResources = new NonResourceHandler({
      resources,
      openApi: new OpenApiDocuments(resources, this.schemas),
      clock,
      clockState: () => ({ speed: options.speed(), startedAt }),
    });
    this.#customResources.start();
    for (const [resource, object] of SYSTEM_OBJECTS) own.create(resource, object);
  }

  /** Replaces the providers, because the node simulation is created after the server. */
  useProviders(providers: ApiProviders): void {
    this.#providers = providers;
  }

  /** Access to the cluster for a component with this user name. As field manager the name has no `system:` prefix. */
  accessAs(user: string): ClusterAccess {
    return new StoreAccess(this.#accessDependencies, user);
  }

  /** User of a network request, from its Authorization and impersonation headers; undefined for an unknown user. */
  authenticate(authorization: string | undefined, impersonated: Impersonation): UserInfo | undefined {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    const user = token === undefined ? undefined : this.authenticator.authenticate(token);
    if (user === undefined || impersonated.user === undefined) return user;
    const resource = { group: '', plural: 'users', subresource: '', namespace: null, name: impersonated.user };
    const attributes = { verb: 'impersonate', resource };
    if (!this.#authorizer.decide(user, attributes).allowed) throw accessDenied(user.username, attributes);
    return impersonatedUser(impersonated.user, impersonated.groups);
  }

  /** Permissions of a token's user, which kubelets review for their callers. `unknown`: the token belongs to no user. */
  reviewToken(token: string, attributes: AccessAttributes): 'allowed' | 'denied' | 'unknown' {
    const user = this.authenticator.authenticate(token);
    if (user === undefined) return 'unknown';
    return this.#authorizer.decide(user, attributes).allowed ? 'allowed' : 'denied';
  }

  /** Never throws: an error is a response, and so is a fault (500, logged). */
  handle(call: ApiCall): Answer {
    try {
      return this.#route(call);
    } catch (error) {
      if (!(error instanceof ApiStatusError))
        this.#logger.error('Handling a request failed', { method: call.method, path: call.path, err: error });
      return refusal(error);
    }
  }

  /** Stops its timers; stored objects stay readable. */
  close(): void {
    this.#watchTimers.stop();
    this.#eventExpiry.stop();
    this.#customResources.stop();
  }

  #route(call: ApiCall): Answer {
    const target = targetOf(call.path);
    if (target === null) return this.#nonResource(call);
    const verb = verbOf(call.method, target, isTrue(call.query['watch']));
    this.#authorize(call, { verb, resource: asSelected(target, call) });
    const resource = this.resources.find(target.group, target.version, target.plural);
    if (resource === undefined) throw unknownPath();
    const { descriptor } = resource;
    if (!isPlace(target, descriptor.namespaced)) throw unknownPath();
    if (target.subresource !== '' && !descriptor.subresources.includes(target.subresource))
      throw needsProcess(`${resource.id}/${target.subresource}`) ?? unknownPath();
    if (target.subresource === '' && !(descriptor.verbs.includes(verb) && isVerbSupported(target, descriptor.namespaced, verb)))
      throw methodNotAllowed();
    return this.#special(resource, target, call) ?? this.#handler.handle(resource, target, verb, call);
  }

  /** Resources and subresources that are not stored, or not only. */
  #special(resource: ServedResource, target: ResourceTarget, call: ApiCall): Answer | undefined {
    const review = this.#reviews.get(resource.id);
    if (review !== undefined) {
      const context = { namespace: target.namespace, now: this.#clock.now() };
      return json(201, answerReview(resource, review, call.body, call.user, context));
    }
    if (resource.descriptor.group === 'metrics.k8s.io') return metricsAnswer(this.#providers.metrics, resource, target, call);
    switch (`${resource.id}/${target.subresource}`) {
      case 'pods/log':
        return podLog(this.#providers.logs, this.#existing(resource, target), call.query, this.#clock);
      case 'nodes/proxy':
        return this.#nodeProxy(target, call);
      case 'serviceaccounts/token':
        return json(201, issueToken(this.authenticator, this.#existing(resource, target), call.body));
      default:
        return undefined;
    }
  }

  #existing(resource: ServedResource, target: ResourceTarget): KubeObject {
    const stored = this.store.table(resource.storageId).get(target.namespace, target.name ?? '');
    if (stored === undefined) throw notFound(subjectOf(resource, target.name ?? ''));
    return stored;
  }

  #nodeProxy(target: ResourceTarget, call: ApiCall): Answer {
    if (call.method !== 'GET') throw methodNotAllowed();
    // `n1`, `n1:10250`, `https:n1:10250`: the port is irrelevant here.
    const parts = (target.name ?? '').split(':');
    const name = (parts.length > 2 ? parts[1] : parts[0]) ?? '';
    if (this.store.table('nodes').get(null, name) === undefined) throw notFound({ group: '', kind: 'Node', plural: 'nodes', name });
    const query = Object.fromEntries(Object.entries(call.query).filter((entry): entry is [string, string] => entry[1] !== undefined));
    const answer = this.#providers.kubelets?.get(name, target.rest === '' ? '/' : target.rest, query);
    if (answer === undefined)
      throw new ApiStatusError(503, 'ServiceUnavailable', `error trying to reach service: the kubelet of node ${name} does not respond`);
    // A JSON body is passed as a value, like every response: as text it would be encoded twice.
    if (answer.contentType.startsWith('application/json')) return json(answer.status, JSON.parse(answer.body));
    return text(answer.status, answer.body, answer.contentType);
  }

  #nonResource(call: ApiCall): Answer {
    this.#authorize(call, { verb: call.method.toLowerCase(), path: call.path });
    if (call.method !== 'GET') throw methodNotAllowed();
    const answer = this.#nonResources.handle(call);
    if (answer === undefined) throw unknownPath();
    return answer;
  }

  #authorize(call: ApiCall, attributes: AccessAttributes): void {
    if (!this.#authorizer.decide(call.user, attributes).allowed) throw accessDenied(call.user.username, attributes);
  }
}

/** `--as` and `--as-group` of kubectl. */
export interface Impersonation {
  readonly user: string | undefined;
  readonly groups: readonly string[];
}

function impersonatedUser(username: string, groups: readonly string[]): UserInfo {
  const [prefix, kind, namespace = '', name] = username.split(':');
  if (prefix === 'system' && kind === 'serviceaccount' && name !== undefined) return serviceAccountUser(namespace, name, '');
  return { username, groups: [...new Set([...groups, AUTHENTICATED_GROUP])] };
}

/** Objects of a namespaced kind have a namespace, all others have none. */
function isPlace({ name, namespace }: ResourceTarget, namespaced: boolean): boolean {
  return namespaced ? namespace !== null || name === null : namespace === null;
}

/** Collections support reads and creates, objects support replace and patch; across all namespaces only reads are possible. */
function isVerbSupported({ name, namespace }: ResourceTarget, namespaced: boolean, verb: string): boolean {
  if (name !== null) return true;
  if (verb === 'update' || verb === 'patch') return false;
  return !namespaced || namespace !== null || verb === 'list' || verb === 'watch';
}

/** A list or watch of one object by its field selector counts as access to that object, so that rules with `resourceNames` apply. */
function asSelected(target: ResourceTarget, { query }: ApiCall): ResourceTarget {
  const name = target.name ?? /^metadata\.name==?([^,]+)$/.exec(query['fieldSelector'] ?? '')?.[1] ?? null;
  return { ...target, name };
}

function targetOf(path: string): ResourceTarget | null {
  try {
    return resourceTarget(path);
  } catch {
    throw badRequest(`the path ${JSON.stringify(path)} is not encoded as a URL`);
  }
}

function unknownPath(): ApiStatusError {
  // With empty details: from the missing name kubectl concludes that the path is unknown, not an object.
  return new ApiStatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

function accessDenied(user: string, { verb, resource, path }: AccessAttributes): ApiStatusError {
  if (resource === undefined)
    return new ApiStatusError(403, 'Forbidden', `forbidden: User ${JSON.stringify(user)} cannot ${verb} path ${JSON.stringify(path)}`);
  const { group, plural, subresource, namespace, name } = resource;
  const what = subresource === '' ? plural : `${plural}/${subresource}`;
  const where = namespace === null ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const subject = { group, kind: plural, plural, name: name ?? '' };
  const refused = forbidden(
    subject,
    `User ${JSON.stringify(user)} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`,
  );
  // Without a name the server does not write empty quotes.
  const message = name === null ? refused.message.replace(' "" is forbidden', ' is forbidden') : refused.message;
  return new ApiStatusError(403, 'Forbidden', message, refused.details);
}
