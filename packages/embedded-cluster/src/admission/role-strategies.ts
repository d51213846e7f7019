// Roles and their bindings: a user cannot grant permissions that the user lacks.

import { isObject } from '#kube/json';
import type { AccessAttributes, PolicyRule } from '../api/access/authorization.ts';
import { forbidden } from '../api/api-error.ts';
import { isEqualJson } from '../api/json.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { ResourceStrategy, StrategyContext } from '../api/strategy.ts';
import { invalidValue } from './field-errors.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Roles and ClusterRoles. A user with `escalate` may write any rule. */
export const roleStrategy: ResourceStrategy = {
  admit(role, old, context) {
    if (context.isAllowed === undefined || (old !== null && isEqualJson(role['rules'], old['rules']))) return;
    const namespace = role.metadata.namespace ?? null;
    if (context.isAllowed(verbOn('escalate', role.kind, role.metadata.name, namespace))) return;
    checkHeld(role, rulesOf(role), namespace, context, context.isAllowed);
  },
};

/** RoleBindings and ClusterRoleBindings. A user with `bind` may grant the role to any subject. */
export const roleBindingStrategy: ResourceStrategy = {
  validate(binding, old) {
    if (old === null || isEqualJson(binding['roleRef'], old['roleRef'])) return [];
    return [invalidValue('roleRef', binding['roleRef'], 'cannot change roleRef')];
  },
  admit(binding, old, context) {
    if (context.isAllowed === undefined || (old !== null && isEqualJson(binding['subjects'], old['subjects']))) return;
    const reference = isObject(binding['roleRef']) ? binding['roleRef'] : {};
    const [kind, name] = [String(reference['kind']), String(reference['name'])];
    const namespace = binding.metadata.namespace ?? null;
    if (context.isAllowed(verbOn('bind', kind, name, namespace))) return;
    const role = context.cluster.get(`${pluralOf(kind)}.${RBAC}`, kind === 'Role' ? namespace : null, name);
    checkHeld(binding, role === undefined ? [] : rulesOf(role), namespace, context, context.isAllowed);
  },
};

function checkHeld(
  object: KubeObject,
  rules: readonly PolicyRule[],
  namespace: string | null,
  { user }: StrategyContext,
  isAllowed: (attributes: AccessAttributes) => boolean,
): void {
  const missing = rules.filter((rule) => !attributesOf(rule, namespace).every(isAllowed));
  if (missing.length === 0) return;
  const plural = pluralOf(object.kind);
  const subject = { group: RBAC, kind: object.kind, plural, name: object.metadata.name };
  const lines = missing.map(shown).join('\n');
  throw forbidden(subject, `user ${JSON.stringify(user)} is attempting to grant RBAC permissions not currently held:\n${lines}`);
}

/** Every single permission of a rule. A wildcard is kept as such, and only a wildcard covers it. */
function attributesOf(rule: PolicyRule, namespace: string | null): AccessAttributes[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names: readonly (string | null)[] = resourceNames.length === 0 ? [null] : resourceNames;
  return verbs.flatMap((verb) => [
    ...nonResourceURLs.map((path) => ({ verb, path })),
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) => {
        const [plural = '', subresource = ''] = resource.split('/', 2);
        return names.map((name) => ({ verb, resource: { group, plural, subresource, namespace, name } }));
      }),
    ),
  ]);
}

function verbOn(verb: string, kind: string, name: string, namespace: string | null): AccessAttributes {
  return { verb, resource: { group: RBAC, plural: pluralOf(kind), subresource: '', namespace, name } };
}

function pluralOf(kind: string): string {
  return `${kind.toLowerCase()}s`;
}

function rulesOf(role: KubeObject): readonly PolicyRule[] {
  return Array.isArray(role['rules']) ? (role['rules'] as readonly PolicyRule[]) : [];
}

/** As the API server prints a rule. */
function shown(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['ResourceNames', rule.resourceNames],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['Verbs', rule.verbs],
  ] as const;
  const given = parts.flatMap(([name, values = []]) =>
    values.length === 0 ? [] : [`${name}:[${values.map((value) => JSON.stringify(value)).join(' ')}]`],
  );
  return `{${given.join(', ')}}`;
}
