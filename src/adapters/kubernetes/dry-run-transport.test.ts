import { expect, test } from '@jest/globals';
import { FakeTransport } from '../../../test/fakes/fake-transport.ts';
import type { ApiRequest } from '#kube/api-transport';
import { dryRunTransport } from './dry-run-transport.ts';

const PATH = '/api/v1/namespaces/shop/pods/web-1';

test.each<[string, ApiRequest, Partial<ApiRequest>]>([
  ['a read goes as it is', { method: 'GET', path: PATH }, { method: 'GET', path: PATH }],
  [
    'a patch asks by parameter, and keeps its own',
    { method: 'PATCH', path: PATH, query: { fieldManager: 'm' }, body: [] },
    { query: { fieldManager: 'm', dryRun: 'All' }, body: [] },
  ],
  [
    'a delete asks in its body, by which alone kube-apiserver judges where there is one',
    { method: 'DELETE', path: PATH, body: { preconditions: { uid: 'u' } } },
    { body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u' }, dryRun: ['All'] } },
  ],
  [
    'a delete without a body, too',
    { method: 'DELETE', path: PATH },
    { body: { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] } },
  ],
])('%s', async (_, request, sent) => {
  const transport = new FakeTransport();
  await dryRunTransport(transport).request(request);
  expect(transport.requests).toEqual([expect.objectContaining(sent)]);
});
