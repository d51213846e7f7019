import { describe, expect, test } from '@jest/globals';
import { CountingMetrics } from '../../../test/fakes/counting-metrics.ts';
import { FakeTransport, status } from '../../../test/fakes/fake-transport.ts';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { PermissionWatch, wordsOf } from './permission-watch.ts';

const RESIZE = { method: 'PATCH', path: '/api/v1/namespaces/shop/pods/web-1/resize', body: [] } as const;
const LIST = { method: 'GET', path: '/api/v1/nodes' } as const;

function refusedFor(verb: string, resource: string) {
  return status(403, 'Forbidden', `x is forbidden: User "u" cannot ${verb} resource "${resource}" in API group ""`);
}

function watching() {
  const transport = new FakeTransport();
  const timer = new ManualClock();
  const logger = new RecordingLogger();
  const permissions = new PermissionWatch({ timer, logger, metrics: new CountingMetrics() });
  return { transport, timer, logger, permissions, through: permissions.over(transport) };
}

describe('PermissionWatch', () => {
  test('reports once which verb on which resource is missing, and that it was granted', async () => {
    const { transport, logger, permissions, through } = watching();
    transport.answer = ({ method }) => (method === 'PATCH' ? refusedFor('patch', 'pods/resize') : {});
    for (let tries = 0; tries < 5; tries += 1) await through.request(RESIZE);
    await through.request(LIST);
    expect(permissions.missing().map(wordsOf)).toEqual(['patch pods/resize in namespace shop']);
    expect(logger.lines.map(({ message }) => message)).toEqual(['A permission is missing']);
    transport.answer = () => ({});
    await through.request(RESIZE);
    expect(permissions.missing()).toEqual([]);
    expect(logger.lines.map(({ message }) => message)).toEqual(['A permission is missing', 'A permission that was missing is given']);
  });

  test.each([
    ['a quota', status(403, 'Forbidden', 'pods "web-1" is forbidden: exceeded quota: small')],
    ['a webhook', status(403, 'Forbidden', 'admission webhook "x" denied the request')],
    ['an object that is not there', status(404, 'NotFound', 'pods "web-1" not found')],
  ])('%s is no missing permission', async (_, answer) => {
    const { transport, permissions, through } = watching();
    transport.answer = () => answer;
    await through.request(RESIZE);
    expect(permissions.missing()).toEqual([]);
  });

  test('what is no longer requested is forgotten, and a storm of refusals is bounded', async () => {
    const { transport, timer, permissions, through } = watching();
    transport.answer = () => refusedFor('patch', 'pods/resize');
    for (let each = 0; each < 500; each += 1) await through.request({ ...RESIZE, path: `/api/v1/namespaces/n${each}/pods/p/resize` });
    expect(permissions.missing()).toHaveLength(100);
    timer.advance(16 * 60_000);
    expect(permissions.missing()).toEqual([]);
  });
});
