// Roles and their bindings: a user cannot grant more than they have.

import { isObject } from '#kube/json';
import type { AccessAttributes, PolicyRule } from '../api/access/authorization.ts';
import { forbidden } from '../api/api-error.ts';
import { equalJson } from '../api/json.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { ResourceStrategy, StrategyContext } from '../api/strategy.ts';
import { invalidValue } from './field-errors.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Roles and ClusterRoles. Who may `escalate` them may write any rule. */
export const roleStrategy: ResourceStrategy = {
  admit(role, old, context) {
    if (context.may === undefined || (old !== null && equalJson(role['rules'], old['rules']))) return;
    const namespace = role.metadata.namespace ?? null;
    if (context.may(verbOn('escalate', role.kind, role.metadata.name, namespace))) return;
    checkHeld(role, rulesOf(role), namespace, context, context.may);
  },
};

/** RoleBindings and ClusterRoleBindings. Who may `bind` the role may give it to anybody. */
export const roleBindingStrategy: ResourceStrategy = {
  validate(binding, old) {
    if (old === null || equalJson(binding['roleRef'], old['roleRef'])) return [];
    return [invalidValue('roleRef', binding['roleRef'], 'cannot change roleRef')];
  },
  admit(binding, old, context) {
    if (context.may === undefined || (old !== null && equalJson(binding['subjects'], old['subjects']))) return;
    const reference = isObject(binding['roleRef']) ? binding['roleRef'] : {};
    const [kind, name] = [String(reference['kind']), String(reference['name'])];
    const namespace = binding.metadata.namespace ?? null;
    if (context.may(verbOn('bind', kind, name, namespace))) return;
    const role = context.cluster.get(`${pluralOf(kind)}.${RBAC}`, kind === 'Role' ? namespace : null, name);
    checkHeld(binding, role === undefined ? [] : rulesOf(role), namespace, context, context.may);
  },
};

function checkHeld(
  object: KubeObject,
  rules: readonly PolicyRule[],
  namespace: string | null,
  { user }: StrategyContext,
  may: (attributes: AccessAttributes) => boolean,
): void {
  const missing = rules.filter((rule) => !attributesOf(rule, namespace).every(may));
  if (missing.length === 0) return;
  const plural = pluralOf(object.kind);
  const subject = { group: RBAC, kind: object.kind, plural, name: object.metadata.name };
  const lines = missing.map(shown).join('\n');
  throw forbidden(subject, `user ${JSON.stringify(user)} is attempting to grant RBAC permissions not currently held:\n${lines}`);
}

/** Every single thing that a rule allows; its stars stand for themselves, which only stars cover. */
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
