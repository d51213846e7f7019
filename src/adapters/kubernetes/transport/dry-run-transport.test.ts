import { expect, test } from '@jest/globals';
import { FakeTransport } from '../../../../test/fakes/clients/fake-transport.ts';
import type { ApiRequest } from '#kube/api-transport';
import { dryRunTransport } from './dry-run-transport.ts';

const PATH = '/api/v1/namespaces/shop/pods/web-1';

test.each<[string, ApiRequest, Partial<ApiRequest>]>([
  ['a read is sent unchanged', { method: 'GET', path: PATH }, { method: 'GET', path: PATH }],
  [
    'a patch has the dryRun parameter in addition to its own',
    { method: 'PATCH', path: PATH, query: { fieldManager: 'm' }, body: [] },
    { query: { fieldManager: 'm', dryRun: 'All' }, body: [] },
  ],
  [
    'a delete with a body has dryRun in the body, the only place where kube-apiserver then looks',
    { method: 'DELETE', path: PATH, body: { preconditions: { uid: 'u' } } },
    { body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u' }, dryRun: ['All'] } },
  ],
  [
    'a delete without a body gets one',
    { method: 'DELETE', path: PATH },
    { body: { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] } },
  ],
])('%s', async (_, request, sent) => {
  const transport = new FakeTransport();
  await dryRunTransport(transport).request(request);
  expect(transport.requests).toEqual([expect.objectContaining(sent)]);
});
