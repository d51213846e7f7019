// Requests about the objects of one namespace, each a plain HTTP request.

import { expect } from '@jest/globals';
import { succeeded, type CaseContext, type ContractCase } from './contract-case.ts';
import type { Json, PATCH, RawClient, RawRequest, RawResponse } from './raw-client.ts';

type Query = NonNullable<RawRequest['query']>;

/** Served versions of groups other than `v1`. */
const VERSIONS: Readonly<Record<string, string>> = { autoscaling: 'v2' };

/** Cluster-scoped kinds. */
const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  'clusterroles.rbac.authorization.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'namespaces',
  'nodes',
  'persistentvolumes',
  'priorityclasses.scheduling.k8s.io',
  'storageclasses.storage.k8s.io',
]);

/** Short forms of the requests, with the paths of one namespace. */
export class NamespaceClient {
  readonly namespace: string;
  readonly client: RawClient;

  constructor(client: RawClient, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  /** `deployments.apps` → `/apis/apps/v1/namespaces/NAMESPACE/deployments`, then name and subresource where given. */
  path(resource: string, name = '', subresource = ''): string {
    const [plural = '', ...rest] = resource.split('.');
    const group = rest.join('.');
    const root = group === '' ? '/api/v1' : `/apis/${group}/${VERSIONS[group] ?? 'v1'}`;
    const collection = CLUSTER_SCOPED.has(resource) ? `${root}/${plural}` : `${root}/namespaces/${this.namespace}/${plural}`;
    return [collection, name, subresource].filter((part) => part !== '').join('/');
  }

  create(resource: string, object: Json, query: Query = {}): Promise<RawResponse> {
    return this.client.post(this.path(resource), object, { query });
  }

  /** Creates a fixture of a case. */
  async made(resource: string, object: Json, query: Query = {}): Promise<Json> {
    const answer = await this.create(resource, object, query);
    succeeded(answer, `creating ${resource}`);
    return answer.body;
  }

  read(resource: string, name: string, subresource = ''): Promise<RawResponse> {
    return this.client.get(this.path(resource, name, subresource));
  }

  /** Reads an existing object; throws when it does not exist. */
  async stored(resource: string, name: string, subresource = ''): Promise<Json> {
    const answer = await this.read(resource, name, subresource);
    succeeded(answer, `reading ${resource} ${name}`);
    return answer.body;
  }

  replace(resource: string, object: Json, subresource = '', query: Query = {}): Promise<RawResponse> {
    return this.client.put(this.path(resource, object.metadata.name, subresource), object, { query });
  }

  patch(
    type: keyof typeof PATCH,
    resource: string,
    name: string,
    body: unknown,
    subresource = '',
    query: Query = {},
  ): Promise<RawResponse> {
    return this.client.patch(this.path(resource, name, subresource), type, body, { query });
  }

  /** A patch that prepares a case; throws when it fails. */
  async patched(type: keyof typeof PATCH, resource: string, name: string, body: unknown, subresource = ''): Promise<Json> {
    const answer = await this.patch(type, resource, name, body, subresource);
    succeeded(answer, `patching ${resource} ${name}`);
    return answer.body;
  }

  /** Server-side apply. */
  apply(resource: string, object: Json, fieldManager: string, query: Query = {}, subresource = ''): Promise<RawResponse> {
    return this.patch('apply', resource, object.metadata.name, object, subresource, { fieldManager, ...query });
  }

  /** An apply that prepares a case; throws when it fails. */
  async applied(resource: string, object: Json, fieldManager: string, query: Query = {}, subresource = ''): Promise<Json> {
    const answer = await this.apply(resource, object, fieldManager, query, subresource);
    succeeded(answer, `applying ${resource}`);
    return answer.body;
  }

  /** POST to a subresource. */
  act(resource: string, name: string, subresource: string, body: Json, query: Query = {}): Promise<RawResponse> {
    return this.client.post(this.path(resource, name, subresource), body, { query });
  }

  remove(resource: string, name: string, options?: Json, query: Query = {}): Promise<RawResponse> {
    return this.client.delete(this.path(resource, name), { body: options, query });
  }
}

type NamespaceRule = (api: NamespaceClient, given: CaseContext) => Promise<void>;

/** Rules that need a namespace only. */
export function inNamespace(rules: Readonly<Record<string, NamespaceRule>>): Record<string, ContractCase['run']> {
  return mapped(rules, (given) => given.namespace());
}

/** Rules that need a namespace in which pods can be created. */
export function inNamespaceForPods(rules: Readonly<Record<string, NamespaceRule>>): Record<string, ContractCase['run']> {
  return mapped(rules, (given) => given.namespaceForPods());
}

function mapped(
  rules: Readonly<Record<string, NamespaceRule>>,
  namespaceOf: (given: CaseContext) => Promise<string>,
): Record<string, ContractCase['run']> {
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [
      name,
      async (given: CaseContext) => rule(new NamespaceClient(given.client, await namespaceOf(given)), given),
    ]),
  );
}

/** Reason, field and message of an error. */
export type Cause = readonly [reason: string, field: string, message: string | RegExp];

/**
 * Expects a 422 with exactly these causes, in this order, and a message made of them. A real server validates metadata in several places
 * and repeats the cause in `details` for each, so repetitions are ignored. @param kind kind with its group, as in messages:
 * `Deployment.apps`
 */
export function expectInvalid({ status, body }: RawResponse, kind: string, name: string, causes: readonly Cause[]): void {
  const [kindAlone = '', ...group] = kind.split('.');
  const listedCauses = (body?.details?.causes ?? []) as { reason: string; field: string; message: string }[];
  const found = [...new Map(listedCauses.map((cause) => [JSON.stringify(cause), cause])).values()];
  expect(found.map((cause) => [cause.reason, cause.field, cause.message])).toEqual(
    causes.map(([reason, field, message]) => [reason, field, typeof message === 'string' ? message : expect.stringMatching(message)]),
  );
  const messages = found.map((cause) => `${cause.field}: ${cause.message}`);
  expect([status, body]).toEqual([
    422,
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'Invalid',
      code: 422,
      message: `${kind} "${name}" is invalid: ${messages.length === 1 ? messages.join() : `[${messages.join(', ')}]`}`,
      details: {
        ...(name === '' ? {} : { name }),
        ...(group.length === 0 ? {} : { group: group.join('.') }),
        ...(kindAlone === '' ? {} : { kind: kindAlone }),
        causes: expect.anything(),
      },
    },
  ]);
}

/** Expects this `Status` with its details. Some errors have no reason. */
export function expectStatus(
  { status, body }: RawResponse,
  code: number,
  reason: string | undefined,
  message: string | RegExp,
  details?: Readonly<Record<string, unknown>>,
): void {
  expect([status, body]).toEqual([
    code,
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      ...(reason === undefined ? {} : { reason }),
      code,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      ...(details === undefined ? {} : { details }),
    },
  ]);
}
