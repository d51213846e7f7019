import { notAuthorised, type Refusal } from './refusal.ts';
import { deniedNamespace, type Scope } from './scope.ts';

/** Tools that reach into a running pod: each is switched on by a setting, and for admins alone. */
export type PodTool = 'podExec' | 'podLogs' | 'podFiles';

/** What a caller must be to ask one query or give one command, stated beside its code. `namespaces` reads from the input which it names. */
export type Requirement<Input> =
  /** No credential is asked for. */
  | { readonly who: 'open' }
  /** A valid credential, with or without a grant. */
  | { readonly who: 'identified' }
  /** A grant that covers the namespaces; none named: any grant, and the answer holds the granted part alone. */
  | { readonly who: 'viewer'; namespaces(input: Input): readonly string[] }
  /** Role operator in the namespaces; none named: in at least one. */
  | { readonly who: 'operator'; namespaces(input: Input): readonly string[] }
  | { readonly who: 'admin' }
  /** An admin with a session of a browser: neither an API key nor a caller without credential. */
  | { readonly who: 'admin-session' }
  | { readonly who: 'pod-tool'; readonly tool: PodTool };

export const IDENTIFIED = { who: 'identified' } as const;
export const ADMIN = { who: 'admin' } as const;

/** Viewers of the namespaces that a list names; without one the list is filtered. */
export const VIEWER_OF_LISTED = {
  who: 'viewer',
  namespaces: ({ namespace }: { readonly namespace?: readonly string[] }) => namespace ?? [],
} as const;

/** An input about one workload. */
interface OnTarget {
  readonly target: { readonly namespace: string };
}

export const VIEWER_OF_TARGET = { who: 'viewer', namespaces: ({ target }: OnTarget) => [target.namespace] } as const;
export const OPERATOR_OF_TARGET = { who: 'operator', namespaces: ({ target }: OnTarget) => [target.namespace] } as const;
/** For many objects at once: each item has a requirement of its own. */
export const OPERATOR_OF_ITEMS = { who: 'operator', namespaces: (): readonly string[] => [] } as const;

/** Why the caller may not make a call of this kind, whatever its input; null: they may. */
export function unmetRole(who: Requirement<never>['who'], scope: Scope): Refusal | null {
  if (who === 'open') return null;
  if (!scope.identified) {
    return { kind: 'unauthenticated', message: 'This needs a credential. Sign in, or use an API key.' };
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
      if (!scope.admin) return forbidden(ADMINS_ONLY);
      return scope.session
        ? null
        : { kind: 'session-required', message: 'Only the session of a signed-in admin may do this. Sign in to the dashboard.' };
  }
}

/** Why the caller may not make this call; null: they may. */
export function unmetRequirement<Input>(
  requirement: Requirement<Input>,
  scope: Scope,
  input: Input,
  isEnabled: (tool: PodTool) => boolean,
): Refusal | null {
  return unmetRole(requirement.who, scope) ?? unmetByInput(requirement, scope, input, isEnabled);
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
      const readOnly = namespaces.find((namespace) => !scope.operates(namespace));
      const message = `You only read namespace ${readOnly ?? ''}. Ask an admin for the role operator there.`;
      return outsideOf(namespaces, scope) ?? (readOnly === undefined ? null : forbidden(message));
    }
    case 'pod-tool': {
      const message = `${requirement.tool} is switched off. The settings of podTools switch it on.`;
      return isEnabled(requirement.tool) ? null : { kind: 'feature-disabled', message };
    }
    default:
      return null;
  }
}

function outsideOf(namespaces: readonly string[], scope: Scope): Refusal | null {
  const denied = deniedNamespace(scope, namespaces);
  return denied === undefined ? null : notAuthorised(denied);
}

function forbidden(message: string): Refusal {
  return { kind: 'forbidden', message };
}
