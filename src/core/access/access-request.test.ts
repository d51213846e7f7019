import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isoTime } from '#kube/time/iso-time';
import { DAY_MS } from '#kube/units';
import { grantOfApproval, MAX_REQUESTS, withDecision, withRequest, type AccessRequest } from './access-request.ts';
import { findGrant, grantsOf, ROLES } from './grant.ts';
import { scopeOf } from './scope-of-grant.ts';

const NOW = Date.UTC(2026, 10, 27);
const request = (id: string, part: Partial<AccessRequest> = {}): AccessRequest => ({
  id,
  email: `${id}@example.com`,
  requestedAt: isoTime(NOW),
  state: 'pending',
  ...part,
});
const states = fc.constantFrom<AccessRequest['state']>('pending', 'approved', 'denied');
const stored = fc
  .array(fc.tuple(states, fc.nat(60)), { maxLength: MAX_REQUESTS })
  .map((entries) => entries.map(([state, days], index) => request(`r${index}`, { state, decidedAt: isoTime(NOW - days * DAY_MS) })));

describe('stored requests', () => {
  test('are 200 at most, and no pending one is dropped', () => {
    fc.assert(
      fc.property(stored, (before) => {
        const pending = before.filter(({ state }) => state === 'pending');
        const after = withRequest(before, request('new'), NOW);
        if (pending.length >= MAX_REQUESTS) {
          expect(after).toBeNull();
          return;
        }
        expect(after!.length).toBeLessThanOrEqual(MAX_REQUESTS);
        expect(after!.filter(({ state }) => state === 'pending').map(({ id }) => id)).toEqual([...pending.map(({ id }) => id), 'new']);
      }),
    );
  });

  test('drop the oldest decisions first, and those of more than 30 days', () => {
    const decided = (id: string, days: number) => request(id, { state: 'denied', decidedAt: isoTime(NOW - days * DAY_MS) });
    const pending = Array.from({ length: MAX_REQUESTS - 2 }, (_, index) => request(`p${index}`));
    const after = withRequest([decided('newer', 1), decided('older', 2), ...pending], request('new'), NOW)!;
    expect([after.length, after[0]?.id]).toEqual([MAX_REQUESTS, 'newer']);
    const kept = withDecision(
      [decided('old', 30), decided('young', 29), request('a')],
      'a',
      { state: 'denied', decidedAt: isoTime(NOW) },
      NOW,
    );
    expect(kept.map(({ id, state }) => `${id} ${state}`)).toEqual(['young denied', 'a denied']);
  });
});

test('an approval never grants what was not requested', () => {
  const globs = fc.array(fc.stringMatching(/^[ab*?]{1,4}$/), { maxLength: 3 });
  const role = fc.constantFrom(...ROLES);
  const names = fc.array(fc.stringMatching(/^[ab]{1,5}$/), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(
      role,
      globs,
      fc.option(role, { nil: undefined }),
      fc.option(globs, { nil: undefined }),
      names,
      (asked, within, given, some, all) => {
        const approval = { ...(given === undefined ? {} : { role: given }), ...(some === undefined ? {} : { namespaces: some }) };
        const approved = grantOfApproval(request('a', { requestedRole: asked, requestedNamespaces: within }), approval, NOW);
        if (!approved.ok) return;
        const scope = (grant: { role: (typeof ROLES)[number]; namespaces?: readonly string[] }) => {
          const grants = grantsOf({ spec: { grants: [{ ...grant, email: 'a@example.com' }] } });
          return scopeOf(
            { email: 'a@example.com', session: true, credential: { via: 'session', keyId: null } },
            findGrant(grants, 'a@example.com', NOW),
          );
        };
        const [requested, granted] = [scope({ role: asked, namespaces: within }), scope(approved.grant)];
        expect(Number(granted.admin)).toBeLessThanOrEqual(Number(requested.admin));
        for (const name of all) {
          if (granted.canView(name)) expect(requested.canView(name)).toBe(true);
          if (granted.canOperate(name)) expect(requested.canOperate(name)).toBe(true);
        }
      },
    ),
    { numRuns: 2000 },
  );
});
