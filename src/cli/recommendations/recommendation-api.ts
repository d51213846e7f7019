// Reads Recommendations and writes the requests of a user, as kubectl would: with the user's own permissions, through the API server.

import type { Recommendation, RecommendationSpec } from '../../apis/v1alpha1/index.ts';
import { PLURALS } from '../../apis/v1alpha1/index.ts';
import { ApiFault, failureOf } from '../../adapters/kubernetes/status.ts';
import { collectionPath, objectPath, ownResource } from '../../adapters/kubernetes/resources.ts';
import { listPages } from '../../adapters/kubernetes/watch/pages.ts';
import { asObject, objectAt, textAt } from '../../adapters/kubernetes/wire.ts';
import { findNearest } from '../../core/model/names/find-nearest.ts';
import { workloadPath } from '#kube/records/workload';
import { instantOf } from '#kube/time/iso-time';
import type { ApiTransport } from '#kube/api-transport';
import type { Instant } from '#kube/units';

const RECOMMENDATIONS = ownResource(PLURALS.Recommendation);
const FIELD_MANAGER = 'evenkeel-cli';
const SELF_REVIEW = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' } as const;

/** A workload named as `namespace/name`, and its kind where it was given. */
export interface WorkloadName {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string | null;
}

/** The user as the API server authenticates them, and the server's time: approvals expire by the clock of the cluster. */
export interface ServerView {
  readonly user: string;
  readonly now: Instant;
}

/** A workload without a Recommendation, several that share a name, or a change meanwhile; the message names the remedy. */
export class NotResolved extends Error {}

/** The merge patch of a Recommendation's spec; null removes a field. */
export type SpecChange = { readonly [Field in keyof RecommendationSpec]?: RecommendationSpec[Field] | null };

export class RecommendationApi {
  readonly #transport: ApiTransport;
  readonly #signal: AbortSignal;
  readonly #isDryRun: boolean;

  constructor(transport: ApiTransport, { signal, dryRun }: { readonly signal: AbortSignal; readonly dryRun: boolean }) {
    this.#transport = transport;
    this.#signal = signal;
    this.#isDryRun = dryRun;
  }

  /** Recommendations of one namespace, or of all (null), by namespace and name. @throws ApiFault */
  async list(namespace: string | null): Promise<readonly Recommendation[]> {
    const found: Recommendation[] = [];
    for await (const { items, restarted } of listPages(this.#transport, collectionPath(RECOMMENDATIONS, namespace), {}, this.#signal)) {
      if (restarted) found.length = 0;
      found.push(...(items as unknown as readonly Recommendation[]));
    }
    return found.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  /** The Recommendation of a workload. @throws NotResolved, ApiFault */
  async find(workload: WorkloadName): Promise<Recommendation> {
    const [found, ...others] = await this.findNamed(workload);
    if (others.length === 0) return found;
    const kinds = [found, ...others].map(({ spec }) => spec.targetRef.kind).join(', ');
    throw new NotResolved(`several workloads are called ${workload.namespace}/${workload.name}: choose one by --kind (${kinds})`);
  }

  /** The Recommendations of all workloads of a name. @throws NotResolved, ApiFault */
  async findNamed({ namespace, name, kind }: WorkloadName): Promise<readonly [Recommendation, ...Recommendation[]]> {
    const all = await this.list(namespace);
    const named = all.filter(({ spec: { targetRef } }) => targetRef.name === name && (kind === null || isSameKind(targetRef.kind, kind)));
    const [found, ...others] = named;
    if (found === undefined) {
      const ofOtherKind = all.find(({ spec: { targetRef } }) => targetRef.name === name)?.spec.targetRef.kind;
      if (ofOtherKind !== undefined) throw new NotResolved(`${namespace}/${name} is no ${kind ?? ''}, but a ${ofOtherKind}`);
      const near = all.length === 0 ? await this.#findNearNamespace(namespace, name) : findNearName(name, namespace, all);
      const remedy =
        near === null ? ': modes Observe and Off write none, and in other modes usage must be known first' : `; did you mean ${near}?`;
      throw new NotResolved(`no Recommendation for ${kind === null ? '' : `${kind} `}${namespace}/${name}${remedy}`);
    }
    return [found, ...others];
  }

  /** `namespace/name` in the namespace of the nearest name that has such a workload; null: none, or the user may not list all. */
  async #findNearNamespace(namespace: string, name: string): Promise<string | null> {
    const all = await this.list(null).catch(() => []);
    const namespaces = all.filter(({ spec }) => spec.targetRef.name === name).map(({ metadata }) => metadata.namespace ?? '');
    const near = findNearest(namespace, new Set(namespaces));
    return near === undefined ? null : `${near}/${name}`;
  }

  /** @throws ApiFault */
  async serverView(): Promise<ServerView> {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const response = await this.#transport.request({ method: 'POST', path, body: SELF_REVIEW, signal: this.#signal });
    const failure = failureOf(response);
    if (failure !== null) throw new ApiFault('asking the API server for the user', failure);
    const review = asObject(response.body, path);
    const created = instantOf(textAt(objectAt(review, 'metadata'), 'creationTimestamp'));
    const byHeader = Date.parse(response.headers['date'] ?? '');
    return {
      user: textAt(objectAt(objectAt(review, 'status'), 'userInfo'), 'username'),
      now: created ?? (Number.isNaN(byHeader) ? Date.now() : byHeader),
    };
  }

  /** Changes the spec, unless the object has changed since it was read. @throws ApiFault */
  async changeSpec({ metadata }: Recommendation, spec: SpecChange): Promise<void> {
    const { namespace = '', name, resourceVersion } = metadata;
    await this.#merge(objectPath(RECOMMENDATIONS, namespace, name), { metadata: { resourceVersion }, spec });
  }

  /** Value of an annotation of the workload; null: it is not set. @throws ApiFault */
  async annotationOf({ spec: { targetRef }, metadata }: Recommendation, annotation: string): Promise<string | null> {
    const path = workloadPath({ ...targetRef, namespace: metadata.namespace ?? '' });
    const response = await this.#transport.request({ method: 'GET', path, signal: this.#signal });
    const failure = failureOf(response);
    if (failure !== null) throw new ApiFault(`reading ${targetRef.kind} ${targetRef.name}`, failure);
    const value = objectAt(objectAt(asObject(response.body, path), 'metadata'), 'annotations')[annotation];
    return typeof value === 'string' ? value : null;
  }

  /** Sets an annotation of the workload; null removes it. @throws ApiFault */
  async annotate({ spec: { targetRef }, metadata }: Recommendation, annotation: string, value: string | null): Promise<void> {
    const path = workloadPath({ ...targetRef, namespace: metadata.namespace ?? '' });
    await this.#merge(path, { metadata: { annotations: { [annotation]: value } } });
  }

  async #merge(path: string, body: object): Promise<void> {
    const response = await this.#transport.request({
      method: 'PATCH',
      path,
      query: { fieldManager: FIELD_MANAGER, ...(this.#isDryRun ? { dryRun: 'All' } : {}) },
      headers: { 'content-type': 'application/merge-patch+json' },
      body,
      signal: this.#signal,
    });
    const failure = failureOf(response);
    if (response.status === 409) throw new NotResolved('the object has changed meanwhile: read the values again, then repeat the command');
    if (failure !== null) throw new ApiFault(`patching ${path}`, failure);
  }
}

function findNearName(name: string, namespace: string, all: readonly Recommendation[]): string | null {
  const near = findNearest(name, new Set(all.map(({ spec }) => spec.targetRef.name)));
  return near === undefined ? null : `${namespace}/${near}`;
}

/** `deployment` and `deployments` name the kind Deployment, as with kubectl. */
function isSameKind(kind: string, given: string): boolean {
  const wanted = given.toLowerCase();
  return [kind.toLowerCase(), `${kind.toLowerCase()}s`].includes(wanted);
}

function keyOf({ metadata, spec }: Recommendation): string {
  return `${metadata.namespace ?? ''}/${spec.targetRef.name}/${spec.targetRef.kind}`;
}
