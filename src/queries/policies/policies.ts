import type { Operations, Policy, PolicyOverride as PolicyOverrideItem, Warning } from '../../apis/http/types.generated.ts';
import type { ObjectMeta } from '../../apis/v1alpha1/index.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Scope } from '../../core/access/scope.ts';
import { instantOf, isoTimeOrNull } from '#kube/time/iso-time';
import { effectiveValues } from '../../core/policies/effective-values.ts';
import {
  NO_POLICY_OVERRIDES,
  readPolicyOverrides,
  valueOfField,
  type PolicyOverride,
  type PolicyOverrides,
} from '../../core/policies/policy-overrides.ts';
import { type OverridableKind, POLICY_KINDS, type PolicyKindRegistration } from '../../core/policies/policy-kinds.ts';
import { selectPage, type Listing } from '../listing.ts';
import { found, type Found, type Page } from '../outcome.ts';
import type { ReadSources } from '../sources.ts';
import { ADMIN } from '../../core/access/requirement.ts';
import { defineQuery } from '../query.ts';

const LISTING: Listing<Policy> = {
  id: (policy) => `${policy.kind}/${policy.namespace ?? ''}/${policy.name}`,
  // Only admins may list policies, and most of them have no namespace.
  namespaceOf: null,
  namesOf: (policy) => [policy.name, policy.namespace],
  defaultSort: 'kind',
  filters: ['kind'],
};

const OVERRIDES: Listing<PolicyOverrideItem> = {
  id: (override) => `${override.kind}/${override.name}/${override.field}`,
  namespaceOf: null,
  namesOf: (override) => [override.name, override.field],
  defaultSort: 'kind',
  filters: ['kind'],
};

/** A policy by its kind or plural (case-insensitive) and name. */
interface PolicyTarget {
  readonly kind: string;
  readonly name: string;
  /** Only for namespaced kinds. */
  readonly namespace?: string | undefined;
}

interface WireObject {
  readonly metadata: ObjectMeta;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** `/policies`: all policies with the values in force. `/policy-overrides`: users' temporary overrides of policies. */
export class PolicyQueries {
  readonly #sources: ReadSources;
  readonly #kinds: readonly PolicyKindRegistration[];

  constructor(sources: ReadSources, kinds: readonly PolicyKindRegistration[] = POLICY_KINDS) {
    this.#sources = sources;
    this.#kinds = kinds;
  }

  list(scope: Scope, query: Operations['listPolicies']['query']): Page<Policy> | Refusal {
    const { namespace: namespaces, ...others } = query;
    const all = this.#kinds.flatMap(({ kind, plural }) =>
      [...this.#objectsOf(plural)].map((object) => this.record(kind as Policy['kind'], object)),
    );
    const inNamespaces =
      namespaces === undefined ? all : all.filter((policy) => policy.namespace !== null && namespaces.includes(policy.namespace));
    return selectPage(inNamespaces, LISTING, others, scope);
  }

  get({ kind: text, name, namespace }: PolicyTarget): Found<Policy> | Refusal {
    const requested = text.toLowerCase();
    const registration = this.#kinds.find((candidate) => candidate.kind.toLowerCase() === requested || candidate.plural === requested);
    if (registration === undefined) {
      return invalid('/kind', `must be one of ${this.#kinds.map((candidate) => candidate.kind).join(', ')}, or a plural of them`);
    }
    const kind = registration.kind as Policy['kind'];
    if (registration.namespaced && namespace === undefined) return invalid('/namespace', `is required: a ${kind} is namespaced`);
    if (!registration.namespaced && namespace !== undefined) return invalid('/namespace', `is not accepted: a ${kind} is cluster-scoped`);
    for (const object of this.#objectsOf(registration.plural)) {
      if (object.metadata.name === name && object.metadata.namespace === namespace) return found(this.record(kind, object));
    }
    return { kind: 'not-found', message: `There is no ${kind} ${namespace === undefined ? name : `${namespace}/${name}`}.` };
  }

  overrides(scope: Scope, query: Operations['listPolicyOverrides']['query']): Page<PolicyOverrideItem> | Refusal {
    const items: PolicyOverrideItem[] = [];
    const warnings: Warning[] = [];
    for (const { kind, plural } of this.#kinds.filter(isOverridable)) {
      for (const { metadata, spec } of this.#objectsOf(plural)) {
        const { inForce, problems } = this.#overridesOf(kind, metadata);
        items.push(...inForce.map((override) => overrideRecord(kind, metadata.name, spec, override)));
        warnings.push(...problems.map((problem) => ({ code: 'invalid_override', message: `${kind} ${metadata.name}: ${problem}` })));
      }
    }
    const page = selectPage(items, OVERRIDES, query, scope);
    return page.kind === 'page' && warnings.length > 0 ? { ...page, warnings } : page;
  }

  /** The record of one policy. */
  record(kind: Policy['kind'], object: WireObject): Policy {
    const { metadata, spec, status } = object;
    const { inForce } = this.#overridesOf(kind, metadata);
    return {
      kind,
      namespace: metadata.namespace ?? null,
      name: metadata.name,
      createdAt: isoTimeOrNull(instantOf(metadata.creationTimestamp)),
      generation: metadata.generation ?? null,
      spec,
      status: status ?? null,
      effective: effectiveValues(spec, inForce, this.#sources.policyDefaults.defaultsOf(kind)),
    };
  }

  #overridesOf(kind: Policy['kind'], metadata: ObjectMeta): PolicyOverrides {
    const registration = this.#kinds.find((candidate) => candidate.kind === kind);
    if (registration === undefined || !isOverridable(registration)) return NO_POLICY_OVERRIDES;
    return readPolicyOverrides(registration.kind, metadata.annotations, this.#sources.clock.now());
  }

  *#objectsOf(plural: string): Generator<WireObject> {
    for (const object of this.#sources.cluster.ownObjects(plural)) yield object as unknown as WireObject;
  }
}

function invalid(path: string, message: string): Refusal {
  return { kind: 'invalid', details: [{ path, message }] };
}

function isOverridable(registration: PolicyKindRegistration): registration is PolicyKindRegistration & { readonly kind: OverridableKind } {
  return registration.overridable;
}

function overrideRecord(kind: OverridableKind, name: string, spec: object, override: PolicyOverride): PolicyOverrideItem {
  const { field, value, by, at, expiresAt, reason } = override;
  return {
    kind,
    name,
    field,
    value,
    specValue: valueOfField(spec, field),
    setBy: by,
    setAt: isoTimeOrNull(at),
    expiresAt: isoTimeOrNull(expiresAt),
    reason,
  };
}

export const listPolicies = defineQuery({
  requires: ADMIN,
  answer: ({ policies }: { readonly policies: PolicyQueries }, scope, query: Operations['listPolicies']['query']) =>
    policies.list(scope, query),
});

export const getPolicy = defineQuery({
  requires: ADMIN,
  answer: ({ policies }: { readonly policies: PolicyQueries }, _scope, { target }: { readonly target: PolicyTarget }) =>
    policies.get(target),
});

export const listPolicyOverrides = defineQuery({
  requires: ADMIN,
  answer: ({ policies }: { readonly policies: PolicyQueries }, scope, query: Operations['listPolicyOverrides']['query']) =>
    policies.overrides(scope, query),
});
