import { describe, expect, test } from '@jest/globals';
import { aScope, NO_CREDENTIAL } from '../../../test/builders/tenants/scopes.ts';
import {
  ADMIN,
  ADMIN_SESSION,
  IDENTIFIED,
  OPERATOR_OF_TARGET,
  requiredAccess,
  unmetRequirement,
  VIEWER_OF_LISTED,
  type Requirement,
} from './requirement.ts';
import { EVERYONE_IS_ADMIN, type Scope } from './scope.ts';

const viewer = aScope('viewer', ['shop']);
const operator = aScope('operator', ['shop']);
const keyOfAdmin: Scope = { ...EVERYONE_IS_ADMIN, session: false };
const signedInAdmin: Scope = { ...EVERYONE_IS_ADMIN, session: true };
const inShop = { target: { namespace: 'shop' } };
const inPay = { target: { namespace: 'pay' } };
const OPEN = { who: 'open' } as const;
const POD_EXEC = { who: 'pod-tool', tool: 'podExec' } as const;

test.each([undefined, {}, { who: undefined }, { who: 'everyone' }, { who: 'toString' }])(
  'a call with the requirement %j does not start: it would be open to everyone',
  (requirement) => {
    expect(() => requiredAccess('listPods', requirement as never)).toThrow('listPods declares no access');
  },
);

describe('A requirement', () => {
  test.each<[string, Requirement<never>, Scope, unknown, string | null]>([
    ['open: a request without a credential is allowed', OPEN, NO_CREDENTIAL, {}, null],
    ['identified: a request without a credential is refused', IDENTIFIED, NO_CREDENTIAL, {}, 'unauthenticated'],
    ['identified: a caller without a grant is allowed', IDENTIFIED, { ...viewer, viewer: false }, {}, null],
    ['viewer: a caller without a grant is refused', VIEWER_OF_LISTED, { ...viewer, viewer: false }, {}, 'forbidden'],
    ['viewer: without a namespace the granted ones are allowed', VIEWER_OF_LISTED, viewer, {}, null],
    ['viewer: a granted namespace is allowed', VIEWER_OF_LISTED, viewer, { namespace: ['shop'] }, null],
    ['viewer: one namespace outside the grant is refused', VIEWER_OF_LISTED, viewer, { namespace: ['shop', 'pay'] }, 'forbidden'],
    ['operator: a viewer is refused', OPERATOR_OF_TARGET, viewer, inShop, 'forbidden'],
    ['operator: an operator of the namespace is allowed', OPERATOR_OF_TARGET, operator, inShop, null],
    ['operator: an operator of another namespace is refused', OPERATOR_OF_TARGET, operator, inPay, 'forbidden'],
    [
      'operator: an operator of another namespace is refused where they only view',
      OPERATOR_OF_TARGET,
      { ...operator, canView: () => true },
      inPay,
      'forbidden',
    ],
    ['admin: an operator is refused', ADMIN, operator, {}, 'forbidden'],
    ['admin: an admin is allowed', ADMIN, keyOfAdmin, {}, null],
    ['admin session: an admin without a session is refused', ADMIN_SESSION, keyOfAdmin, {}, 'session-required'],
    ['admin session: an operator without a session is refused', ADMIN_SESSION, { ...operator, session: false }, {}, 'session-required'],
    ['admin session: an operator with a session is refused', ADMIN_SESSION, operator, {}, 'forbidden'],
    ['admin session: an admin with a session is allowed', ADMIN_SESSION, signedInAdmin, {}, null],
    ['pod tool: an operator is refused', POD_EXEC, operator, {}, 'forbidden'],
  ])('%s', (_rule, requirement, scope, input, kind) => {
    const unmet = unmetRequirement(requirement as Requirement<unknown>, scope, input, () => true);
    expect(unmet?.kind ?? null).toBe(kind);
  });

  test('of a disabled pod tool is never met', () => {
    const isEnabled = (tool: string): boolean => tool !== 'podExec';
    expect(unmetRequirement(POD_EXEC, signedInAdmin, {}, isEnabled)?.kind).toBe('feature-disabled');
    expect(unmetRequirement({ who: 'pod-tool', tool: 'podLogs' }, signedInAdmin, {}, isEnabled)).toBeNull();
  });
});
