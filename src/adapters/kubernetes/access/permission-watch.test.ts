import { describe, expect, test } from '@jest/globals';
import { CountingMetrics } from '../../../../test/fakes/counting-metrics.ts';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { FakeTransport, status } from '../../../../test/fakes/clients/fake-transport.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import type { ApiRequest } from '#kube/api-transport';
import { PermissionWatch, wordsOf } from './permission-watch.ts';

const RESIZE = { method: 'PATCH', path: '/api/v1/namespaces/shop/pods/web-1/resize', body: [] } as const;
const OTHER_RESIZE = { ...RESIZE, path: '/api/v1/namespaces/shop/pods/web-2/resize' } as const;
const LIST = { method: 'GET', path: '/api/v1/nodes' } as const;
const REPORT = 'patch pods/resize in namespace shop';
const MISSING = 'A permission is missing';
const GIVEN = 'A missing permission was granted';
const FORGOTTEN = 'A missing permission was not denied for 15 minutes';
/** Longer than a refusal waits for its first review, shorter than the period of reviews. */
const CONFIRMED_MS = 5_000;
const REVIEW_PERIOD_MS = 30_000;

type Answer = ReturnType<FakeTransport['answer']>;

const ALLOWED = { status: 201, body: { status: { allowed: true } } };
const DENIED = { status: 201, body: { status: { allowed: false } } };

function refusedFor(verb: string, resource: string) {
  return status(403, 'Forbidden', `x is forbidden: User "u" cannot ${verb} resource "${resource}" in API group ""`);
}

const REFUSED_RESIZE = refusedFor('patch', 'pods/resize');
const REFUSED_REVIEW = refusedFor('create', 'selfsubjectaccessreviews');

/** A watch whose requests and reviews get the answers that stand in `answers` at that moment. */
function watching(first: Answer = REFUSED_RESIZE, review: Answer = DENIED) {
  const transport = new FakeTransport();
  const answers = { request: first, review };
  const reviewed: unknown[] = [];
  const isReview = ({ path }: ApiRequest): boolean => path.endsWith('/selfsubjectaccessreviews');
  transport.answer = (request) => {
    if (!isReview(request)) return request.path === LIST.path ? {} : answers.request;
    reviewed.push((request.body as { spec: { resourceAttributes: unknown } }).spec.resourceAttributes);
    return answers.review;
  };
  const timer = new FakeClock();
  const logger = new RecordingLogger();
  const stop = new AbortController();
  const permissions = new PermissionWatch({ timer, logger, transport, metrics: new CountingMetrics(), signal: stop.signal });
  const missing = (): readonly string[] => permissions.missing().map(wordsOf);
  const logged = (): readonly string[] => logger.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message);
  return { transport, answers, reviewed, timer, logger, stop, missing, logged, through: permissions.over(transport) };
}

/** The same with one permission that is reported missing. */
async function reporting() {
  const world = watching();
  await world.through.request(RESIZE);
  await world.timer.advance(CONFIRMED_MS);
  expect(world.missing()).toEqual([REPORT]);
  return world;
}

describe('PermissionWatch', () => {
  test('reports once which verb on which resource is missing, and that it was granted', async () => {
    const { answers, timer, missing, logged, through } = watching();
    for (let tries = 0; tries < 5; tries += 1) await through.request(RESIZE);
    await through.request(LIST);
    await timer.advance(CONFIRMED_MS);
    expect(missing()).toEqual([REPORT]);
    expect(logged()).toEqual([MISSING]);
    answers.request = {};
    await through.request(RESIZE);
    expect(missing()).toEqual([]);
    expect(logged()).toEqual([MISSING, GIVEN]);
  });

  test('names the verb that was refused: an apply that would create needs create as well as patch', async () => {
    const apply = { method: 'PATCH', path: '/apis/evenkeel.io/v1alpha1/namespaces/shop/recommendations/web' } as const;
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const { timer, reviewed, missing, through } = watching(refusedFor('create', 'recommendations'));
    await through.request({ ...apply, headers });
    await timer.advance(CONFIRMED_MS);
    expect(missing()).toEqual(['create recommendations.evenkeel.io in namespace shop']);
    expect(reviewed).toMatchObject([{ verb: 'create' }]);
  });

  test.each([
    ['a quota', status(403, 'Forbidden', 'pods "web-1" is forbidden: exceeded quota: small')],
    ['a webhook', status(403, 'Forbidden', 'admission webhook "x" denied the request')],
    ['an object that is not there', status(404, 'NotFound', 'pods "web-1" not found')],
  ])('%s is no missing permission', async (_, answer) => {
    const { timer, missing, reviewed, through } = watching(answer);
    await through.request(RESIZE);
    await timer.advance(CONFIRMED_MS);
    expect([missing(), reviewed]).toEqual([[], []]);
  });

  test('what is no longer requested is forgotten, and a storm of refusals is bounded', async () => {
    const { timer, missing, logged, through } = watching();
    for (let each = 0; each < 500; each += 1) await through.request({ ...RESIZE, path: `/api/v1/namespaces/n${each}/pods/p/resize` });
    await timer.advance(CONFIRMED_MS);
    expect(missing()).toHaveLength(100);
    await timer.advance(16 * 60_000);
    expect(missing()).toEqual([]);
    expect(logged().filter((message) => message === FORGOTTEN)).toHaveLength(100);
    expect(timer.waiting).toBe(0);
  });
});

describe('The report of a missing permission', () => {
  test.each([
    ['a success', { status: 200 }],
    ['an object that is not there', status(404, 'NotFound', 'pods "web-2" not found')],
    ['a conflict', status(409, 'Conflict', 'the object has been modified')],
    ['a value that is invalid', status(422, 'Invalid', 'is invalid')],
    ['a patch of an unknown type', status(415, 'UnsupportedMediaType', 'the body of the request was in an unknown format')],
    ['a disruption budget', status(429, 'TooManyRequests', 'would violate it', [{ reason: 'DisruptionBudget', message: 'x', field: '' }])],
  ])('ends with %s: the authorizer let the request through', async (_, answer) => {
    const { answers, missing, logged, through } = await reporting();
    answers.request = answer;
    await through.request(OTHER_RESIZE);
    expect(missing()).toEqual([]);
    expect(logged()).toEqual([MISSING, GIVEN]);
  });

  test.each([
    ['an unknown token', status(401, 'Unauthorized', 'Unauthorized')],
    ['a refusal of other words', status(403, 'Forbidden', 'no')],
    ['priority and fairness', status(429, 'TooManyRequests', 'too many requests, please try again later')],
    ['an authorizer that failed', status(500, 'InternalError', 'Internal Server Error')],
    ['a load balancer', { status: 503, body: 'no backend' }],
  ])('stays after %s: it says nothing about the authorizer', async (_, answer) => {
    const { answers, missing, logged, through } = await reporting();
    answers.request = answer;
    await through.request(OTHER_RESIZE);
    expect(missing()).toEqual([REPORT]);
    expect(logged()).toEqual([MISSING]);
  });

  test('ends without a request: access is reviewed every 30 s', async () => {
    const { answers, timer, reviewed, missing, logged } = await reporting();
    const before = reviewed.length;
    await timer.advance(2 * REVIEW_PERIOD_MS);
    expect(reviewed).toHaveLength(before + 2);
    expect(missing()).toEqual([REPORT]);
    answers.review = ALLOWED;
    await timer.advance(REVIEW_PERIOD_MS);
    expect(missing()).toEqual([]);
    expect(logged()).toEqual([MISSING, GIVEN]);
  });

  test('is reviewed for each namespace, and ends only where access is given', async () => {
    const { transport, timer, missing, through } = watching();
    const answer = transport.answer;
    for (const namespace of ['a', 'b']) await through.request({ ...RESIZE, path: `/api/v1/namespaces/${namespace}/pods/p/resize` });
    await timer.advance(CONFIRMED_MS);
    transport.answer = (request) => (JSON.stringify(request.body).includes('"namespace":"a"') ? ALLOWED : answer(request));
    await timer.advance(REVIEW_PERIOD_MS);
    expect(missing()).toEqual(['patch pods/resize in namespace b']);
  });

  test.each([
    ['is refused', REFUSED_REVIEW],
    ['meets a failing server', status(500, 'InternalError', 'Internal Server Error')],
  ])('stays where its review %s', async (_, answer) => {
    const { answers, timer, missing } = await reporting();
    answers.review = answer;
    await timer.advance(2 * REVIEW_PERIOD_MS);
    expect(missing()).toEqual([REPORT]);
  });

  test('costs no more reviews after its end, nor after the process stops', async () => {
    const { answers, timer, through } = await reporting();
    answers.request = {};
    await through.request(RESIZE);
    await timer.advance(REVIEW_PERIOD_MS);
    expect(timer.waiting).toBe(0);
    const other = await reporting();
    other.stop.abort();
    await other.through.request(OTHER_RESIZE);
    const before = other.reviewed.length;
    await other.timer.advance(2 * REVIEW_PERIOD_MS);
    expect([other.timer.waiting, other.reviewed.length]).toEqual([0, before]);
  });
});

describe('An access review', () => {
  test.each<[string, ApiRequest, string, object]>([
    [
      'a subresource of one object',
      RESIZE,
      'pods/resize',
      { verb: 'patch', resource: 'pods', subresource: 'resize', namespace: 'shop', name: 'web-1' },
    ],
    [
      'a list of all namespaces',
      { method: 'GET', path: '/apis/apps/v1/deployments' },
      'deployments',
      { group: 'apps', resource: 'deployments' },
    ],
    [
      'a watch of one object by its name',
      { method: 'GET', path: '/api/v1/namespaces/own/configmaps', query: { watch: true, fieldSelector: 'metadata.name=pause' } },
      'configmaps',
      { verb: 'watch', resource: 'configmaps', namespace: 'own', name: 'pause' },
    ],
    [
      'an object of the cluster',
      { method: 'GET', path: '/api/v1/nodes/n1/proxy/metrics' },
      'nodes/proxy',
      { verb: 'get', resource: 'nodes', subresource: 'proxy', name: 'n1' },
    ],
  ])('asks for what was refused: %s', async (_, request, resource, attributes) => {
    const verb = (attributes as { verb?: string }).verb ?? 'list';
    const { timer, reviewed, through } = watching(refusedFor(verb, resource));
    await through.request(request);
    await timer.advance(CONFIRMED_MS);
    expect(reviewed).toEqual([{ verb, ...attributes }]);
  });
});

describe('An API server that starts and has not read its roles yet', () => {
  test('is not reported: it refuses reviews, too, and answers the next request', async () => {
    const { answers, timer, missing, logged, through } = watching(REFUSED_RESIZE, REFUSED_REVIEW);
    await through.request(RESIZE);
    await timer.advance(CONFIRMED_MS);
    answers.request = {};
    await through.request(RESIZE);
    await timer.advance(10 * REVIEW_PERIOD_MS);
    expect(missing()).toEqual([]);
    expect(logged()).toEqual([]);
    expect(timer.waiting).toBe(0);
  });

  test('is not reported where it has read them by the review', async () => {
    const { timer, missing, logged, through } = watching(REFUSED_RESIZE, ALLOWED);
    await through.request(RESIZE);
    await timer.advance(10 * REVIEW_PERIOD_MS);
    expect(missing()).toEqual([]);
    expect(logged()).toEqual([]);
    expect(timer.waiting).toBe(0);
  });

  test('is named as a possible reason where reviews are refused for longer', async () => {
    const { answers, timer, logger, missing, logged, through } = watching(REFUSED_RESIZE, REFUSED_REVIEW);
    await through.request(RESIZE);
    await timer.advance(CONFIRMED_MS + REVIEW_PERIOD_MS);
    expect(missing()).toEqual([REPORT]);
    const report = logger.lines.find(({ message }) => message === MISSING);
    expect(report?.fields['remedy']).toMatch(/API server.*may not have read its roles yet.*grant patch on pods\/resize/);
    answers.review = ALLOWED;
    await timer.advance(REVIEW_PERIOD_MS);
    expect(missing()).toEqual([]);
    expect(logged()).toEqual([MISSING, GIVEN]);
  });

  test('is not reported where it does not answer reviews: its absence is no refusal', async () => {
    const { transport, timer, missing, logged, through } = watching();
    const answer = transport.answer;
    transport.answer = (request) => (request.method === 'POST' ? Promise.reject(new Error('connection refused')) : answer(request));
    await through.request(RESIZE);
    await timer.advance(4 * REVIEW_PERIOD_MS);
    expect(missing()).toEqual([]);
    expect(logged()).toEqual([]);
  });

  test('that is refused although its review allows it costs one review in 30 s', async () => {
    const { timer, reviewed, missing, through } = watching(REFUSED_RESIZE, ALLOWED);
    for (let second = 0; second < 120; second += 1) {
      await through.request(RESIZE);
      await timer.advance(1_000);
    }
    expect(missing()).toEqual([]);
    expect(reviewed.length).toBeLessThanOrEqual(5);
  });
});
