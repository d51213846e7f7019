import type { Scope } from '../../../src/core/access/scope.ts';

export { NO_CREDENTIAL } from '../../../src/core/access/scope-of-grant.ts';

/** A caller with a role in some namespaces (`*`: in all), signed in to the dashboard. */
export function aScope(role: 'viewer' | 'operator', namespaces: readonly string[], actor = 'ann@example.com'): Scope {
  const canView = (namespace: string): boolean => namespaces.includes('*') || namespaces.includes(namespace);
  const operator = role === 'operator';
  return {
    identified: true,
    viewer: true,
    operator,
    admin: false,
    session: true,
    actor,
    credential: { via: 'session', keyId: null },
    key: `${role}:${namespaces.join(',')}`,
    canView,
    canOperate: (namespace) => operator && canView(namespace),
  };
}
