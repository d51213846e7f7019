import { describe, expect, test } from '@jest/globals';
import { FakeTransport, status } from '../../../../test/fakes/clients/fake-transport.ts';
import type { ApiRequest, ApiResponse } from '#kube/api-transport';
import type { ApiResource } from '../resources.ts';
import { ScaleDiscovery } from './scale-discovery.ts';

const signal = new AbortController().signal;
const SCALE = { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get', 'patch'] };
const ROLLOUTS: ApiResource = { group: 'argoproj.io', version: 'v1alpha1', plural: 'rollouts', kind: 'Rollout', namespaced: true };

function aResource(resource: string, kind: string, given: object = {}): object {
  const verbs = ['delete', 'get', 'list', 'patch', 'watch'];
  return { resource, responseKind: { group: '', version: '', kind }, scope: 'Namespaced', verbs, subresources: [SCALE], ...given };
}

function aGroup(name: string, versions: Readonly<Record<string, readonly object[]>>): object {
  return { metadata: { name }, versions: Object.entries(versions).map(([version, resources]) => ({ version, resources })) };
}

function discovery(...items: readonly object[]): FakeTransport {
  return new FakeTransport(() => ({ body: { kind: 'APIGroupDiscoveryList', items } }));
}

describe('kinds that can be scaled', () => {
  test('are those with a scale subresource, by the plural from discovery', async () => {
    const transport = discovery(
      aGroup('apps', { v1: [aResource('deployments', 'Deployment')] }),
      aGroup('argoproj.io', { v1alpha1: [aResource('rollouts', 'Rollout'), aResource('experiments', 'Experiment', { subresources: [] })] }),
      aGroup('db.example.com', { v1: [aResource('oxen', 'Ox'), aResource('fleets', 'Fleet', { scope: 'Cluster' })] }),
      aGroup('x.example.com', { v1: [aResource('readonlies', 'Readonly', { verbs: ['get'] })] }),
    );
    expect(await new ScaleDiscovery(transport).resources(signal)).toEqual([
      { group: 'db.example.com', version: 'v1', plural: 'oxen', kind: 'Ox', namespaced: true },
      ROLLOUTS,
    ]);
    expect(transport.requests).toMatchObject([{ path: '/apis', headers: { accept: expect.stringContaining('APIGroupDiscoveryList') } }]);
  });

  test('are listed once in the server’s preferred version where two are served', async () => {
    const both = aGroup('argoproj.io', { v1: [aResource('rollouts', 'Rollout')], v1alpha1: [aResource('rollouts', 'Rollout')] });
    expect(await new ScaleDiscovery(discovery(both)).resources(signal)).toEqual([{ ...ROLLOUTS, version: 'v1' }]);
    const onlyOld = aGroup('argoproj.io', {
      v1: [aResource('rollouts', 'Rollout', { subresources: [] })],
      v1alpha1: [aResource('rollouts', 'Rollout')],
    });
    expect(await new ScaleDiscovery(discovery(onlyOld)).resources(signal)).toEqual([ROLLOUTS]);
  });

  test('are transferred again only after a change', async () => {
    const items = [aGroup('argoproj.io', { v1alpha1: [aResource('rollouts', 'Rollout')] })];
    const asked: (string | undefined)[] = [];
    const transport = {
      request: ({ headers }: ApiRequest): Promise<ApiResponse> => {
        asked.push(headers?.['if-none-match']);
        const unchanged = asked.length > 1;
        return Promise.resolve({ status: unchanged ? 304 : 200, headers: { etag: '"1"' }, body: unchanged ? undefined : { items } });
      },
      stream: () => Promise.reject(new Error('not asked for')),
    };
    const found = new ScaleDiscovery(transport);
    expect(await found.resources(signal)).toEqual([ROLLOUTS]);
    expect(await found.resources(signal)).toEqual([ROLLOUTS]);
    expect(asked).toEqual([undefined, '"1"']);
  });

  test('are unknown where discovery is refused', async () => {
    const refused = new ScaleDiscovery(new FakeTransport(() => status(403, 'Forbidden', 'no discovery')));
    await expect(refused.resources(signal)).rejects.toThrow('discovering kinds with a scale subresource: no discovery');
  });
});

describe('the replica paths of a kind', () => {
  const usual = { desired: '.spec.replicas', current: '.status.replicas' };
  const definition = (scale: object | undefined): object => ({
    spec: { versions: [{ name: 'v1' }, { name: 'v1alpha1', subresources: { scale } }] },
  });

  test.each<[string, { readonly status?: number; readonly body: object }, object]>([
    [
      'are those of the CRD’s version',
      { body: definition({ specReplicasPath: '.spec.size', statusReplicasPath: '.status.members' }) },
      { desired: '.spec.size', current: '.status.members' },
    ],
    ['are the defaults where the CRD has none', { body: definition(undefined) }, usual],
    ['is usual where the definition may not be read', status(403, 'Forbidden', 'no'), usual],
    ['is usual where there is no definition', status(404, 'NotFound', 'no'), usual],
  ])('%s', async (_, answer, paths) => {
    const transport = new FakeTransport(() => answer);
    expect(await new ScaleDiscovery(transport).replicaPaths(ROLLOUTS, signal)).toEqual(paths);
    expect(transport.requests[0]?.path).toBe('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rollouts.argoproj.io');
  });

  test('are unknown where the server fails', async () => {
    const failing = new ScaleDiscovery(new FakeTransport(() => status(500, 'InternalError', 'etcd')));
    await expect(failing.replicaPaths(ROLLOUTS, signal)).rejects.toThrow('reading the CRD of rollouts.argoproj.io');
  });
});
