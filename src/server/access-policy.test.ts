// The AccessPolicy and access requests, over HTTP.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type Answered, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { FakeAccessStore } from '../../test/fakes/fake-access-store.ts';
import { isoTime } from '#kube/time/iso-time';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#kube/units';
import { MAX_REQUESTS } from '../core/access/access-request.ts';
import { newSession, sealSession } from './auth/session-cookie.ts';
import { envelopeSchema } from './openapi/api-document.ts';
import { COMPONENT_SCHEMAS, OPERATIONS } from './openapi/document.ts';
import { schemaCompiler } from './openapi/validator.ts';

const ROOT = 'root@example.com';
const BEN = 'ben@example.com';
const NEW = 'new@example.com';
const compile = schemaCompiler(COMPONENT_SCHEMAS);
const NOW = Date.UTC(2026, 10, 27, 12);

let world: DashboardWorld;
let store: FakeAccessStore;
let client: DashboardClient;
beforeEach(async () => {
  store = new FakeAccessStore();
  const shop = dashboardWorld();
  world = { ...shop, sources: { ...shop.sources, access: store } };
  store.grant({ email: ROOT, role: 'admin' }, { email: BEN, role: 'viewer', namespaces: ['shop'] });
  client = await startDashboard(world, { anonymousWrites: false }, { store, now: () => NOW, isLocalEnabled: true, proxy: null });
});
afterEach(() => client.close());

type Headers = Readonly<Record<string, string>>;
const as = (email: string): Headers => ({ cookie: `evenkeel=${sealSession(newSession(email, NOW), store.keys)}` });
const codeOf = ({ status, body }: Answered): string => `${status}${status < 400 ? '' : ` ${String(body.error.code)}`}`;
const detailsOf = ({ body }: Answered) =>
  (body.error.details as readonly { path: string; message: string }[]).map(({ path, message }) => `${path} ${message}`);
const matches = ({ status, body }: Answered, id: string) => {
  const operation = OPERATIONS.find((each) => each.id === id)!;
  const validate = compile(envelopeSchema(operation));
  return [status === operation.answer.status, validate(body) || validate.errors];
};
const keyOf = async (email: string): Promise<Headers> => {
  const { body } = await client.send('POST', '/api/v1/api-keys', { email, label: 'test' }, as(ROOT));
  return { authorization: `Bearer ${String(body.data.key)}` };
};

const read = async (): Promise<{ grants: object[]; autoApprove: object[]; resourceVersion: string }> =>
  (await client.get('/api/v1/access-policy', as(ROOT))).body.data;
const replace = (body: object, headers: Headers = as(ROOT), query = '') =>
  client.send('PUT', `/api/v1/access-policy${query}`, body, headers);
const list = (email: string) => client.get('/api/v1/recommendations', as(email));
const reasons = () => world.events.map(({ reason }) => reason);

describe('the AccessPolicy', () => {
  test('is read and replaced by an admin, and applies to the next request', async () => {
    const answer = await client.get('/api/v1/access-policy', as(ROOT));
    expect(matches(answer, 'getAccessPolicy')).toEqual([true, true]);
    const policy = await read();
    expect(policy.grants[1]).toEqual({ email: BEN, role: 'viewer', namespaces: ['shop'], expiresAt: null, note: null });
    const changed = await replace({ ...policy, grants: [policy.grants[0], { email: NEW, role: 'operator', namespaces: ['pay*'] }] });
    expect(matches(changed, 'replaceAccessPolicy')).toEqual([true, true]);
    expect([codeOf(await list(BEN)), codeOf(await list(NEW))]).toEqual(['403 forbidden', '200']);
    expect(changed.body.data).toEqual(await read());
    expect(store.awaited).toEqual([{ part: 'access-policy', resourceVersion: changed.body.data.resourceVersion }]);
    expect(world.events).toMatchObject([
      {
        reason: 'AccessPolicyChanged',
        subject: { kind: 'AccessPolicy', name: 'default' },
        message: `${ROOT} changed the AccessPolicy: ${BEN}: removed; ${NEW}: operator in pay*`,
      },
    ]);
  });

  test('is answered with a warning where a replica has not reported the change', async () => {
    store.reports = { missing: ['evenkeel-1'], areKnown: true };
    const policy = await read();
    const { body } = await replace({ ...policy, grants: policy.grants.slice(0, 1) });
    expect(body.meta.warnings).toMatchObject([{ code: 'replica_not_confirmed', message: expect.stringContaining('evenkeel-1') }]);
  });

  test('has its new admin in the access event and the Event, among however many other changes', async () => {
    const policy = await read();
    const users = Array.from({ length: 200 }, (_, index) => ({ email: `user-${index}@example.com`, role: 'viewer', namespaces: ['shop'] }));
    await replace({ ...policy, grants: [...policy.grants, ...users, { email: NEW, role: 'admin' }] });
    expect(JSON.stringify(world.history.accessEvents[0]?.after)).toContain(NEW);
    expect(world.events[0]?.message).toContain(`${NEW}: admin`);
  });

  test('that is replaced by the same grants is not written', async () => {
    const policy = await read();
    expect([codeOf(await replace(policy)), (await read()).resourceVersion, reasons()]).toEqual(['200', policy.resourceVersion, []]);
  });

  test('has changed since it was read: the write is refused, also where the change comes between', async () => {
    const policy = await read();
    store.grant(...store.policy, { email: NEW, role: 'viewer' });
    const { resourceVersion: _, ...without } = policy;
    const grants = [...policy.grants, { email: 'eve@example.com', role: 'viewer' }];
    const current = { ...(await read()), grants };
    store.beforeWrite = () => {
      store.beforeWrite = () => undefined;
      store.grant(...store.policy);
    };
    const answers = [
      await replace(policy),
      await replace(without),
      await replace({ ...policy, resourceVersion: null }),
      await replace(current),
    ];
    expect(answers.map(codeOf)).toEqual(['409 conflict', '409 conflict', '409 conflict', '409 conflict']);
    expect(store.policy.map(({ email }) => email)).toEqual([ROOT, BEN, NEW]);
  });

  test('takes If-Match with the ETag of its GET', async () => {
    const { headers } = await client.get('/api/v1/access-policy', as(ROOT));
    const policy = { ...(await read()), grants: [{ email: ROOT, role: 'admin' }] };
    const tag = headers.get('etag')!;
    expect(codeOf(await replace(policy, { ...as(ROOT), 'if-match': '"other"' }))).toBe('409 conflict');
    expect(codeOf(await replace(policy, { ...as(ROOT), 'if-match': tag }))).toBe('200');
  });

  test.each<[string, readonly object[], RegExp]>([
    ['no admin', [{ email: BEN, role: 'viewer' }], /no admin/],
    ['an admin whose grant has expired alone', [{ email: ROOT, role: 'admin', expiresAt: isoTime(Date.UTC(2026, 0, 1)) }], /no admin/],
    ['another admin alone', [{ email: BEN, role: 'admin' }], /your own role admin/],
    ['the caller as operator', [{ email: BEN, role: 'admin' }, { email: ROOT, role: 'operator' }], /your own role admin/], // prettier-ignore
    [
      'the caller as an admin until a time that has passed',
      [
        { email: BEN, role: 'admin' },
        { email: ROOT, role: 'admin', expiresAt: isoTime(Date.UTC(2026, 0, 1)) },
      ],
      /your own role admin/,
    ],
  ])('never has %s', async (_what, grants, message) => {
    const answer = await replace({ ...(await read()), grants });
    expect([codeOf(answer), answer.body.error.message]).toEqual(['409 conflict', expect.stringMatching(message)]);
    expect(store.policy).toHaveLength(2);
  });

  test('names every invalid field with the remedy', async () => {
    const { resourceVersion } = await read();
    const root = { email: ROOT, role: 'admin' };
    const answer = await replace({
      resourceVersion,
      grants: [
        root,
        { email: 'Eve@Example.com', role: 'viewer', namespaces: ['Shop'] },
        { email: 'no-address', role: 'viewer' },
        { email: 'eve@example.com', role: 'viewer' },
        { ...root, namespaces: ['*'] },
      ],
      autoApprove: [
        { domain: 'Example.com', role: 'viewer' },
        { domain: 'a.example', role: 'viewer', namespaces: ['a b'] },
        { domain: 'a.example', role: 'viewer' },
      ],
    });
    expect(codeOf(answer)).toBe('400 invalid_request');
    expect(detailsOf(answer)).toEqual([
      '/grants/1/email must be in lower case: eve@example.com',
      expect.stringMatching(/^\/grants\/1\/namespaces\/0 'Shop' is not a glob/),
      '/grants/2/email must be an e-mail address, such as ana@example.com',
      '/grants/3/email repeats the address of grants[1]; remove one of the two',
      '/grants/4/email repeats the address of grants[0]; remove one of the two',
      '/autoApprove/0/domain must be a domain in lower case, such as example.com',
      expect.stringMatching(/^\/autoApprove\/1\/namespaces\/0 'a b' is not a glob/),
      '/autoApprove/2/domain repeats the domain of autoApprove[1]; remove one of the two',
    ]);
    const schema = await replace({ resourceVersion, grants: [{ email: ROOT, role: 'root', expiresAt: 'tomorrow', admin: true }] });
    expect(detailsOf(schema)).toEqual([
      expect.stringContaining('/grants/0/admin is unknown here'),
      '/grants/0/role must be one of admin, operator, viewer',
      expect.stringContaining('/grants/0/expiresAt'),
    ]);
    const admins = await replace({ resourceVersion, grants: [root], autoApprove: [{ domain: 'a.example', role: 'admin' }] });
    expect(detailsOf(admins)).toEqual(['/autoApprove/0/role must be one of operator, viewer']);
  });

  test('has at most 2,000 grants', async () => {
    const { resourceVersion } = await read();
    const grants = [
      { email: ROOT, role: 'admin' },
      ...Array.from({ length: 2000 }, (_, index) => ({ email: `u${index}@a.example`, role: 'viewer' })),
    ];
    expect(detailsOf(await replace({ resourceVersion, grants }))).toEqual(['/grants must have at most 2000 items']);
    expect(codeOf(await replace({ resourceVersion, grants: grants.slice(0, 2000) }))).toBe('200');
  });

  test('of a dry run is not written', async () => {
    const policy = await read();
    const answer = await replace({ ...policy, grants: policy.grants.slice(0, 1) }, as(ROOT), '?dryRun=true');
    expect([codeOf(answer), answer.body.meta.dryRun, answer.body.data.grants.length, store.policy.length]).toEqual(['200', true, 1, 2]);
    expect([reasons(), store.awaited]).toEqual([[], []]);
  });

  test('is an admin’s, and needs a session to be changed', async () => {
    const policy = await read();
    const key = await keyOf(ROOT);
    expect(codeOf(await client.get('/api/v1/access-policy', key))).toBe('200');
    expect(codeOf(await client.get('/api/v1/access-policy', as(BEN)))).toBe('403 forbidden');
    expect([codeOf(await replace(policy, {})), codeOf(await replace(policy, as(BEN))), codeOf(await replace(policy, key))]).toEqual([
      '401 unauthenticated',
      '403 forbidden',
      '403 session_required',
    ]);
  });

  test('that cannot be confirmed is not answered', async () => {
    store.isOut = true;
    expect([codeOf(await client.get('/api/v1/access-policy', as(ROOT))), codeOf(await replace({ grants: [] }))]).toEqual([
      '503 not_ready',
      '503 not_ready',
    ]);
  });
});

describe('a domain in autoApprove', () => {
  const approve = async (domain = 'new.example') => {
    const policy = await read();
    await replace({ ...policy, autoApprove: [{ domain, role: 'viewer', namespaces: ['shop'] }] });
  };

  test('gives its role to signed-in addresses of the domain, until it is removed', async () => {
    await approve();
    const answer = await list('kim@new.example');
    expect([codeOf(answer), new Set((answer.body.data as { namespace: string }[]).map(({ namespace }) => namespace))]).toEqual([
      '200',
      new Set(['shop']),
    ]);
    expect((await client.get('/api/v1/auth/session', as('kim@new.example'))).body.data).toMatchObject({
      role: 'viewer',
      namespaces: ['shop'],
    });
    const others = ['kim@sub.new.example', 'kim@xnew.example', 'kim@new.example.org', 'kim@new\u200b.example'.replace('\u200b', 'х')];
    for (const email of others) expect(codeOf(await list(email))).toBe('403 forbidden');
    await replace({ ...(await read()), autoApprove: [] });
    expect(codeOf(await list('kim@new.example'))).toBe('403 forbidden');
  });

  test('gives nothing to an address with a grant of its own, also one that has expired', async () => {
    await approve('example.com');
    expect(codeOf(await list(NEW))).toBe('200');
    store.grant(...store.policy, { email: NEW, role: 'operator', namespaces: ['*'], expiresAt: isoTime(world.clock.now() - 1) });
    expect(codeOf(await list(NEW))).toBe('403 forbidden');
  });

  test('gives no API key, which needs a grant of its own', async () => {
    await approve('example.com');
    const key = await keyOf(BEN);
    const refused = await client.send('POST', '/api/v1/api-keys', { email: NEW, label: 'x' }, as(ROOT));
    expect(codeOf(refused)).toBe('422 no_grant');
    store.grant({ email: ROOT, role: 'admin' });
    expect([codeOf(await client.get('/api/v1/recommendations', key)), codeOf(await list(BEN))]).toEqual(['403 forbidden', '200']);
  });
});

describe('an access request', () => {
  const request = (email: string, body: object = { role: 'operator', namespaces: ['team-*'], reason: 'on call' }) =>
    client.send('POST', '/api/v1/access-requests', body, as(email));
  const idOf = async (email: string, body?: object): Promise<string> => (await request(email, body)).body.data.id as string;
  const approve = (body: object, headers: Headers = as(ROOT), query = '') =>
    client.send('POST', `/api/v1/access-requests/approve${query}`, body, headers);
  const deny = (body: object, headers: Headers = as(ROOT)) => client.send('POST', '/api/v1/access-requests/deny', body, headers);
  const queue = (query = '') => client.get(`/api/v1/access-requests${query}`, as(ROOT));

  test('that is repeated is read and recorded ten times at most, then one in six seconds', async () => {
    const made = [];
    for (let sent = 0; sent < 12; sent += 1) made.push(codeOf(await request(NEW)));
    expect(made).toEqual([...Array<string>(10).fill('201'), '429 rate_limited', '429 rate_limited']);
    expect([codeOf(await request('other@example.com')), codeOf(await list(BEN))]).toEqual(['201', '200']);
    world.timer.advance(6 * SECOND_MS);
    expect([codeOf(await request(NEW)), codeOf(await request(NEW))]).toEqual(['201', '429 rate_limited']);
  });

  test('is made, seen by its requester and admins, approved, and gives access', async () => {
    const made = await request(NEW);
    expect(matches(made, 'requestAccess')).toEqual([true, true]);
    const own = await client.get('/api/v1/access-requests/own', as(NEW));
    expect([matches(own, 'listOwnAccessRequests'), own.body.data]).toEqual([[true, true], [made.body.data]]);
    const pending = await queue();
    expect([matches(pending, 'listAccessRequests'), pending.body.data]).toEqual([[true, true], [made.body.data]]);
    const approved = await approve({ id: made.body.data.id });
    expect(matches(approved, 'approveAccessRequest')).toEqual([true, true]);
    expect(approved.body.data).toMatchObject({ state: 'approved', decidedBy: ROOT });
    // Only the grant is awaited: no permission depends on the state of a request.
    expect(store.awaited).toHaveLength(1);
    expect(store.policy.at(-1)).toEqual({ email: NEW, role: 'operator', namespaces: ['team-*'] });
    expect([codeOf(await list(NEW)), (await queue()).body.data]).toEqual(['200', []]);
    expect((await client.get('/api/v1/access-requests/own', as(NEW))).body.data).toMatchObject([{ state: 'approved', decidedBy: null }]);
    expect(world.events.map(({ message }) => message)).toEqual([
      `${NEW} requested access: operator in team-*`,
      `${ROOT} approved the access request of ${NEW}: operator in team-*`,
    ]);
  });

  test('has the name that the sign-in gave', async () => {
    const session = newSession(NEW, NOW, { via: 'oidc', name: 'Nina New' });
    const headers = { cookie: `evenkeel=${sealSession(session, store.keys)}` };
    const made = await client.send('POST', '/api/v1/access-requests', { role: 'admin' }, headers);
    expect([made.body.data.name, (await client.get('/api/v1/access-requests', as(ROOT))).body.data[0].name]).toEqual([
      'Nina New',
      'Nina New',
    ]);
  });

  test('is approved once, and again without effect', async () => {
    const id = await idOf(NEW);
    await approve({ id });
    const { version } = store;
    expect([codeOf(await approve({ id })), store.version]).toEqual(['200', version]);
    expect(codeOf(await deny({ id }))).toBe('409 conflict');
  });

  test('is approved with less, never with more', async () => {
    const id = await idOf(NEW, { role: 'operator', namespaces: ['team-*', 'pay'], reason: '' });
    const past = isoTime(world.clock.now());
    const refused = await approve({ id, role: 'admin', namespaces: ['team-a', 'team?', '*', 'pays', 'Pay'], expiresAt: past });
    expect([codeOf(refused), detailsOf(refused)]).toEqual([
      '400 invalid_request',
      [
        '/role must be at most operator, the requested role',
        '/namespaces/1 must be within the requested namespaces: team-*, pay',
        '/namespaces/2 must be within the requested namespaces: team-*, pay',
        '/namespaces/3 must be within the requested namespaces: team-*, pay',
        expect.stringContaining("/namespaces/4 'Pay' is not a glob"),
        '/expiresAt must be in the future',
      ],
    ]);
    expect(codeOf(await approve({ id, namespaces: [] }))).toBe('400 invalid_request');
    const expiresAt = isoTime(world.clock.now() + HOUR_MS);
    expect(codeOf(await approve({ id, role: 'viewer', namespaces: ['team-a', 'team-b*'], expiresAt }))).toBe('200');
    expect(store.policy.at(-1)).toEqual({ email: NEW, role: 'viewer', namespaces: ['team-a', 'team-b*'], expiresAt });
  });

  test('for role admin is approved as one, or as operator of named namespaces', async () => {
    const id = await idOf(NEW, { role: 'admin' });
    expect(detailsOf(await approve({ id, role: 'operator' }))).toEqual(['/namespaces must have at least 1 item(s)']);
    expect(codeOf(await approve({ id, role: 'operator', namespaces: ['*'] }))).toBe('200');
    expect(store.policy.at(-1)).toEqual({ email: NEW, role: 'operator', namespaces: ['*'] });
    await approve({ id: await idOf('kim@example.com', { role: 'admin' }) });
    expect(store.policy.at(-1)).toEqual({ email: 'kim@example.com', role: 'admin' });
  });

  test('is denied, and may be made again', async () => {
    const id = await idOf(NEW);
    const denied = await deny({ id });
    expect([matches(denied, 'denyAccessRequest'), denied.body.data.state]).toEqual([[true, true], 'denied']);
    expect([codeOf(await deny({ id })), codeOf(await approve({ id })), codeOf(await list(NEW))]).toEqual([
      '200',
      '409 conflict',
      '403 forbidden',
    ]);
    expect([codeOf(await request(NEW)), store.requests.length]).toEqual(['201', 2]);
    expect(((await queue('?state=denied')).body.data as object[]).length).toBe(1);
    expect(reasons()).toEqual(['AccessRequested', 'AccessRequestDenied', 'AccessRequested']);
  });

  test('is one for each address: the same again is answered as it is stored, another one is refused', async () => {
    const made = await request(NEW);
    const again = await request(NEW);
    expect([codeOf(again), again.body.data, store.requests.length]).toEqual(['201', made.body.data, 1]);
    expect(codeOf(await request(NEW, { role: 'admin' }))).toBe('409 conflict');
  });

  test('is refused for a caller with access, with an API key, and without a credential', async () => {
    const body = { role: 'admin' };
    const key = await keyOf(BEN);
    expect([
      codeOf(await request(BEN, body)),
      codeOf(await client.send('POST', '/api/v1/access-requests', body, key)),
      codeOf(await client.send('POST', '/api/v1/access-requests', body)),
    ]).toEqual(['409 conflict', '403 api_key_read_only', '401 unauthenticated']);
  });

  test('names its invalid fields', async () => {
    expect(detailsOf(await request(NEW, { role: 'viewer' }))).toEqual(['/namespaces must have at least 1 item(s)']);
    expect(detailsOf(await request(NEW, { role: 'viewer', namespaces: ['A'] }))).toEqual([expect.stringContaining('/namespaces/0')]);
    const long = await request(NEW, { role: 'owner', namespaces: Array(11).fill('a'), reason: 'x'.repeat(301) });
    expect(detailsOf(long)).toHaveLength(3);
  });

  test('is decided by an admin with a session alone', async () => {
    const id = await idOf(NEW);
    const key = await keyOf(ROOT);
    for (const decide of [approve, deny]) {
      expect([codeOf(await decide({ id }, as(BEN))), codeOf(await decide({ id }, as(NEW))), codeOf(await decide({ id }, key))]).toEqual([
        '403 forbidden',
        '403 forbidden',
        '403 session_required',
      ]);
      expect(codeOf(await decide({ id: 'other' }))).toBe('404 not_found');
    }
    expect(codeOf(await client.get('/api/v1/access-requests', as(NEW)))).toBe('403 forbidden');
    expect((await client.get('/api/v1/access-requests/own', as(BEN))).body.data).toEqual([]);
  });

  test('is approved while others change the policy, whose changes stay', async () => {
    const id = await idOf(NEW);
    let changes = 0;
    store.beforeWrite = () => {
      changes += 1;
      if (changes <= 2) store.grant(...store.policy, { email: `u${changes}@example.com`, role: 'viewer' });
    };
    expect([codeOf(await approve({ id })), store.policy.map(({ email }) => email)]).toEqual([
      '200',
      [ROOT, BEN, 'u1@example.com', 'u2@example.com', NEW],
    ]);
  });

  test('whose grant was written and which was not marked is approved again', async () => {
    const id = await idOf(NEW);
    let writes = 0;
    store.beforeWrite = () => {
      writes += 1;
      if (writes === 2) store.isOut = true;
    };
    expect(codeOf(await approve({ id }))).toBe('503 not_ready');
    store.isOut = false;
    store.beforeWrite = () => undefined;
    expect(store.requests.map(({ state }) => state)).toEqual(['pending']);
    expect([codeOf(await approve({ id })), store.policy.filter(({ email }) => email === NEW).length]).toEqual(['200', 1]);
    expect(store.requests.map(({ state }) => state)).toEqual(['approved']);
  });

  test('of an address that has another grant meanwhile is refused; an expired grant is replaced', async () => {
    const id = await idOf(NEW);
    const before = store.policy;
    store.grant(...before, { email: NEW, role: 'viewer', namespaces: ['pay'] });
    expect(codeOf(await approve({ id }))).toBe('409 conflict');
    store.grant(...before, { email: NEW, role: 'admin', expiresAt: isoTime(world.clock.now()) });
    expect(codeOf(await approve({ id }))).toBe('200');
    expect(store.policy.filter(({ email }) => email === NEW)).toEqual([{ email: NEW, role: 'operator', namespaces: ['team-*'] }]);
  });

  test('of a dry run changes nothing', async () => {
    const id = await idOf(NEW);
    const { version } = store;
    const answer = await approve({ id }, as(ROOT), '?dryRun=true');
    expect([codeOf(answer), answer.body.meta.dryRun, answer.body.data.state, store.version]).toEqual(['200', true, 'approved', version]);
  });

  test('is refused while 200 are pending, and decided ones give way', async () => {
    const of = (index: number, state: 'pending' | 'denied') => ({
      id: `r${index}`,
      email: `u${index}@example.com`,
      requestedAt: isoTime(world.clock.now()),
      state,
    });
    store.requests = Array.from({ length: MAX_REQUESTS }, (_, index) => of(index, 'pending'));
    expect(codeOf(await request(NEW))).toBe('409 conflict');
    store.requests = Array.from({ length: MAX_REQUESTS }, (_, index) => of(index, index < 2 ? 'denied' : 'pending'));
    expect([codeOf(await request(NEW)), store.requests.length, store.requests[0]?.id]).toEqual(['201', MAX_REQUESTS, 'r1']);
  });

  test('that was decided is kept for 30 days', async () => {
    await deny({ id: await idOf(NEW) });
    world.clock.advance(30 * DAY_MS);
    await request('kim@example.com');
    expect(store.requests.map(({ email }) => email)).toEqual(['kim@example.com']);
  });
});

test('while authentication is off, the policy of the cluster is read and nothing is changed', async () => {
  await client.close();
  const sources = { ...world.sources, access: null };
  client = await startDashboard({ ...world, sources });
  const none = await client.get('/api/v1/access-policy');
  expect([matches(none, 'getAccessPolicy'), none.body.data]).toEqual([
    [true, true],
    { grants: [], autoApprove: [], resourceVersion: null },
  ]);
  const spec = { grants: [{ email: ROOT, role: 'admin' }] };
  world.cluster.own.set('accesspolicies', [{ metadata: { name: 'default', resourceVersion: '7' }, spec }]);
  expect((await client.get('/api/v1/access-policy')).body.data).toMatchObject({ grants: [{ email: ROOT }], resourceVersion: '7' });
  const answers = [
    await client.send('PUT', '/api/v1/access-policy', { grants: [], resourceVersion: '7' }),
    await client.send('POST', '/api/v1/access-requests/approve', { id: 'a' }),
    await client.send('POST', '/api/v1/access-requests/deny', { id: 'a' }),
    await client.send('POST', '/api/v1/access-requests', { role: 'admin' }),
  ];
  expect(answers.map(codeOf)).toEqual(['403 session_required', '403 session_required', '403 session_required', '403 feature_disabled']);
});
