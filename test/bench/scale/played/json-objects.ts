// Objects that the controller or a user writes: Evenkeel's custom resources, Leases, Secrets, ConfigMaps and CRDs.

import { POLICY_KINDS } from '../../../../src/core/policies/policy-kinds.ts';
import { type JsonBody, JsonObject } from './json-object.ts';
import { timestamp } from './cluster.ts';
import type { RequestPath } from './request-path.ts';
import { ResourceStore, type StoredObject, type Versions } from './resource-store.ts';
import { uidOf } from './cluster-plan.ts';

export interface JsonWrite {
  readonly method: string;
  readonly path: RequestPath;
  readonly manager: string;
  readonly contentType: string;
  readonly body: JsonBody;
  readonly isDryRun: boolean;
}

type Written = { readonly kind: 'done'; readonly body: JsonBody } | { readonly kind: 'conflict' | 'missing' | 'unsupported' };

const OWN = 'evenkeel.io/v1alpha1';
const BUILT_IN = [
  ['namespaces', 'Namespace', 'v1'],
  ['configmaps', 'ConfigMap', 'v1'],
  ['secrets', 'Secret', 'v1'],
  ['limitranges', 'LimitRange', 'v1'],
  ['resourcequotas', 'ResourceQuota', 'v1'],
  ['leases.coordination.k8s.io', 'Lease', 'coordination.k8s.io/v1'],
  ['jobs.batch', 'Job', 'batch/v1'],
  ['cronjobs.batch', 'CronJob', 'batch/v1'],
  ['controllerrevisions.apps', 'ControllerRevision', 'apps/v1'],
  ['horizontalpodautoscalers.autoscaling', 'HorizontalPodAutoscaler', 'autoscaling/v2'],
  ['poddisruptionbudgets.policy', 'PodDisruptionBudget', 'policy/v1'],
  ['customresourcedefinitions.apiextensions.k8s.io', 'CustomResourceDefinition', 'apiextensions.k8s.io/v1'],
  ['mutatingwebhookconfigurations.admissionregistration.k8s.io', 'MutatingWebhookConfiguration', 'admissionregistration.k8s.io/v1'],
  ['recommendations.evenkeel.io', 'Recommendation', OWN],
  ['rebalanceruns.evenkeel.io', 'RebalanceRun', OWN],
  ['accesspolicies.evenkeel.io', 'AccessPolicy', OWN],
] as const;

const ESTABLISHED = { conditions: [{ type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: '' }] };

export class JsonObjects {
  readonly stores: ReadonlyMap<string, ResourceStore>;
  #created = 0;

  constructor(versions: Versions, namespaces: readonly string[]) {
    const policies = POLICY_KINDS.map(({ plural, kind }) => [`${plural}.evenkeel.io`, kind, OWN] as const);
    const kinds = [...BUILT_IN, ...policies];
    this.stores = new Map(kinds.map(([resource, kind, apiVersion]) => [resource, new ResourceStore(kind, apiVersion, versions)]));
    for (const name of namespaces) {
      this.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, status: { phase: 'Active' } });
    }
  }

  /** Creates an object as a user. @throws Error for a resource that is not served */
  create(resource: string, body: JsonBody): void {
    const { name, namespace = null } = body['metadata'] as { readonly name: string; readonly namespace?: string };
    const path: RequestPath = { resource, namespace, name: null, subresource: null };
    const written = this.write({ method: 'POST', path, manager: 'bench', contentType: 'application/json', body, isDryRun: false });
    if (written.kind !== 'done') throw new Error(`creating ${resource} ${name}: ${written.kind}`);
  }

  write({ method, path, manager, contentType, body, isDryRun }: JsonWrite): Written {
    const store = this.stores.get(path.resource);
    if (store === undefined) return { kind: 'unsupported' };
    const name = path.name ?? (body['metadata'] as { readonly name?: string } | undefined)?.name ?? '';
    const key = path.namespace === null ? name : `${path.namespace}/${name}`;
    const found = asJson(store.find(key));
    if (method === 'POST' && found !== undefined) return { kind: 'conflict' };
    const isApply = contentType === 'application/apply-patch+yaml';
    if (found === undefined && method !== 'POST' && !(isApply && path.subresource === null)) return { kind: 'missing' };
    if (found !== undefined && !isCurrent(body, found)) return { kind: 'conflict' };
    if (isDryRun) return { kind: 'done', body: found?.body() ?? body };
    if (method === 'DELETE' && found !== undefined) {
      store.remove(found);
      return { kind: 'done', body: found.body() };
    }
    const object = found ?? this.#newObject(key);
    const content = withStatus(path.resource, withoutServerFields(body));
    const changed = change(object, method, contentType, path.subresource === null ? manager : `${manager}/${path.subresource}`, content);
    if (changed === null) return { kind: 'unsupported' };
    if (changed || found === undefined) store.save(object);
    return { kind: 'done', body: object.body() };
  }

  #newObject(key: string): JsonObject {
    this.#created += 1;
    return new JsonObject(key, { uid: uidOf('f', this.#created), createdAt: timestamp() });
  }
}

function asJson(object: StoredObject | undefined): JsonObject | undefined {
  return object instanceof JsonObject ? object : undefined;
}

/** Whether the object changed; null for an unsupported kind of write. */
function change(object: JsonObject, method: string, contentType: string, manager: string, body: JsonBody): boolean | null {
  if (method === 'POST' || method === 'PUT') return object.replace(body);
  if (contentType === 'application/apply-patch+yaml') return object.apply(manager, body);
  return contentType === 'application/merge-patch+json' ? object.merge(body) : null;
}

/** A resourceVersion in the body is a precondition. */
function isCurrent(body: JsonBody, { version }: JsonObject): boolean {
  const { resourceVersion } = (body['metadata'] ?? {}) as { readonly resourceVersion?: string };
  return resourceVersion === undefined || resourceVersion === String(version);
}

function withoutServerFields(body: JsonBody): JsonBody {
  const { resourceVersion: _version, uid: _uid, ...metadata } = (body['metadata'] ?? {}) as Record<string, unknown>;
  return { ...body, metadata };
}

/** A CRD is established at once. */
function withStatus(resource: string, body: JsonBody): JsonBody {
  return resource.startsWith('customresourcedefinitions.') ? { ...body, status: ESTABLISHED } : body;
}
