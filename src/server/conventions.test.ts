import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { request as httpRequest } from 'node:http';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { OPERATIONS } from './openapi/document.ts';
import { queryParametersOf } from './openapi/parameters.ts';

/** Lists that are served while authentication is off. */
const LISTS = OPERATIONS.filter(({ list, access }) => list !== undefined && access !== 'admin-session');

let world: DashboardWorld;
let client: DashboardClient;
beforeEach(async () => {
  world = dashboardWorld();
  client = await startDashboard(world);
});
afterEach(() => client.close());

describe('the envelope', () => {
  test('contains total, timestamp and request id, and the header has the same id', async () => {
    const { body, headers } = await client.get('/api/v1/nodes', { 'x-request-id': 'mine-1' });
    expect(body.meta).toMatchObject({ total: 6, timestamp: '2026-11-20T14:30:00.000Z', requestId: 'mine-1', dataAge: 0 });
    expect(headers.get('x-request-id')).toBe('mine-1');
  });

  test('generates an id where the given one is invalid', async () => {
    const { body } = await client.get('/api/v1/mode', { 'x-request-id': 'a b<script>' });
    expect(body.meta.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('marks data older than two minutes as stale, by the older of informers and usage', async () => {
    world.usageConfirmedAt = world.clock.now() - 121_000;
    const { body } = await client.get('/api/v1/cluster');
    expect(body.meta).toMatchObject({ dataAge: 121, stale: true });
  });

  test('warns about a usage source without a recent answer', async () => {
    world.usageConfirmedAt = world.clock.now() - 121_000;
    const late = await client.get('/api/v1/pods');
    expect(late.body.meta.warnings).toEqual([
      { code: 'usage_unavailable', message: 'The usage source has not responded for 121 s, so usage is that old.' },
    ]);
    world.usageConfirmedAt = null;
    const never = await client.get('/api/v1/pods');
    expect(never.body.meta.warnings[0].code).toBe('usage_unavailable');
  });

  test('warns about an unreachable source and still answers', async () => {
    world.history.away = true;
    const usage = await client.get('/api/v1/cluster/usage');
    expect(usage.status).toBe(200);
    expect(usage.body.meta.warnings[0].code).toBe('history_unavailable');
    const detail = await client.get('/api/v1/recommendations/shop/checkout');
    expect(detail.body.data.audit.history).toBeNull();
  });

  test('has Cache-Control and Vary headers', async () => {
    const { headers } = await client.get('/api/v1/nodes');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    for (const name of ['Authorization', 'Cookie']) expect(headers.get('vary')).toContain(name);
  });
});

describe('errors', () => {
  const bulk = (count: number) => ({
    items: Array.from({ length: count }, () => ({ namespace: 'shop', name: 'web', action: 'rollback' })),
  });

  test.each([
    ['an unknown path', 'GET', '/api/v1/nowhere', undefined, 404, 'not_found'],
    ['an unknown node', 'GET', '/api/v1/nodes/n-9', undefined, 404, 'not_found'],
    ['an unknown workload', 'GET', '/api/v1/recommendations/shop/nothing', undefined, 404, 'not_found'],
    ['the endpoints of later issues', 'GET', '/api/v1/alerts', undefined, 404, 'not_found'],
    ['a method that is not served', 'DELETE', '/api/v1/nodes', undefined, 405, 'method_not_allowed'],
    ['a limit of nothing', 'GET', '/api/v1/nodes?limit=0', undefined, 400, 'invalid_request'],
    ['a limit that is no number', 'GET', '/api/v1/nodes?limit=ten', undefined, 400, 'invalid_request'],
    ['a parameter given twice', 'GET', '/api/v1/nodes?limit=1&limit=2', undefined, 400, 'invalid_request'],
    ['a sort field that is not one', 'GET', '/api/v1/nodes?sort=colour', undefined, 400, 'invalid_request'],
    ['a state that is not one', 'GET', '/api/v1/recommendations?state=fine', undefined, 400, 'invalid_request'],
    ['a cursor that is not one', 'GET', '/api/v1/nodes?cursor=abc', undefined, 400, 'invalid_request'],
    ['a duration in two units', 'GET', '/api/v1/cluster/usage?duration=1h30m', undefined, 400, 'invalid_request'],
    ['a duration too short', 'GET', '/api/v1/cluster/usage?duration=4m', undefined, 400, 'invalid_request'],
    ['a duration too long', 'GET', '/api/v1/cluster/usage?duration=91d', undefined, 400, 'invalid_request'],
    ['a step too fine', 'GET', '/api/v1/cluster/usage?duration=1h&step=5s', undefined, 400, 'invalid_request'],
    ['more points than 2,000', 'GET', '/api/v1/cluster/usage?duration=90d&step=1h', undefined, 400, 'invalid_request'],
    ['a path that cannot be decoded', 'GET', '/api/v1/nodes/%E0%A4%A', undefined, 400, 'invalid_request'],
    ['a body that is not JSON', 'PUT', '/api/v1/recommendations/shop/web/mode', '{', 400, 'invalid_request'],
    ['a body that is missing', 'PUT', '/api/v1/recommendations/shop/web/mode', undefined, 400, 'invalid_request'],
    ['501 items at once', 'POST', '/api/v1/recommendations/bulk', bulk(501), 400, 'invalid_request'],
    ['a body over 1 MiB', 'PUT', '/api/v1/recommendations/shop/web/mode', { reason: 'x'.repeat(1_048_577) }, 413, 'payload_too_large'],
  ])('%s', async (_, method, path, body, status, code) => {
    const answer = await client.send(method, path, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ data: null, error: { code }, meta: { total: 0 } });
  });

  test('name every invalid field at once', async () => {
    const answer = await client.send('POST', '/api/v1/recommendations/bulk?dryRun=maybe', {
      items: [{ namespace: 'shop', name: 'web', action: 'explode' }, { name: 3 }],
    });
    const paths = answer.body.error.details.map((detail: { path: string }) => detail.path).sort();
    expect(paths).toEqual(['/items/0/action', '/items/1/action', '/items/1/name', '/items/1/namespace', 'query.dryRun']);
  });

  test.each([
    ['that is not JSON', '{', 'The body is not valid JSON.'],
    ['of another type', '5', 'The body must be object.'],
  ])('a body %s is reported as the body', async (_, body, message) => {
    const answer = await client.send('PUT', '/api/v1/recommendations/shop/web/mode', body);
    expect(answer.body.error.message).toBe(message);
    expect(answer.body.error.details[0].path).toBe('');
  });

  test('a body that does not match its Content-Encoding is reported as the body', async () => {
    const answer = await client.send('PUT', '/api/v1/recommendations/shop/web/mode', { mode: 'Off' }, { 'content-encoding': 'gzip' });
    expect([answer.status, answer.body.error.details]).toEqual([400, [{ path: '', message: 'does not match its Content-Encoding' }]]);
  });

  test('a form post is rejected', async () => {
    const answer = await client.send('POST', '/api/v1/resize-cycle/trigger', 'a=b', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([answer.status, answer.body.error.code]).toEqual([415, 'unsupported_media_type']);
  });

  test('a method that is not served lists those that are', async () => {
    const { headers } = await client.send('POST', '/api/v1/nodes', {});
    expect(headers.get('allow')).toBe('GET, HEAD');
  });

  test('an internal error is logged with the request id and answered without details', async () => {
    world.sources.cluster.nodes = () => {
      throw new Error('secret detail');
    };
    const answer = await client.get('/api/v1/nodes', { 'x-request-id': 'r-1' });
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
    expect(world.logger.lines.find((line) => line.level === 'error')?.fields).toMatchObject({ requestId: 'r-1' });
  });

  test('two kinds with one name: the error lists the kinds and ?kind= selects', async () => {
    const [first] = world.cluster.workloadList;
    world.cluster.workloadList.push({ ...first!, kind: 'StatefulSet', uid: 'twin' });
    const answer = await client.get('/api/v1/recommendations/shop/checkout');
    expect([answer.status, answer.body.error.code]).toEqual([409, 'ambiguous_workload']);
    expect(answer.body.error.details.map((detail: { message: string }) => detail.message)).toEqual(['Deployment', 'StatefulSet']);
    expect((await client.get('/api/v1/recommendations/shop/checkout?kind=StatefulSet')).body.data.kind).toBe('StatefulSet');
  });
});

describe('before the caches have synced', () => {
  beforeEach(() => {
    world.cluster.synced = false;
  });

  test.each(
    OPERATIONS.filter((operation) => operation.beforeReady !== true && operation.method === 'get').map((operation) => operation.path),
  )('%s answers 503 with Retry-After', async (path) => {
    const answer = await client.get(`/api/v1${path.replace('{ns}', 'shop').replace('{name}', 'web')}`);
    expect([answer.status, answer.body.error.code, answer.headers.get('retry-after')]).toEqual([503, 'not_ready', '5']);
  });

  test.each(['/health', '/mode', '/openapi.json', '/docs'])('%s answers', async (path) => {
    expect((await client.get(`/api/v1${path}`)).status).toBe(200);
  });

  test('the mode has the warnings of the process, such as that no credential is required', async () => {
    const warning = { code: 'authentication_disabled', message: 'Every client may read everything.' };
    const mode = { mode: () => ({ ...world.sources.mode.mode(), warnings: [warning] }) };
    const open = await startDashboard({ ...world, sources: { ...world.sources, mode } });
    expect((await open.get('/api/v1/mode')).body.meta.warnings).toEqual([warning]);
    await open.close();
  });

  test('/mode shows the reason and the end of a pause', async () => {
    expect((await client.get('/api/v1/mode')).body.data).toMatchObject({ mode: 'active', pause: null });
    world.mode = 'paused';
    const { data } = (await client.get('/api/v1/mode')).body;
    expect(data).toMatchObject({ mode: 'paused', pause: { reason: 'investigating an incident', until: null } });
  });
});

describe('lists', () => {
  test('pages contain every item exactly once, for any sort and page size', async () => {
    const all = (await client.get('/api/v1/pods?limit=1000')).body.data.map(
      (pod: { namespace: string; name: string }) => `${pod.namespace}/${pod.name}`,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('name', '-name', 'node', '-createdAt', 'used.cpuMillicores', '-requests.memoryBytes'),
        async (limit, sort) => {
          const seen: string[] = [];
          let cursor = '';
          do {
            const { body } = await client.get(`/api/v1/pods?limit=${limit}&sort=${sort}${cursor}`);
            expect(body.meta.total).toBe(all.length);
            seen.push(...body.data.map((pod: { namespace: string; name: string }) => `${pod.namespace}/${pod.name}`));
            cursor = body.meta.nextCursor === undefined ? '' : `&cursor=${body.meta.nextCursor}`;
          } while (cursor !== '');
          expect(seen.length).toBe(all.length);
          expect([...seen].sort()).toEqual([...all].sort());
        },
      ),
      { numRuns: 15 },
    );
  });

  test('an item created between two pages neither repeats nor hides another', async () => {
    const first = (await client.get('/api/v1/nodes?limit=3')).body;
    world.cluster.nodeList = [{ ...world.cluster.nodeList[0]!, name: 'n-0a', uid: 'new' }, ...world.cluster.nodeList];
    const second = (await client.get(`/api/v1/nodes?limit=3&cursor=${first.meta.nextCursor}`)).body;
    expect(second.data.map((node: { name: string }) => node.name)).toEqual(['n-3', 'n-4', 'n-5']);
  });

  const levels: Readonly<Record<string, readonly string[]>> = {
    risk: ['none', 'low', 'medium', 'high'],
    mode: ['Off', 'Observe', 'Recommend', 'Approve', 'Auto'],
    health: ['healthy', 'attention', 'critical'],
    status: ['ok', 'degraded', 'failed'],
  };
  const rank = (field: string, value: unknown): unknown => levels[field]?.indexOf(String(value)) ?? value;
  const fieldIn = (item: unknown, field: string): unknown =>
    field.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], item) ?? null;

  test.each(LISTS)('$path sorts by every field that has one value', async (operation) => {
    const sort = queryParametersOf(operation).find(({ name }) => name === 'sort');
    for (const by of (sort?.schema.enum ?? []).map(String)) {
      const field = by.replace(/^-/, '');
      const { status, body } = await client.get(`/api/v1${operation.path}?limit=1000&sort=${by}`);
      const values = (body.data as unknown[]).map((item) => fieldIn(item, field));
      const known = values.filter((value) => value !== null).map((value) => rank(field, value) as number);
      const ascending = [...known].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      const expected = by.startsWith('-') ? ascending.reverse() : ascending;
      const nulls = values.filter((value) => value === null);
      expect({ by, status, values: values.map((value) => (value === null ? null : rank(field, value))) }).toEqual({
        by,
        status: 200,
        values: [...expected, ...nulls],
      });
    }
  });

  test('pages continue where the sort field has long texts', async () => {
    const message = `${'\u0007'.repeat(300)}${'节点没有足够的空间。'.repeat(300)}`;
    world.cluster.podList = world.cluster.podList
      .slice(0, 5)
      .map((pod) => ({ ...pod, resize: { ...pod.resize, state: 'deferred', message: `${message}${pod.name}` } }));
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const { status, body } = await client.get(`/api/v1/pods?limit=1&sort=-resize.message${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(status).toBe(200);
      seen.push(...body.data.map(({ name }: { name: string }) => name));
      cursor = body.meta.nextCursor;
    }
    expect(seen.toSorted()).toEqual(world.cluster.podList.map(({ name }) => name).toSorted());
  });

  test('a cursor belongs to its sort', async () => {
    const { body } = await client.get('/api/v1/nodes?limit=1');
    const answer = await client.get(`/api/v1/nodes?limit=1&sort=-name&cursor=${body.meta.nextCursor}`);
    expect(answer.body.error.details[0]).toMatchObject({ path: 'query.cursor' });
  });

  test.each([
    ['namespace=shop', ['cart', 'catalogue', 'checkout', 'web']],
    ['namespace=pay&namespace=notify', ['ledger', 'mailer', 'push', 'risk-score']],
    ['q=CHECK', ['checkout']],
    ['q=sear', ['indexer', 'query']],
    ['state=applied', ['cart', 'catalogue']],
    ['state=applied&state=blocked', ['cart', 'catalogue', 'mailer']],
    ['kind=DaemonSet', ['collector']],
    ['package=search-suite', ['indexer', 'query']],
    ['mode=Off', ['backup']],
    ['reason=approval', ['checkout']],
    ['reason=window&reason=hpa', []],
  ])('recommendations?%s', async (search, names) => {
    const { body } = await client.get(`/api/v1/recommendations?sort=name&${search}`);
    expect(body.data.map((item: { name: string }) => item.name)).toEqual(names);
    expect(body.meta.total).toBe(names.length);
  });

  test('unknown values are last, ascending and descending', async () => {
    for (const sort of ['savingsPerMonthUsd', '-savingsPerMonthUsd']) {
      const { body } = await client.get(`/api/v1/recommendations?sort=${sort}`);
      expect(body.data.at(-1).savingsPerMonthUsd).toBeNull();
    }
  });

  test('the summary covers all matching items, to the cent', async () => {
    const all = (await client.get('/api/v1/recommendations')).body;
    const page = (await client.get('/api/v1/recommendations?limit=2')).body;
    const sum = all.data.reduce(
      (total: number, item: { savingsPerMonthUsd: number | null }) => total + Math.round((item.savingsPerMonthUsd ?? 0) * 100),
      0,
    );
    expect(page.meta.summary.savingsPerMonthUsd).toBe(sum / 100);
  });

  test('CSV has the rows of the JSON, and no cell is a formula', async () => {
    world.cluster.nodeList[0] = { ...world.cluster.nodeList[0]!, pool: '=cmd()' };
    const json = (await client.get('/api/v1/nodes?sort=-name&limit=4')).body.data;
    const csv = await client.get('/api/v1/nodes?sort=-name&limit=4&format=csv');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    const [head, ...rows] = csv.text.trimEnd().split('\r\n');
    expect(rows.length).toBe(4);
    expect(rows.map((row) => row.split(',')[0])).toEqual(json.map((node: { name: string }) => node.name));
    expect(head?.split(',')).toContain('requested.cpuMillicores');
    expect((await client.get('/api/v1/nodes?limit=1&format=csv')).text).toContain(",'=cmd(),");
    // Spreadsheets skip a line feed, and read the full-width form as well.
    for (const text of ['\n=cmd()', '＝cmd()', '＠cmd()']) {
      world.cluster.nodeList[0] = { ...world.cluster.nodeList[0], pool: text };
      expect((await client.get('/api/v1/nodes?limit=1&format=csv')).text).toContain(`'${text}`);
    }
  });
});

describe('columns of CSV', () => {
  const headOf = async (path: string) => (await client.get(`/api/v1${path}format=csv`)).text.split('\r\n')[0];

  test('are the same on every page, regardless of null values, and without matches', async () => {
    const first = await headOf('/recommendations?limit=1&');
    expect(first).toContain('hpa.cpuTargetRatio');
    expect(first).not.toContain('hpa,');
    expect(await headOf('/recommendations?q=nothing-of-that-name&')).toBe(first);
  });

  test('keep arrays and maps as JSON in one cell', async () => {
    expect(await headOf('/policies?')).toBe('kind,namespace,name,createdAt,generation,spec,status,effective');
  });
});

describe('recommendations are cached', () => {
  test('for 60 seconds, computed once', async () => {
    const first = await client.get('/api/v1/recommendations');
    world.clock.advance(59_000);
    expect((await client.get('/api/v1/recommendations')).body.meta.cachedAt).toBe(first.body.meta.cachedAt);
    world.clock.advance(1_000);
    expect((await client.get('/api/v1/recommendations')).body.meta.cachedAt).not.toBe(first.body.meta.cachedAt);
  });

  test('until an object changes, by another replica or manually', async () => {
    const first = await client.get('/api/v1/recommendations');
    const workload = world.cluster.workloadList.find(({ name }) => name === 'web')!;
    const update = (annotations: Record<string, string>) => {
      world.clock.advance(1000);
      world.cluster.workloadList = world.cluster.workloadList.map((each) => (each.name === 'web' ? { ...workload, annotations } : each));
      world.cluster.announce({ kind: 'workload', key: 'shop/Deployment/web' });
    };
    update({ 'evenkeel.io/resized': '{}' });
    expect((await client.get('/api/v1/recommendations')).body.meta.cachedAt).toBe(first.body.meta.cachedAt);
    update({ 'evenkeel.io/mode': 'Off' });
    expect((await client.get('/api/v1/recommendations?q=web')).body.data[0]).toMatchObject({ mode: 'Off', state: 'excluded' });
  });

  test('until a user changes something', async () => {
    await client.get('/api/v1/recommendations');
    await client.send('PUT', '/api/v1/recommendations/shop/web/mode', { mode: 'Off' });
    const { body } = await client.get('/api/v1/recommendations?q=web');
    expect(body.data[0]).toMatchObject({ mode: 'Off', state: 'excluded' });
  });
});

test('a workload that was just excluded no longer waits', async () => {
  const { body } = await client.send('PUT', '/api/v1/recommendations/shop/checkout/mode', { mode: 'Off' });
  expect(body.data).toMatchObject({ state: 'excluded', reason: null, until: null });
});

test.each(LISTS.map(({ path }) => path))('%s takes the parameters of every list', async (path) => {
  const { status, body } = await client.get(`/api/v1${path}?limit=1&namespace=nowhere&namespace=shop-2&q=nothing&format=json`);
  expect([status, body.data, body.meta.total]).toEqual([200, [], 0]);
});

describe('entity tags', () => {
  test('the same data is 304, whatever the time', async () => {
    const tag = (await client.get('/api/v1/nodes')).headers.get('etag')!;
    world.clock.advance(30_000);
    const again = await client.get('/api/v1/nodes', { 'if-none-match': `"other", W/${tag}` });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test.each(['/cluster', '/cluster/usage', '/nodes/n-0', '/workloads/shop/web/usage', '/health'])(
    'of %s are stable while only time passes',
    async (path) => {
      const tag = (await client.get(`/api/v1${path}`)).headers.get('etag')!;
      world.clock.advance(7_000);
      const again = await client.get(`/api/v1${path}`, { 'if-none-match': tag });
      expect([again.status, again.headers.get('etag')]).toEqual([304, tag]);
    },
  );

  test('other data is not', async () => {
    const tag = (await client.get('/api/v1/nodes')).headers.get('etag')!;
    world.cluster.nodeList.pop();
    expect((await client.get('/api/v1/nodes', { 'if-none-match': tag })).status).toBe(200);
  });
});

describe('guards', () => {
  /** fetch sets Host itself, so the request is sent with node:http. */
  const withHost = (host: string, path = '/api/v1/mode'): Promise<number> =>
    new Promise((resolve, reject) => {
      const request = httpRequest(`${client.origin}${path}`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      request.on('error', reject).end();
    });

  test.each([
    ['localhost:9090', 200],
    ['evil.example', 403],
    ['evenkeel.evil', 403],
    ['evenkeel.evenkeel-system.svc.evil.example', 403],
    ['evenkeel', 200],
    ['evenkeel.evenkeel-system.svc.cluster.local:9090', 200],
    ['10.1.2.3:9090', 200],
    ['[::1]:9090', 200],
    ['127.0.0.1.evil.example', 403],
  ])('Host %s → %d', async (host, status) => {
    expect(await withHost(host)).toBe(status);
  });

  test.each([
    ['/mcp', 405],
    ['/api:meta/openapi.json', 404],
    ['/api', 404],
    ['/nothing', 404],
  ])('apply to %s', async (path, status) => {
    expect([await withHost('evil.example', path), await withHost('localhost', path)]).toEqual([403, status]);
  });

  test('let the assets of the page through', async () => {
    expect(await withHost('evil.example', '/assets/mark.svg')).toBe(200);
  });

  test.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }, 403],
    ['a page of a neighbour', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 403],
    ['an old browser on another page', { origin: 'https://evil.example' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
    ['a link that is followed', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, 200],
    ['a frame', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, 403],
    ['the dashboard itself', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, 200],
    ['curl', {}, 200],
  ])('%s → %d, from the API and the page', async (_, headers, status) => {
    // fetch sets the Sec-Fetch headers itself, so the request is sent with node:http.
    const statusOf = (path: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const request = httpRequest(`${client.origin}${path}`, { headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        request.on('error', reject).end();
      });
    expect(await Promise.all(['/api/v1/mode', '/', '/assets/mark.svg'].map(statusOf))).toEqual([status, status, status]);
  });

  test('too many requests from one address are rate-limited by machine time', async () => {
    const strict = await startDashboard(world, { rates: { address: { perSecond: 2, burst: 3 }, credential: { perSecond: 1, burst: 1 } } });
    try {
      for (let count = 0; count < 3; count += 1) expect((await strict.get('/api/v1/mode')).status).toBe(200);
      const answer = await strict.get('/api/v1/mode');
      expect([answer.status, answer.body.error.code, answer.headers.get('retry-after')]).toEqual([429, 'rate_limited', '1']);
      world.timer.advance(500);
      expect((await strict.get('/api/v1/mode')).status).toBe(200);
    } finally {
      await strict.close();
    }
  });

  test('large answers are compressed, small ones are not', async () => {
    expect((await client.get('/api/v1/pods', { 'accept-encoding': 'br' })).headers.get('content-encoding')).toBe('br');
    expect((await client.get('/api/v1/pods', { 'accept-encoding': 'gzip' })).headers.get('content-encoding')).toBe('gzip');
    expect((await client.get('/api/v1/mode', { 'accept-encoding': 'gzip' })).headers.get('content-encoding')).toBeNull();
  });

  test('HTML has a content security policy that allows only its own inline style sheet', async () => {
    const { headers } = await client.get('/api/v1/docs');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self'; style-src 'self' 'sha256-/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('endpoints of later versions do not exist', async () => {
    expect((await client.get('/api:meta/openapi.json')).status).toBe(404);
  });
});

test('without anonymousWrites a proxied change is forbidden, one from loopback is accepted, and reads are answered', async () => {
  const strict = await startDashboard(world, { anonymousWrites: false });
  const path = '/api/v1/resource-audit/shop/web/reset-to-deploy';
  const forwarded = { 'x-forwarded-for': '10.0.0.7' };
  const refused = await strict.send('POST', path, {}, forwarded);
  expect([refused.status, refused.body.error.code, world.records.written]).toEqual([403, 'forbidden', []]);
  expect(refused.body.error.message).toContain('port-forward');
  expect((await strict.get('/api/v1/resource-audit/shop/web', forwarded)).status).toBe(200);
  expect((await strict.send('POST', path, {})).status).toBe(202);
  await strict.close();
});

test.each<[string, boolean, Readonly<Record<string, string>>, readonly string[]]>([
  ['a client whose changes are refused', false, { 'x-forwarded-for': '10.0.0.7' }, ['view', 'administer']],
  ['a client on loopback', false, {}, ['view', 'operate', 'administer']],
  ['every client with anonymousWrites', true, { 'x-forwarded-for': '10.0.0.7' }, ['view', 'operate', 'administer']],
])('while authentication is off, /auth/session has the capabilities of %s', async (_, anonymousWrites, headers, capabilities) => {
  const server = await startDashboard(world, { anonymousWrites });
  const { status, body } = await server.get('/api/v1/auth/session', headers);
  await server.close();
  expect([status, body.data]).toMatchObject([200, { role: 'admin', authEnabled: false, capabilities }]);
});
