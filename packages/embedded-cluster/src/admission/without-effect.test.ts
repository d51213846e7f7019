import { describe, expect, test } from '@jest/globals';
import { ApiWorld } from '../../testing/api-world.ts';
import { embeddedStrategies } from './index.ts';

const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

describe('fields without effect', () => {
  test('a webhook: clients get a warning on every write, controllers do not', async () => {
    const world = new ApiWorld({ strategies: embeddedStrategies() });
    const warned = expect.stringContaining('embedded cluster: admission webhooks are stored and never called');
    expect(await world.post(HOOKS, { metadata: { name: 'w' } })).toMatchObject({ status: 201, headers: { warning: warned } });
    const patched = await world.patch('merge', `${HOOKS}/w`, { metadata: { labels: { a: 'b' } } });
    expect(patched).toMatchObject({ status: 200, headers: { warning: warned } });
  });

  test('pod-level limits, and no other field of a pod', async () => {
    const world = new ApiWorld({ strategies: embeddedStrategies() });
    world.server.accessAs('system:test').create('serviceaccounts', { metadata: { name: 'default', namespace: 'default' } });
    const post = (name: string, resources: object) => {
      const containers = [{ name: 'c', image: 'x', resources: { limits: { memory: '1Gi' } } }];
      return world.post('/api/v1/namespaces/default/pods', { metadata: { name }, spec: { containers, resources } });
    };
    expect((await post('a', { limits: { cpu: '1' } })).headers['warning']).toContain('spec.resources.limits');
    expect((await post('b', { requests: { cpu: '1' } })).headers['warning']).toBeUndefined();
  });
});
