import { notAuthorized, type Refusal } from './refusal.ts';
import { deniedNamespace, type Scope } from './scope.ts';

/** Tools that access a running pod. A setting enables each, for admins only. */
export type PodTool = 'podExec' | 'podLogs' | 'podFiles';

/** Access that a query or command requires. `namespaces` returns the namespaces of its input. */
export type Requirement<Input> =
  /** No credential is required. */
  | { readonly who: 'open' }
  /** A valid credential, with or without a grant. */
  | { readonly who: 'identified' }
  /** A grant for the namespaces. Without namespaces any grant, and the result has the granted ones only. */
  | { readonly who: 'viewer'; namespaces(input: Input): readonly string[] }
  /** Role operator in the namespaces. Without namespaces in at least one. */
  | { readonly who: 'operator'; namespaces(input: Input): readonly string[] }
  | { readonly who: 'admin' }
  /** An admin with a browser session, not an API key. */
  | { readonly who: 'admin-session' }
  | { readonly who: 'pod-tool'; readonly tool: PodTool };

/** Every level, so that a missing or misspelt one is found at the start. */
const LEVELS: Readonly<Record<Requirement<never>['who'], true>> = {
  open: true,
  identified: true,
  viewer: true,
  operator: true,
  admin: true,
  'admin-session': true,
  'pod-tool': true,
};

/** The level of a requirement. @throws Error where there is none: the call would be open to everyone */
export function requiredAccess(
  name: string,
  requirement: { readonly who: Requirement<never>['who'] } | undefined,
): Requirement<never>['who'] {
  const who: unknown = requirement?.who;
  if (typeof who !== 'string' || !Object.hasOwn(LEVELS, who)) throw new Error(`${name} declares no access: give it a requirement`);
  return who as Requirement<never>['who'];
}

/** Any valid credential. */
export const IDENTIFIED = { who: 'identified' } as const;
/** Role admin. */
export const ADMIN = { who: 'admin' } as const;
/** Role admin, signed in to the dashboard. */
export const ADMIN_SESSION = { who: 'admin-session' } as const;

/** Viewers of the namespaces in the input of a list; without namespaces the list is filtered. */
export const VIEWER_OF_LISTED = {
  who: 'viewer',
  namespaces: ({ namespace }: { readonly namespace?: readonly string[] }) => namespace ?? [],
} as const;

/** Input with a workload as target. */
interface OnTarget {
  readonly target: { readonly namespace: string };
}

/** Viewers of the target's namespace. */
export const VIEWER_OF_TARGET = { who: 'viewer', namespaces: ({ target }: OnTarget) => [target.namespace] } as const;
/** Operators of the target's namespace. */
export const OPERATOR_OF_TARGET = { who: 'operator', namespaces: ({ target }: OnTarget) => [target.namespace] } as const;
/** Operators of any namespace, for bulk commands that check each item themselves. */
export const OPERATOR_OF_ITEMS = { who: 'operator', namespaces: (): readonly string[] => [] } as const;

/** Why the caller's role does not allow the call for any input; null: it does. */
export function findMissingRole(who: Requirement<never>['who'], scope: Scope): Refusal | null {
  if (who === 'open') return null;
  if (!scope.identified) {
    return { kind: 'unauthenticated', message: 'A credential is required. Sign in, or use an API key.' };
  }
  switch (who) {
    case 'identified':
      return null;
    case 'viewer':
      return scope.viewer ? null : forbidden('You have no grant yet. Ask an admin for one.');
    case 'operator':
      return scope.operator ? null : forbidden('Your role only reads. Ask an admin for the role operator.');
    case 'admin':
    case 'pod-tool':
      return scope.admin ? null : forbidden(ADMINS_ONLY);
    case 'admin-session':
      // An API key is refused for what it is, whatever its role.
      if (!scope.session) {
        return { kind: 'session-required', message: 'Only the session of a signed-in admin may do this. Sign in to the dashboard.' };
      }
      return scope.admin ? null : forbidden(ADMINS_ONLY);
  }
}

/** Why the caller may not make the call; null: allowed. */
export function unmetRequirement<Input>(
  requirement: Requirement<Input>,
  scope: Scope,
  input: Input,
  isEnabled: (tool: PodTool) => boolean,
): Refusal | null {
  return findMissingRole(requirement.who, scope) ?? unmetByInput(requirement, scope, input, isEnabled);
}

const ADMINS_ONLY = 'Only an admin may do this.';

function unmetByInput<Input>(
  requirement: Requirement<Input>,
  scope: Scope,
  input: Input,
  isEnabled: (tool: PodTool) => boolean,
): Refusal | null {
  switch (requirement.who) {
    case 'viewer':
      return outsideOf(requirement.namespaces(input), scope);
    case 'operator': {
      const namespaces = requirement.namespaces(input);
      const readOnly = namespaces.find((namespace) => !scope.canOperate(namespace));
      const message = `You only read namespace ${readOnly ?? ''}. Ask an admin for the role operator there.`;
      return outsideOf(namespaces, scope) ?? (readOnly === undefined ? null : forbidden(message));
    }
    case 'pod-tool': {
      const message = `${requirement.tool} is disabled. The settings of podTools enable it.`;
      return isEnabled(requirement.tool) ? null : { kind: 'feature-disabled', message };
    }
    default:
      return null;
  }
}

function outsideOf(namespaces: readonly string[], scope: Scope): Refusal | null {
  const denied = deniedNamespace(scope, namespaces);
  return denied === undefined ? null : notAuthorized(denied);
}

function forbidden(message: string): Refusal {
  return { kind: 'forbidden', message };
}
