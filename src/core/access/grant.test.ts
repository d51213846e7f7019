import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AccessPolicy } from '../../apis/v1alpha1/index.ts';
import { findGrant, findGrantOfUser, grantsOf, parseEmail } from './grant.ts';
import { scopeOf } from './scope-of-grant.ts';

type Entries = AccessPolicy['spec']['grants'];

const NOW = Date.UTC(2026, 10, 27);
const policy = (...grants: NonNullable<Entries>) => ({ spec: { grants } });
const ann = { email: 'ann@example.com', role: 'operator', namespaces: ['shop', 'team-*'] } as const;
const scopeIn = (grants: NonNullable<Entries>, email: string = ann.email, now = NOW) =>
  scopeOf({ email, session: true, credential: { via: 'session', keyId: null } }, findGrant(grantsOf(policy(...grants)), email, now));

describe('an e-mail address', () => {
  test.each([
    ['Ann@Example.COM', 'ann@example.com'],
    ['ann@example.com', 'ann@example.com'],
    ['ann', null],
    ['', null],
    ['ann@', null],
    ['@example.com', null],
    ['a@b@c', null],
    ['ann @example.com', null],
    ['ann@example.com\n', null],
    ['ann@example.com\u0000', null],
    ['ann\u200b@example.com', null],
    [`${'a'.repeat(250)}@b.c`, `${'a'.repeat(250)}@b.c`],
    [`${'a'.repeat(251)}@b.c`, null],
  ])('%j is keyed as %j', (text, expected) => {
    expect(parseEmail(text)).toBe(expected);
  });

  test('with letters that Unicode folds to ASCII stays another address', () => {
    expect(parseEmail('\u212Aim@example.com')).toBe('\u212Aim@example.com');
    expect(scopeIn([{ ...ann, email: 'kim@example.com' }], '\u212Aim@example.com').viewer).toBe(false);
  });
});

describe('a grant', () => {
  test('gives its role in the namespaces that its names and globs match', () => {
    const scope = scopeIn([ann]);
    expect(['shop', 'team-a', 'team', 'pay', 'shop2'].filter((name) => scope.canOperate(name))).toEqual(['shop', 'team-a']);
    expect([scope.identified, scope.viewer, scope.operator, scope.admin, scope.session]).toEqual([true, true, true, false, true]);
  });

  test('of a viewer for * reads every namespace, and is no admin', () => {
    const scope = scopeIn([{ ...ann, role: 'viewer', namespaces: ['*'] }]);
    expect([scope.canView('kube-system'), scope.canOperate('shop'), scope.admin, scope.operator]).toEqual([true, false, false, false]);
  });

  test('of an admin needs no namespaces', () => {
    const scope = scopeIn([{ email: ann.email, role: 'admin' }]);
    expect([scope.admin, scope.canOperate('any')]).toEqual([true, true]);
  });

  test('without namespaces reads none', () => {
    expect(scopeIn([{ email: ann.email, role: 'viewer' }]).canView('shop')).toBe(false);
  });

  test('ends at its time of expiry', () => {
    const expiring = { ...ann, expiresAt: '2026-11-27T00:00:00Z' };
    expect(scopeIn([expiring], ann.email, NOW - 1).viewer).toBe(true);
    expect(scopeIn([expiring], ann.email, NOW).viewer).toBe(false);
  });

  test.each<[string, object]>([
    ['an unknown role', { role: 'root' }],
    ['a role in another case', { role: 'Admin' }],
    ['a time of expiry that is no time', { expiresAt: 'tomorrow' }],
    ['namespaces that are no list', { namespaces: 'shop' }],
  ])('with %s gives nothing', (_what, part) => {
    expect(scopeIn([{ ...ann, ...part }]).viewer).toBe(false);
  });

  test('with a glob that is none gives its other namespaces', () => {
    const scope = scopeIn([{ ...ann, namespaces: ['sh[op', 'Shop', 'pay'] }]);
    expect(['sh[op', 'Shop', 'shop', 'pay'].filter((name) => scope.canView(name))).toEqual(['pay']);
  });

  test('that an address has twice gives nothing, in any order', () => {
    for (const grants of [
      [ann, { ...ann, role: 'admin' as const }],
      [{ ...ann, role: 'admin' as const }, ann],
      [ann, { ...ann, email: 'ANN@example.com' }, ann],
    ]) {
      expect(scopeIn(grants).viewer).toBe(false);
    }
  });

  test('has one key for equal permissions, whatever the order and repetition of its namespaces', () => {
    const namespaces = fc.array(fc.constantFrom('shop', 'pay', 'team-*', '*'), { maxLength: 6 });
    fc.assert(
      fc.property(namespaces, namespaces, (left, right) => {
        const keyOf = (names: readonly string[]) => scopeIn([{ ...ann, namespaces: names }]).key;
        const sorted = (names: readonly string[]) => [...new Set(names)].sort().join();
        expect(keyOf(left) === keyOf(right)).toBe(sorted(left) === sorted(right));
      }),
    );
  });
});

test('an address without a grant is identified, and may do nothing', () => {
  const scope = scopeIn([], 'bob@example.com');
  expect([scope.identified, scope.actor, scope.viewer, scope.operator, scope.admin]).toEqual([
    true,
    'bob@example.com',
    false,
    false,
    false,
  ]);
  expect(scopeIn([ann], 'constructor@example.com').viewer).toBe(false);
});

describe('the role of a domain', () => {
  const scopeOfUser = (spec: AccessPolicy['spec'], email: string) =>
    scopeOf({ email, session: true, credential: { via: 'session', keyId: null } }, findGrantOfUser(grantsOf({ spec }), email, NOW));
  const autoApprove = [{ domain: 'example.com', role: 'viewer', namespaces: ['shop'] }] as const;

  test('applies to addresses of exactly the domain', () => {
    const emails = ['ann@example.com', 'ann@sub.example.com', 'ann@notexample.com', 'ann@example.com.evil', '"a@example.com"@evil.example'];
    expect(emails.map((email) => scopeOfUser({ autoApprove }, email).canView('shop'))).toEqual([true, false, false, false, false]);
  });

  test.each<[string, Entries]>([
    ['of its own', [{ ...ann, namespaces: ['pay'] }]],
    ['that has expired', [{ ...ann, expiresAt: '2026-11-27T00:00:00Z' }]],
    ['that is not valid', [{ ...ann, expiresAt: 'tomorrow' }]],
    ['in two entries', [ann, ann]],
  ])('does not apply to an address with a grant %s', (_what, grants = []) => {
    expect(scopeOfUser({ autoApprove, grants }, ann.email).canView('shop')).toBe(false);
    expect(scopeOfUser({ autoApprove, grants }, 'bob@example.com').canView('shop')).toBe(true);
  });

  test('is never admin, and is none for a domain that is listed twice', () => {
    const [viewer] = autoApprove;
    const admin = { ...viewer, role: 'admin' as 'viewer' };
    for (const domains of [[admin], [viewer, { ...viewer, role: 'operator' as const }], [viewer, viewer, viewer]]) {
      expect(scopeOfUser({ autoApprove: domains }, ann.email).viewer).toBe(false);
    }
  });

  test('is no grant of the address, which an API key needs', () => {
    expect(findGrant(grantsOf({ spec: { autoApprove } }), ann.email, NOW)).toBeNull();
  });
});
