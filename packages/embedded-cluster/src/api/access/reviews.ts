// Reviews: requests in the form of objects, which are answered and never stored.

import { isObject } from '#kube/json';
import { badRequest, invalid, type ApiStatusError } from '../api-error.ts';
import type { Authenticator } from './authentication.ts';
import type { AccessAttributes, Authorizer, PolicyRule } from './authorization.ts';
import type { ServedResource } from '../resources/served-resources.ts';
import { toTimestamp } from '../timestamp.ts';
import type { Instant } from '#kube/units';
import type { UserInfo } from './user.ts';

type Fields = Readonly<Record<string, unknown>>;
type Review = (spec: Fields, user: UserInfo, namespace: string | null) => Fields;

/** Answers by resource id (`subjectaccessreviews.authorization.k8s.io`): the status for a spec. */
export function reviews(authenticator: Authenticator, authorizer: Authorizer): ReadonlyMap<string, Review> {
  const access = (spec: Fields, user: UserInfo): Fields => {
    const decision = authorizer.decide(user, attributesOf(spec));
    return decision.allowed ? { allowed: true, ...(decision.reason === '' ? {} : { reason: decision.reason }) } : { allowed: false };
  };
  return new Map<string, Review>([
    ['selfsubjectaccessreviews.authorization.k8s.io', access],
    ['subjectaccessreviews.authorization.k8s.io', (spec) => access(spec, subjectOfSpec(spec))],
    ['localsubjectaccessreviews.authorization.k8s.io', (spec) => access(spec, subjectOfSpec(spec))],
    ['selfsubjectrulesreviews.authorization.k8s.io', (spec, user) => rulesStatus(authorizer.rulesFor(user, namespaceOf(spec)))],
    ['selfsubjectreviews.authentication.k8s.io', (_spec, user) => ({ userInfo: user })],
    [
      'tokenreviews.authentication.k8s.io',
      (spec) => {
        const user = authenticator.authenticate(requiredText(spec, 'token'));
        if (user === undefined) return { user: {}, error: 'invalid bearer token' };
        return { authenticated: true, user, ...(Array.isArray(spec['audiences']) ? { audiences: spec['audiences'] } : {}) };
      },
    ],
  ]);
}

/**
 * The answer to a review; that of a SelfSubjectReview has the time of the server, as Kubernetes sets it. Throws ApiStatusError 422 when the
 * review has no attributes.
 */
export function answerReview(
  { apiVersion, descriptor }: ServedResource,
  review: Review,
  body: unknown,
  user: UserInfo,
  { namespace, now }: { readonly namespace: string | null; readonly now: Instant },
): Fields {
  if (!isObject(body)) throw badRequest('the request body must be a review object');
  const spec = isObject(body['spec']) ? body['spec'] : {};
  return {
    kind: descriptor.kind,
    apiVersion,
    ...body,
    metadata: {
      ...(isObject(body['metadata']) ? body['metadata'] : {}),
      ...(descriptor.kind === 'SelfSubjectReview' ? { creationTimestamp: toTimestamp(now) } : {}),
    },
    status: review(spec, user, namespace),
  };
}

function attributesOf(spec: Fields): AccessAttributes {
  const resource = spec['resourceAttributes'];
  if (isObject(resource)) {
    const of = (field: string): string => (typeof resource[field] === 'string' ? resource[field] : '');
    const named = (field: string): string | null => (of(field) === '' ? null : of(field));
    return {
      verb: of('verb'),
      resource: {
        group: of('group'),
        plural: of('resource'),
        subresource: of('subresource'),
        namespace: named('namespace'),
        name: named('name'),
      },
    };
  }
  const nonResource = spec['nonResourceAttributes'];
  if (isObject(nonResource)) return { verb: String(nonResource['verb']), path: String(nonResource['path']) };
  const why = 'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified';
  // The real server omits the kind here too.
  const subject = { group: 'authorization.k8s.io', kind: '', plural: '', name: '' };
  throw invalid(subject, [{ field: 'spec.resourceAttributes', type: 'FieldValueInvalid', message: why }]);
}

function subjectOfSpec(spec: Fields): UserInfo {
  const groups = Array.isArray(spec['groups']) ? spec['groups'].map(String) : [];
  const username = typeof spec['user'] === 'string' ? spec['user'] : '';
  if (username === '' && groups.length === 0) throw missing('spec.user', 'at least one of user or group must be specified');
  return { username, groups };
}

function requiredText(spec: Fields, field: string): string {
  const value = spec[field];
  if (typeof value === 'string' && value !== '') return value;
  throw missing(`spec.${field}`, `${field} is required`);
}

function namespaceOf(spec: Fields): string {
  const { namespace } = spec;
  if (typeof namespace === 'string' && namespace !== '') return namespace;
  throw badRequest('no namespace on request');
}

function missing(field: string, why: string): ApiStatusError {
  return badRequest(`${field}: Required value: ${why}`);
}

function rulesStatus(rules: readonly PolicyRule[]): Fields {
  const isNonResource = (rule: PolicyRule): boolean => (rule.nonResourceURLs?.length ?? 0) > 0;
  return {
    resourceRules: rules
      .filter((rule) => !isNonResource(rule))
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({ verbs, apiGroups, resources, resourceNames })),
    nonResourceRules: rules.filter(isNonResource).map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  };
}
