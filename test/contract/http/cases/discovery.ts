// Discovery in both formats; OpenAPI; version and health.

import { expect } from '@jest/globals';
import { area, expectRefusal, succeeded } from '../contract-case.ts';
import type { Json, RawClient } from '../raw-client.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

async function resourcesOf(client: RawClient, path: string): Promise<Map<string, Json>> {
  const answer = await client.get(path);
  succeeded(answer, path);
  return new Map(answer.body.resources.map((entry: Json) => [entry.name, entry]));
}

async function aggregated(client: RawClient, root: string, group: string | undefined, version: string): Promise<Json> {
  const { body } = await client.get(root, {}, { headers: { accept: AGGREGATED } });
  return body.items.find((item: Json) => item.metadata.name === group).versions.find((served: Json) => served.version === version);
}

export const DISCOVERY_CASES = area('discovery', {
  '/api names the core version': async ({ client }) => {
    const { status, body } = await client.get('/api');
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    expect(body.serverAddressByClientCIDRs).toEqual([{ clientCIDR: '0.0.0.0/0', serverAddress: expect.any(String) }]);
  },
  '/apis lists every group with its versions and the preferred one': async ({ client }) => {
    const { body } = await client.get('/apis');
    expect(body).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
    const groups = new Map(body.groups.map((group: Json) => [group.name, group]));
    for (const name of ['apps', 'batch', 'autoscaling', 'policy', 'rbac.authorization.k8s.io', 'apiextensions.k8s.io'])
      expect([name, groups.has(name)]).toEqual([name, true]);
    expect(groups.get('autoscaling')).toEqual({
      name: 'autoscaling',
      versions: [
        { groupVersion: 'autoscaling/v2', version: 'v2' },
        { groupVersion: 'autoscaling/v1', version: 'v1' },
      ],
      preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
    });
  },
  'the path of a group returns the group': async ({ client }) => {
    const { body } = await client.get('/apis/apps');
    expect(body).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
  },
  'a version’s path lists its resources': async ({ client }) => {
    const { body } = await client.get('/apis/apps/v1');
    expect(body).toMatchObject({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'apps/v1' });
    expect(body.resources.map((entry: Json) => entry.name).sort()).toEqual([
      'controllerrevisions',
      'daemonsets',
      'daemonsets/status',
      'deployments',
      'deployments/scale',
      'deployments/status',
      'replicasets',
      'replicasets/scale',
      'replicasets/status',
      'statefulsets',
      'statefulsets/scale',
      'statefulsets/status',
    ]);
  },
  'a resource is listed with kind, verbs, short names and categories': async ({ client }) => {
    const resources = await resourcesOf(client, '/apis/apps/v1');
    expect(resources.get('deployments')).toMatchObject({
      name: 'deployments',
      singularName: 'deployment',
      namespaced: true,
      kind: 'Deployment',
      shortNames: ['deploy'],
      categories: ['all'],
    });
    expect([...resources.get('deployments').verbs].sort()).toEqual([
      'create',
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'update',
      'watch',
    ]);
  },
  'cluster-scoped resources have namespaced: false': async ({ client }) => {
    const resources = await resourcesOf(client, '/api/v1');
    expect(resources.get('nodes')).toMatchObject({ namespaced: false, kind: 'Node', shortNames: ['no'], singularName: 'node' });
    expect(resources.get('namespaces')).toMatchObject({ namespaced: false, shortNames: ['ns'] });
  },
  'namespaces have no deletecollection': async ({ client }) => {
    const resources = await resourcesOf(client, '/api/v1');
    expect([...resources.get('namespaces').verbs].sort()).toEqual(['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']);
  },
  'subresources with a body of another kind name its group and version': async ({ client }) => {
    const core = await resourcesOf(client, '/api/v1');
    expect(core.get('pods/eviction')).toMatchObject({ group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] });
    expect(core.get('pods/binding')).toMatchObject({ kind: 'Binding', verbs: ['create'] });
    expect(core.get('serviceaccounts/token')).toMatchObject({ group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' });
    const apps = await resourcesOf(client, '/apis/apps/v1');
    expect(apps.get('deployments/scale')).toMatchObject({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
    expect([...apps.get('deployments/scale').verbs].sort()).toEqual(['get', 'patch', 'update']);
  },
  'pods have resize, log and status': async ({ client }) => {
    const core = await resourcesOf(client, '/api/v1');
    expect([...core.get('pods/resize').verbs].sort()).toEqual(['get', 'patch', 'update']);
    expect(core.get('pods/resize').kind).toBe('Pod');
    expect(core.get('pods/log').verbs).toEqual(['get']);
    expect([...core.get('pods/status').verbs].sort()).toEqual(['get', 'patch', 'update']);
  },
  'a subresource has no singular name': async ({ client }) => {
    const core = await resourcesOf(client, '/api/v1');
    expect(core.get('pods/status').singularName).toBe('');
  },
  'every built-in resource of the main groups is served under the same name and kind': async ({ client }) => {
    const expected: Record<string, Record<string, string>> = {
      '/api/v1': {
        configmaps: 'ConfigMap',
        endpoints: 'Endpoints',
        events: 'Event',
        limitranges: 'LimitRange',
        persistentvolumeclaims: 'PersistentVolumeClaim',
        persistentvolumes: 'PersistentVolume',
        pods: 'Pod',
        podtemplates: 'PodTemplate',
        replicationcontrollers: 'ReplicationController',
        resourcequotas: 'ResourceQuota',
        secrets: 'Secret',
        serviceaccounts: 'ServiceAccount',
        services: 'Service',
      },
      '/apis/batch/v1': { cronjobs: 'CronJob', jobs: 'Job' },
      '/apis/policy/v1': { poddisruptionbudgets: 'PodDisruptionBudget' },
      '/apis/coordination.k8s.io/v1': { leases: 'Lease' },
      '/apis/scheduling.k8s.io/v1': { priorityclasses: 'PriorityClass' },
      '/apis/networking.k8s.io/v1': { ingresses: 'Ingress', networkpolicies: 'NetworkPolicy' },
      '/apis/storage.k8s.io/v1': { storageclasses: 'StorageClass', csinodes: 'CSINode' },
    };
    for (const [path, kinds] of Object.entries(expected)) {
      const resources = await resourcesOf(client, path);
      for (const [name, kind] of Object.entries(kinds)) expect([path, name, resources.get(name)?.kind]).toEqual([path, name, kind]);
    }
  },
  'short names are those of kubectl': async ({ client }) => {
    const core = await resourcesOf(client, '/api/v1');
    const shortNames = (name: string): string[] => core.get(name).shortNames;
    expect(['configmaps', 'pods', 'services', 'serviceaccounts', 'persistentvolumeclaims', 'resourcequotas'].map(shortNames)).toEqual([
      ['cm'],
      ['po'],
      ['svc'],
      ['sa'],
      ['pvc'],
      ['quota'],
    ]);
  },
  'an unserved group is 404': async ({ client }) => {
    const answer = await client.get('/apis/unserved.example.com');
    expect(answer.status).toBe(404);
  },
  'an unserved version is 404': async ({ client }) => {
    const answer = await client.get('/apis/apps/v9');
    expect(answer.status).toBe(404);
  },
  'aggregated discovery has the content type of its format': async ({ client }) => {
    const answer = await client.get('/apis', {}, { headers: { accept: AGGREGATED } });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    expect(answer.body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
  },
  'aggregated discovery lists resources with their subresources in one response': async ({ client }) => {
    const apps = await aggregated(client, '/apis', 'apps', 'v1');
    expect(apps.freshness).toBe('Current');
    const deployments = apps.resources.find((entry: Json) => entry.resource === 'deployments');
    expect(deployments).toMatchObject({
      responseKind: { group: '', version: '', kind: 'Deployment' },
      scope: 'Namespaced',
      singularResource: 'deployment',
      shortNames: ['deploy'],
      categories: ['all'],
    });
    expect(deployments.subresources.map((entry: Json) => entry.subresource).sort()).toEqual(['scale', 'status']);
    const scale = deployments.subresources.find((entry: Json) => entry.subresource === 'scale');
    expect(scale.responseKind).toEqual({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
  },
  'aggregated discovery of /api contains only the core group': async ({ client }) => {
    const { body } = await client.get('/api', {}, { headers: { accept: AGGREGATED } });
    expect(body.items.map((item: Json) => [item.metadata.name ?? '', item.versions.map((version: Json) => version.version)])).toEqual([
      ['', ['v1']],
    ]);
    const core = await aggregated(client, '/api', undefined, 'v1');
    expect(core.resources.find((entry: Json) => entry.resource === 'nodes')).toMatchObject({
      scope: 'Cluster',
      responseKind: { group: '', version: '', kind: 'Node' },
    });
  },
  'aggregated discovery lists the same resources as the unaggregated format': async ({ client }) => {
    const old = await resourcesOf(client, '/apis/apps/v1');
    const apps = await aggregated(client, '/apis', 'apps', 'v1');
    const names = apps.resources.flatMap((entry: Json) => [
      entry.resource,
      ...(entry.subresources ?? []).map((sub: Json) => `${entry.resource}/${sub.subresource}`),
    ]);
    expect(names.sort()).toEqual([...old.keys()].sort());
  },
  'a client that accepts both formats gets its first choice': async ({ client }) => {
    const answer = await client.get('/apis', {}, { headers: { accept: `${AGGREGATED},application/json` } });
    expect(answer.body.kind).toBe('APIGroupDiscoveryList');
    const plain = await client.get('/apis', {}, { headers: { accept: 'application/json' } });
    expect(plain.body.kind).toBe('APIGroupList');
  },
  'OpenAPI v3 has an index with a path per group version': async ({ client }) => {
    const body = JSON.parse((await client.get('/openapi/v3')).text);
    for (const path of ['api/v1', 'apis/apps/v1', 'apis/batch/v1', 'apis/policy/v1', 'apis/autoscaling/v2'])
      expect([path, body.paths[path]?.serverRelativeURL]).toEqual([path, expect.stringMatching(`^/openapi/v3/${path}\\?hash=[0-9A-F]+$`)]);
  },
  'the URL of a group version in the index returns its document': async ({ client }) => {
    const index = JSON.parse((await client.get('/openapi/v3')).text);
    const { status, body } = await client.get(index.paths['apis/apps/v1'].serverRelativeURL);
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.0.0', info: { title: 'Kubernetes' } });
    expect(Object.keys(body.paths)).toContain('/apis/apps/v1/namespaces/{namespace}/deployments/{name}');
  },
  'OpenAPI v3 describes fields with type, format and description': async ({ client }) => {
    const { body } = await client.get('/openapi/v3/apis/apps/v1');
    const spec = body.components.schemas['io.k8s.api.apps.v1.DeploymentSpec'];
    expect(spec.properties.replicas).toMatchObject({ type: 'integer', format: 'int32', description: expect.any(String) });
    expect([...spec.required].sort()).toEqual(['selector', 'template']);
  },
  'OpenAPI v3 describes a field in Kubernetes’ words': async ({ client }) => {
    const { body } = await client.get('/openapi/v3/apis/apps/v1');
    const { strategy } = body.components.schemas['io.k8s.api.apps.v1.DeploymentSpec'].properties;
    expect(strategy).toEqual({
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy' }],
      default: {},
      description: 'The deployment strategy to use to replace existing pods with new ones.',
      'x-kubernetes-patch-strategy': 'retainKeys',
    });
  },
  'OpenAPI v3 names the kinds of a schema': async ({ client }) => {
    const { body } = await client.get('/openapi/v3/api/v1');
    expect(body.components.schemas['io.k8s.api.core.v1.Pod']['x-kubernetes-group-version-kind']).toEqual([
      { group: '', version: 'v1', kind: 'Pod' },
    ]);
  },
  'OpenAPI v3 has merge keys and list types': async ({ client }) => {
    const { body } = await client.get('/openapi/v3/api/v1');
    const { containers } = body.components.schemas['io.k8s.api.core.v1.PodSpec'].properties;
    expect(containers).toMatchObject({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
  },
  'OpenAPI v3 of a group that is not served is 404': async ({ client }) => {
    expect((await client.get('/openapi/v3/apis/unserved.example.com/v1')).status).toBe(404);
  },
  '/version is that of Kubernetes 1.36': async ({ client }) => {
    const { body } = await client.get('/version');
    expect(body).toMatchObject({ major: '1', minor: '36', gitVersion: expect.stringMatching(/^v1\.36\.\d+/), platform: 'linux/amd64' });
  },
  'health endpoints return ok in plain text': async ({ client }) => {
    for (const path of ['/healthz', '/livez', '/readyz']) {
      const answer = await client.get(path);
      expect([path, answer.status, answer.text]).toEqual([path, 200, 'ok']);
      expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    }
  },
  'verbose health lists its checks': async ({ client }) => {
    const answer = await client.get('/readyz', { verbose: '' });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('[+]ping ok\n');
    expect(answer.text).toContain('[+]etcd ok\n');
    expect(answer.text.trimEnd().endsWith('readyz check passed')).toBe(true);
  },
  'each health check has a path': async ({ client }) => {
    const answer = await client.get('/readyz/ping');
    expect([answer.status, answer.text]).toEqual([200, 'ok']);
    expect((await client.get('/readyz/no-such-check')).status).toBe(404);
  },
  'the root lists paths': async ({ client }) => {
    const { body } = await client.get('/');
    for (const path of [
      '/api',
      '/api/v1',
      '/apis',
      '/apis/apps',
      '/apis/apps/v1',
      '/healthz',
      '/livez',
      '/readyz',
      '/openapi/v3',
      '/version',
    ])
      expect(body.paths).toContain(path);
  },
  'a path outside of the API is 404': async ({ client }) => {
    expect((await client.get('/no/such/path')).status).toBe(404);
  },
  'an unserved resource of a served group is 404 with a Status': async ({ client }) => {
    const answer = await client.get('/apis/apps/v1/teapots');
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('404');
  },
  'a namespaced resource is listed over all namespaces without one': async ({ client }) => {
    const answer = await client.get('/apis/apps/v1/deployments', { limit: 1 });
    expect(answer.body).toMatchObject({ kind: 'DeploymentList', apiVersion: 'apps/v1' });
  },
  'an object of a namespaced resource is not found without the namespace': async ({ client }) => {
    expectRefusal(await client.get('/apis/apps/v1/deployments/web'), 404, 'NotFound', 'the server could not find the requested resource');
  },
});
