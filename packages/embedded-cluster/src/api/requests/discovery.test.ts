import { describe, expect, test } from '@jest/globals';
import { ApiWorld, type Wire } from '../../../testing/api-world.ts';

describe('discovery', () => {
  test('every served resource is found in the old form and in the aggregated one', async () => {
    const world = new ApiWorld();
    const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const found = new Set<string>();
    for (const root of ['/api', '/apis']) {
      const answer = await world.get(root, {}, aggregated);
      expect(answer.headers['content-type']).toContain('as=APIGroupDiscoveryList');
      for (const group of (answer.body as Wire).items)
        for (const version of group.versions)
          for (const resource of version.resources) found.add(`${group.metadata.name ?? ''}/${version.version}/${resource.resource}`);
    }
    const served = [...world.server.resources.all()].map(
      ({ descriptor }) => `${descriptor.group}/${descriptor.version}/${descriptor.plural}`,
    );
    expect([...found].sort()).toEqual(served.sort());
    for (const { descriptor } of world.server.resources.all()) {
      const path = descriptor.group === '' ? '/api/v1' : `/apis/${descriptor.group}/${descriptor.version}`;
      expect((await world.get(path)).body).toMatchObject({
        resources: expect.arrayContaining([expect.objectContaining({ name: descriptor.plural })]),
      });
    }
  });

  test.each([
    ['/version', { gitVersion: 'v1.36.0+evenkeel' }],
    ['/api', { versions: ['v1'] }],
    ['/apis/autoscaling', { preferredVersion: { groupVersion: 'autoscaling/v2' } }],
    ['/evenkeel/clock', { now: Date.parse('2026-01-01T00:00:00Z'), speed: 1 }],
    [
      '/openapi/v3',
      { paths: { 'apis/apps/v1': { serverRelativeURL: expect.stringMatching(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{64}$/) } } },
    ],
  ])('%s', async (path, expected) => {
    expect((await new ApiWorld().get(path)).body).toMatchObject(expected);
  });

  test.each(['/livez', '/readyz', '/healthz', '/readyz/'])('%s is ok', async (path) => {
    expect((await new ApiWorld().get(path)).body).toBe('ok');
  });

  test.each([
    '/apis/none.io',
    '/apis/apps/v9',
    '/api/v1/nonsense',
    '/nonsense',
    '/api/v1/namespaces/default/nodes',
    '/api/v1/pods/p',
    '/openapi/v3/apis/none/v1',
  ])('%s is not found', async (path) => {
    const answer = await new ApiWorld().get(path);
    expect([answer.status, (answer.body as Wire).message]).toEqual([404, 'the server could not find the requested resource']);
  });

  test.each(['pods/p/exec', 'pods/p/attach', 'pods/p/portforward', 'pods/p/proxy/x', 'services/s/proxy'])(
    '%s is refused with an explanation: no process runs in simulated containers',
    async (path) => {
      const answer = await new ApiWorld().get(`/api/v1/namespaces/default/${path}`);
      expect([answer.status, (answer.body as Wire).message]).toEqual([501, expect.stringContaining('no process runs in them')]);
    },
  );

  test('a verb that a resource does not have is not allowed', async () => {
    const world = new ApiWorld();
    expect((await world.get('/apis/authorization.k8s.io/v1/subjectaccessreviews')).status).toBe(405);
    expect((await world.post('/version', {})).status).toBe(405);
  });
});
