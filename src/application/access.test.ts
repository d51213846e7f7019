// The access of every query and command, for each kind of caller.

import { beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { aScope, NO_CREDENTIAL } from '../../test/builders/tenants/scopes.ts';
import { applicationOf } from '../../test/fakes/clients/dashboard-client.ts';
import { EVERYONE_IS_ADMIN, type Scope } from '../core/access/scope.ts';
import { ACCESS, type Access } from './access.ts';
import type { Application, CommandName, QueryName } from './application.ts';
import { COMMANDS } from './commands.ts';
import { QUERIES } from './queries.ts';

/** An input that is valid for every query and command. */
const INPUT = {
  target: { namespace: 'shop', name: 'checkout', kind: 'Deployment' },
  namespace: ['shop'],
  duration: '1h',
  name: 'n1',
  body: { containers: [], mode: 'Off' },
  items: [{ namespace: 'shop', name: 'checkout', action: 'remove' }],
  action: 'strip-annotations',
};

const REJECTION = { items: [{ namespace: 'shop', name: 'checkout', action: 'reject' }] };

/** By required access, the callers below that may make such a call for namespace shop. */
const ADMITTED: Readonly<Record<Access, readonly string[]>> = {
  open: ['no credential', 'no grant', 'viewer of pay', 'operator of pay', 'viewer of shop', 'operator of shop', 'admin'],
  identified: ['no grant', 'viewer of pay', 'operator of pay', 'viewer of shop', 'operator of shop', 'admin'],
  viewer: ['viewer of shop', 'operator of shop', 'admin'],
  operator: ['operator of shop', 'admin'],
  admin: ['admin'],
  'admin-session': [],
  'pod-tool': [],
};
const CALLERS: Readonly<Record<string, Scope>> = {
  'no credential': NO_CREDENTIAL,
  'no grant': { ...aScope('viewer', []), viewer: false },
  'viewer of pay': aScope('viewer', ['pay']),
  'operator of pay': aScope('operator', ['pay']),
  'viewer of shop': aScope('viewer', ['shop']),
  'operator of shop': aScope('operator', ['shop']),
  admin: EVERYONE_IS_ADMIN,
};
const REFUSED = ['unauthenticated', 'forbidden', 'session-required', 'feature-disabled'];

let world: DashboardWorld;
let application: Application;
beforeEach(() => {
  world = dashboardWorld();
  application = applicationOf(world);
});

const call = (name: string, scope: Scope): Promise<{ readonly kind: string; readonly data?: unknown }> => {
  const input = (name === 'bulkRecommendations' ? REJECTION : INPUT) as never;
  const caller = { scope, requestId: 'r', address: '', dryRun: false, idempotencyKey: null };
  return name in COMMANDS ? application.carryOut(name as CommandName, caller, input) : application.ask(name as QueryName, scope, input);
};

describe.each(Object.keys(CALLERS))('%s', (caller) => {
  test.each(Object.keys({ ...QUERIES, ...COMMANDS }))('%s', async (name) => {
    const answer = await call(name, CALLERS[caller]!);
    const isBulk = name.startsWith('bulk');
    // A bulk requires a grant in any namespace; its items have their own requirements.
    const isRefused = isBulk && answer.kind === 'done' ? isAllForbidden(answer.data) : REFUSED.includes(answer.kind);
    expect(isRefused).toBe(!ADMITTED[ACCESS[name as QueryName]].includes(caller));
    if (isRefused) expect(world.records.written).toEqual([]);
  });
});

function isAllForbidden(results: unknown): boolean {
  return (results as readonly { readonly error?: { readonly code: string } }[]).every(({ error }) => error?.code === 'forbidden');
}
