import { dirname, join } from 'node:path/posix';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AccessRequest, Recommendation, Session } from '../../../apis/http/types.generated.ts';
import { readClientModules } from '../client-modules.ts';
import { contentSecurityPolicy } from '../../guards/security-headers.ts';
import { pageHtml } from '../page-html.ts';
import { readChoices } from './address.ts';
import { age, amount, count, cpu, memory, money, percent, savingsText } from './format.ts';
import { followStream } from './live.ts';
import { areaPath, axisTop, gaps, linePath, spread } from './cards/plot-geometry.ts';
import { byUrgency, isForDecision, describeState } from './cards/recommendation-words.ts';
import { pauseText } from './cards/top-bar.ts';
import { riverEntries } from './cards/river.ts';
import { describeRequest, readableAddress, readNamespaces } from './request-access.ts';
import { allowedOf, isAccessChanged } from './sign-in.ts';

describe('number formats', () => {
  test.each([
    [money(170.1), '$170.10'],
    [money(-62), '−$62.00'],
    [money(120_400.4), '$120,400'],
    [money(null), '—'],
    [savingsText(2.39), 'saves $2.39'],
    [savingsText(-10.89), 'needs $10.89 more'],
    [savingsText(0.004), 'no change'],
    [cpu(1200), '1,200m'],
    [cpu(null), '—'],
    [memory(928 * 2 ** 20), '928 MiB'],
    [memory(3.5 * 2 ** 30), '3.5 GiB'],
    [memory(-256 * 2 ** 20), '−256 MiB'],
    [percent(0.344), '34\u202f%'],
    [amount(46_200, 'millicores'), '46.2'],
    [age(240), '4 min'],
    [age(86_400 * 3), '3 d'],
    [count(1, 'pod'), '1 pod'],
    [count(1200, 'pod'), '1,200 pods'],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected);
  });
});

describe('the mode badge', () => {
  test.each([
    [null, 'Paused'],
    [{ reason: '', until: null }, 'Paused'],
    [{ reason: 'investigating an incident', until: null }, 'Paused: investigating an incident'],
    [{ reason: 'load test', until: '2026-11-26T14:00:00Z' }, 'Paused until 26 Nov 14:00 UTC: load test'],
    [{ reason: 'x'.repeat(500), until: null }, `Paused: ${'x'.repeat(79)}…`],
  ])('of the pause %j is %s', (pause, expected) => {
    expect(pauseText(pause)).toBe(expected);
  });
});

describe('plots', () => {
  const same = (value: number): number => value;

  test('a line has gaps where values are unknown, and is never drawn as zero', () => {
    const points = [
      { at: 0, value: 1 },
      { at: 1, value: null },
      { at: 2, value: 3 },
      { at: 3, value: 4 },
    ];
    expect(linePath(points, same, same)).toBe('M0 1M2 3L3 4');
    expect(gaps(points)).toEqual([[0, 2]]);
  });

  test('an area covers points where both lines are known', () => {
    const upper = [
      { at: 0, value: 9 },
      { at: 1, value: 9 },
      { at: 2, value: 9 },
    ];
    const lower = [
      { at: 0, value: 5 },
      { at: 1, value: 5 },
      { at: 2, value: null },
    ];
    expect(areaPath(upper, lower, same, same)).toBe('M0 9L1 9L1 5L0 5Z');
  });

  test('an axis contains its highest value and not much more', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 1e9, noNaN: true }), (highest) => {
        const top = axisTop(highest, 'millicores');
        expect(top).toBeGreaterThanOrEqual(highest);
        expect(top).toBeLessThanOrEqual(highest * 1.45);
      }),
    );
  });

  test('labels keep their distance and order', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 128, noNaN: true }), { maxLength: 6 }), (places) => {
        const moved = spread(places, 15);
        const sorted = [...moved].sort((a, b) => a - b);
        for (let index = 1; index < sorted.length; index += 1)
          expect((sorted[index] ?? 0) - (sorted[index - 1] ?? 0)).toBeGreaterThan(14.999);
      }),
    );
  });
});

describe('state labels', () => {
  const item = (given: Partial<Recommendation>): Recommendation =>
    ({
      namespace: 'shop',
      kind: 'Deployment',
      name: 'web',
      state: 'optimal',
      reason: null,
      until: null,
      mode: 'Auto',
      savingsPerMonthUsd: null,
      containers: [{ recommended: { requests: { cpuMillicores: 1, memoryBytes: 1 } } }],
      ...given,
    }) as Recommendation;

  test.each([
    [{ state: 'awaiting', reason: 'cooldown', until: '2026-11-20T14:50:00.000Z' }, 'In cooldown until 20 Nov 14:50'],
    [{ state: 'awaiting', reason: 'approval' }, 'Awaits approval'],
    [{ state: 'blocked', reason: 'no-in-place' }, 'Blocked: in-place resize not supported'],
    [{ state: 'awaiting', reason: 'of-a-later-version' }, 'Of-a-later-version'],
    [{ state: 'optimal' }, 'Right-sized'],
  ] as const)('%j', (given, word) => {
    expect(describeState(item(given)).word).toBe(word);
  });

  test('buttons appear only where a user can decide', () => {
    expect(isForDecision(item({ state: 'awaiting', reason: 'approval' }))).toBe(true);
    expect(isForDecision(item({ state: 'awaiting', reason: 'cooldown' }))).toBe(false);
    expect(isForDecision(item({ state: 'awaiting', reason: 'approval', containers: [] }))).toBe(false);
  });

  test('recommendations that need a user are first, then by savings', () => {
    const names = [
      item({ name: 'rich', state: 'awaiting', reason: 'cooldown', savingsPerMonthUsd: 900 }),
      item({ name: 'done', state: 'applied' }),
      item({ name: 'mine', state: 'awaiting', reason: 'approval', savingsPerMonthUsd: 3 }),
    ].sort(byUrgency);
    expect(names.map(({ name }) => name)).toEqual(['mine', 'rich', 'done']);
  });
});

test('pods with the same change within an hour are one timeline entry', () => {
  const value = (pod: string, at: string) => ({
    id: pod,
    at,
    pod,
    container: 'app',
    from: { requests: {} },
    to: { requests: {} },
    reason: '',
    actor: 'evenkeel',
    outcome: 'applied' as const,
    message: '',
  });
  const history = [value('a', '2026-11-20T10:05:00.000Z'), value('b', '2026-11-20T10:06:00.000Z'), value('c', '2026-11-20T12:06:00.000Z')];
  const entries = riverEntries([
    { namespace: 'shop', name: 'web', audit: { history } } as unknown as Parameters<typeof riverEntries>[0][number],
  ]);
  expect(entries.map((entry) => [entry.at, entry.pods])).toEqual([
    ['2026-11-20T12:06:00.000Z', 1],
    ['2026-11-20T10:06:00.000Z', 2],
  ]);
});

describe('the form to request access', () => {
  test.each([
    ['shop', ['shop']],
    [' shop,  team-*\tpay ', ['shop', 'team-*', 'pay']],
    ['', []],
  ])('reads namespaces from %j', (text, expected) => {
    expect(readNamespaces(text)).toEqual(expected);
  });

  test('shows admins which letters of an address only look like those of another', () => {
    expect(readableAddress('ana@example.com')).toBe('ana@example.com');
    expect(readableAddress('аna@example.com')).toBe('а[U+0430]na@example.com');
    expect(readableAddress('ana\u3164@example.com')).toBe('ana\u3164[U+3164]@example.com');
  });

  test('says what was requested', () => {
    const request = { requestedRole: 'operator', requestedNamespaces: ['shop', 'team-*'] } as unknown as AccessRequest;
    expect([describeRequest(request), describeRequest({ ...request, requestedRole: 'admin' })]).toEqual([
      'operator in shop, team-*',
      'admin',
    ]);
  });
});

test.each([
  ['an admin', { capabilities: ['view', 'operate', 'administer', 'manage-keys'] }, true],
  ['a viewer', { capabilities: ['view'] }, false],
  ['a user whose session could not be read', null, false],
])('cards of what only an admin may read are shown for %s: %j', (_, session, isShown) => {
  expect(allowedOf(session as Session | null).administer).toBe(isShown);
});

test.each<[string, Pick<Session, 'capabilities'> | null, boolean]>([
  ['an operator', { capabilities: ['view', 'operate'] }, true],
  ['a viewer', { capabilities: ['view'] }, false],
  ['a user whose session could not be read', null, false],
])('buttons that change something are shown to %s: %j', (_, session, isShown) => {
  expect(allowedOf(session as Session | null).operate).toBe(isShown);
});

test.each<[string, Session['authEnabled'], RegExp]>([
  ['roles, while authentication is on', true, /operator or an admin/],
  ['kubectl port-forward, while changes of others are refused without a credential', false, /kubectl port-forward/],
])('a user who only reads is referred to %s', (_, authEnabled, expected) => {
  const capabilities: Session['capabilities'] = ['view'];
  expect(allowedOf({ capabilities, authEnabled } as Session).whoDecides).toMatch(expected);
});

describe('a page whose session', () => {
  const OPERATOR: Session = {
    authenticated: true,
    email: 'ana@example.com',
    name: null,
    role: 'operator',
    namespaces: ['shop'],
    capabilities: ['view', 'operate'],
    expiresAt: '2026-11-20T12:00:00.000Z',
    authEnabled: true,
  };
  const SIGNED_OUT: Session = {
    ...OPERATOR,
    authenticated: false,
    email: null,
    role: null,
    namespaces: [],
    capabilities: [],
    expiresAt: null,
  };

  test.each<[string, boolean, Session | null, Session | null]>([
    ['is the same', false, OPERATOR, { ...OPERATOR }],
    ['ends at another time', false, OPERATOR, { ...OPERATOR, expiresAt: '2026-11-20T13:00:00.000Z' }],
    ['has another role', true, OPERATOR, { ...OPERATOR, role: 'viewer' }],
    ['has other namespaces', true, OPERATOR, { ...OPERATOR, namespaces: ['shop', 'pay'] }],
    ['has fewer capabilities', true, OPERATOR, { ...OPERATOR, capabilities: ['view'] }],
    ['has more capabilities', true, { ...OPERATOR, capabilities: ['view'] }, OPERATOR],
    ['has no grant any longer', true, OPERATOR, { ...OPERATOR, role: null, namespaces: [], capabilities: [] }],
    ['has ended', true, OPERATOR, SIGNED_OUT],
    ['cannot be read', false, OPERATOR, null],
    ['could not be read at the start', true, null, OPERATOR],
    ['could not be read at the start, and has ended', true, null, SIGNED_OUT],
    ['could never be read', false, null, null],
  ])('%s is loaded again: %j', (_, isLoadedAgain, before, now) => {
    expect(isAccessChanged(before, now)).toBe(isLoadedAgain);
  });
});

test('the URL selects the view, with defaults for unknown values', () => {
  expect(readChoices('?show=open&span=7d&q=web')).toEqual({ show: 'open', span: '7d', q: 'web' });
  expect(readChoices('?show=<script>&span=1y')).toEqual({ show: 'all', span: '24h', q: '' });
});

describe('the live connection', () => {
  const opened: { readyState: number; readonly listeners: Map<string, (event: { data: string }) => void> }[] = [];
  class FakeEventSource {
    readyState = 0;
    readonly listeners = new Map<string, (event: { data: string }) => void>();
    constructor() {
      opened.push(this);
    }
    addEventListener(type: string, listener: (event: { data: string }) => void): void {
      this.listeners.set(type, listener);
    }
  }

  test('is reopened after a refusal, and left to the browser after a broken connection', () => {
    Object.assign(globalThis, { EventSource: FakeEventSource });
    const later: (() => void)[] = [];
    const ups: boolean[] = [];
    const nothing = (): void => undefined;
    followStream(
      { cluster: nothing, recommendations: nothing, reload: nothing, connection: (up) => void ups.push(up) },
      (action) => void later.push(action),
    );
    opened[0]?.listeners.get('error')?.({ data: '' });
    expect([later.length, ups]).toEqual([0, [false]]);
    opened[0]!.readyState = 2;
    opened[0]?.listeners.get('error')?.({ data: '' });
    later[0]?.();
    opened[1]?.listeners.get('open')?.({ data: '' });
    expect([opened.length, ups]).toEqual([2, [false, false, true]]);
    Object.assign(globalThis, { EventSource: undefined });
  });
});

describe('the served modules', () => {
  const { main, sourceByPath } = readClientModules();

  test('contain no types or tests, and every import is served', () => {
    expect(sourceByPath.has(main)).toBe(true);
    expect([...sourceByPath.keys()].some((name) => name.includes('.test.'))).toBe(false);
    for (const [path, source] of sourceByPath) {
      for (const [, imported = ''] of source.matchAll(/from '(\.[^']+)'/g)) {
        expect([...sourceByPath.keys()]).toContain(join(dirname(path), imported));
      }
    }
  });

  test('have nothing inline that the content security policy blocks', () => {
    const html = pageHtml('assets/main.js', { hasPassword: true, issuer: 'Ana’s "<issuer>"' });
    expect(html).toContain('data-local-sign-in="true" data-issuer="Ana’s &quot;&lt;issuer&gt;&quot;"');
    expect(html).not.toMatch(/<script(?![^>]*src=)|\son\w+=|\sstyle=|<style/);
    expect(contentSecurityPolicy()).not.toContain('unsafe');
  });
});
