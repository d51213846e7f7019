// RBAC: permissions of a user, from Roles, ClusterRoles and their bindings.

import { isObject } from '#kube/json';
import type { KubeObject } from '../kube-object.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { AUTHENTICATED_GROUP, MASTERS_GROUP, type UserInfo } from './user.ts';

export interface AccessAttributes {
  readonly verb: string;
  /** Set for requests about resources. */
  readonly resource?: {
    readonly group: string;
    readonly plural: string;
    readonly subresource: string;
    readonly namespace: string | null;
    readonly name: string | null;
  };
  /** Set for all other requests. */
  readonly path?: string;
}

export interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export type AccessDecision = { readonly allowed: true; readonly reason: string } | { readonly allowed: false };

const RBAC = 'rbac.authorization.k8s.io';

/** Permissions of every authenticated user: discovery and self reviews (the roles system:discovery and system:basic-user). */
const ALL_USERS: readonly PolicyRule[] = [
  {
    verbs: ['get'],
    nonResourceURLs: [
      '/api',
      '/api/*',
      '/apis',
      '/apis/*',
      '/openapi',
      '/openapi/*',
      '/version',
      '/healthz',
      '/livez',
      '/readyz',
      '/evenkeel/*',
    ],
  },
  { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'] },
  { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
];

export class Authorizer {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  decide(user: UserInfo, attributes: AccessAttributes): AccessDecision {
    if (user.groups.includes(MASTERS_GROUP)) return { allowed: true, reason: '' };
    const namespace = attributes.resource?.namespace ?? null;
    for (const { rule, why } of this.#rules(user, namespace)) if (isAllowedByRule(rule, attributes)) return { allowed: true, reason: why };
    return { allowed: false };
  }

  /** All rules for a user in a namespace. */
  rulesFor(user: UserInfo, namespace: string): readonly PolicyRule[] {
    if (user.groups.includes(MASTERS_GROUP))
      return [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ];
    return [...this.#rules(user, namespace)].map(({ rule }) => rule);
  }

  *#rules(user: UserInfo, namespace: string | null): Iterable<{ readonly rule: PolicyRule; readonly why: string }> {
    if (user.groups.includes(AUTHENTICATED_GROUP)) for (const rule of ALL_USERS) yield { rule, why: 'every authenticated user may' };
    for (const binding of this.#store.table(`clusterrolebindings.${RBAC}`).list()) yield* this.#bound(user, binding, null);
    if (namespace === null) return;
    for (const binding of this.#store.table(`rolebindings.${RBAC}`).list(namespace)) yield* this.#bound(user, binding, namespace);
  }

  *#bound(user: UserInfo, binding: KubeObject, namespace: string | null): Iterable<{ readonly rule: PolicyRule; readonly why: string }> {
    const subject = records(binding['subjects']).find((each) => isSubject(user, each, namespace));
    if (subject === undefined) return;
    const reference = isObject(binding['roleRef']) ? binding['roleRef'] : {};
    const kind = String(reference['kind']);
    const name = String(reference['name']);
    const role =
      kind === 'Role' ? this.#store.table(`roles.${RBAC}`).get(namespace, name) : this.#store.table(`clusterroles.${RBAC}`).get(null, name);
    const bindingName = namespace === null ? binding.metadata.name : `${binding.metadata.name}/${namespace}`;
    const who =
      subject['kind'] === 'ServiceAccount' ? `${String(subject['name'])}/${String(subject['namespace'])}` : String(subject['name']);
    const why = `RBAC: allowed by ${binding.kind} "${bindingName}" of ${kind} "${name}" to ${String(subject['kind'])} "${who}"`;
    for (const rule of role === undefined ? [] : this.#rulesOf(role)) yield { rule, why };
  }

  /** The rules of an aggregated ClusterRole are those of the roles that its selectors match. */
  #rulesOf(role: KubeObject): readonly PolicyRule[] {
    const aggregation = isObject(role['aggregationRule']) ? role['aggregationRule'] : undefined;
    const own = records(role['rules']) as readonly PolicyRule[];
    if (aggregation === undefined) return own;
    const wanted = records(aggregation['clusterRoleSelectors']).map((selector) => selector['matchLabels']);
    const others = this.#store
      .table(`clusterroles.${RBAC}`)
      .list()
      .filter((other) => wanted.some((labels) => hasLabels(other, labels)));
    return [...own, ...others.flatMap((other) => records(other['rules']) as readonly PolicyRule[])];
  }
}

function hasLabels(object: KubeObject, labels: unknown): boolean {
  return isObject(labels) && Object.entries(labels).every(([key, value]) => object.metadata.labels?.[key] === value);
}

function records(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isSubject(user: UserInfo, subject: Record<string, unknown>, namespace: string | null): boolean {
  const name = String(subject['name']);
  switch (subject['kind']) {
    case 'User':
      return user.username === name;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount':
      return (
        user.username ===
        `system:serviceaccount:${typeof subject['namespace'] === 'string' ? subject['namespace'] : (namespace ?? '')}:${name}`
      );
    default:
      return false;
  }
}

/** Whether one rule allows the request. */
function isAllowedByRule(rule: PolicyRule, { verb, resource, path }: AccessAttributes): boolean {
  if (!isListed(rule.verbs, verb)) return false;
  if (path !== undefined) return (rule.nonResourceURLs ?? []).some((pattern) => isUrlMatch(pattern, path));
  if (resource === undefined || !isListed(rule.apiGroups, resource.group)) return false;
  const { plural, subresource, name } = resource;
  const asked = subresource === '' ? plural : `${plural}/${subresource}`;
  const named = (rule.resources ?? []).some(
    (entry) => entry === '*' || entry === asked || (subresource !== '' && entry === `*/${subresource}`),
  );
  const names = rule.resourceNames ?? [];
  return named && (names.length === 0 || (name !== null && names.includes(name)));
}

function isListed(values: readonly string[] | undefined, value: string): boolean {
  return values?.some((entry) => entry === '*' || entry === value) ?? false;
}

function isUrlMatch(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1));
}
