// The controllers on the real store, with the real scheduler and kubelets, through the API as a client uses it.

import { afterEach, describe, expect, test } from '@jest/globals';
import { aDeployment, aPodTemplate } from '../../testing/workloads.ts';
import { ManualClock, TEST_EPOCH } from '../../testing/manual-clock.ts';
import { RecordingLogger } from '../../testing/recording-logger.ts';
import { seededRandom } from '../clock/seeded-hash.ts';
import type { ApiResponse, HttpMethod, PatchType } from '#kube/api-transport';
import { EmbeddedCluster } from '../embedded-cluster.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { ServedResources } from '../api/resources/served-resources.ts';
import { applyDefaults } from '../schema/defaults.ts';
import { SchemaRegistry } from '../schema/schema-registry.ts';
import type { Pod } from './wire/pod.ts';
import type { Deployment } from './wire/workload.ts';

const MINUTE = 60_000;
const open: EmbeddedCluster[] = [];

afterEach(() => {
  for (const cluster of open.splice(0)) cluster.close();
});

class Scene {
  readonly logger = new RecordingLogger();
  readonly cluster: EmbeddedCluster;

  constructor(seed = 1) {
    this.cluster = new EmbeddedCluster({
      startAt: TEST_EPOCH,
      seed,
      random: seededRandom,
      speed: 'max',
      nodes: { count: 3, machineTypes: ['e2-standard-4'] },
      timer: new ManualClock(0),
      logger: this.logger,
    });
    open.push(this.cluster);
  }

  static async withShop(seed?: number): Promise<Scene> {
    const scene = new Scene(seed);
    await scene.send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
    return scene;
  }

  async send(method: HttpMethod, path: string, body?: object, patch?: PatchType): Promise<ApiResponse> {
    const headers = patch === undefined ? {} : { headers: { 'content-type': patch } };
    return this.cluster.transport('test').request({ method, path, ...(body === undefined ? {} : { body }), ...headers });
  }

  async deploy(spec: { replicas?: number } = {}): Promise<void> {
    expect((await this.send('POST', '/apis/apps/v1/namespaces/shop/deployments', aDeployment(spec))).status).toBe(201);
    await this.cluster.live(2 * MINUTE);
  }

  async mergePatch(path: string, body: object): Promise<ApiResponse> {
    return this.send('PATCH', path, body, 'application/merge-patch+json');
  }

  list<T extends KubeObject = KubeObject>(resource: string): T[] {
    return [...this.cluster.server.accessAs('test').list(resource, { namespace: 'shop' })] as T[];
  }

  pods(): Pod[] {
    return this.list<Pod>('pods');
  }

  /** Faults of components, which no client sees. */
  faults(): unknown[] {
    return this.logger.lines.filter(({ level }) => level === 'error' || level === 'warn');
  }
}

/** Go writes some times that are not set as null, which a client may give back: the server reads them as absent. */
function withoutNulls(object: object): unknown {
  return JSON.parse(JSON.stringify(object, (_, value: unknown) => value ?? undefined));
}

const DEPLOYMENT = '/apis/apps/v1/namespaces/shop/deployments/web';

describe('on the embedded cluster', () => {
  test('a Deployment of three is three running pods, rolls out, scales, and is deleted with all its objects', async () => {
    const scene = await Scene.withShop();
    await scene.deploy();
    expect(scene.pods().map(({ status }) => status.phase)).toEqual(['Running', 'Running', 'Running']);
    expect((await scene.send('GET', DEPLOYMENT)).body).toMatchObject({ status: { readyReplicas: 3, availableReplicas: 3 } });

    const [container] = aPodTemplate({ image: 'web:2' }).spec.containers;
    expect((await scene.mergePatch(DEPLOYMENT, { spec: { template: { spec: { containers: [container] } } } })).status).toBe(200);
    await scene.cluster.live(5 * MINUTE);
    expect(scene.pods().map((pod) => pod.spec.containers[0]!.image)).toEqual(['web:2', 'web:2', 'web:2']);

    expect((await scene.mergePatch(`${DEPLOYMENT}/scale`, { spec: { replicas: 5 } })).status).toBe(200);
    await scene.cluster.live(2 * MINUTE);
    expect(scene.pods()).toHaveLength(5);

    expect((await scene.send('DELETE', DEPLOYMENT, { propagationPolicy: 'Foreground' })).status).toBe(200);
    await scene.cluster.live(2 * MINUTE);
    expect([...scene.list('deployments.apps'), ...scene.list('replicasets.apps'), ...scene.pods()]).toEqual([]);
    expect(scene.faults()).toEqual([]);
  });

  test('a budget refuses the second eviction until the first pod is replaced', async () => {
    const scene = await Scene.withShop();
    await scene.deploy();
    await scene.send('POST', '/apis/policy/v1/namespaces/shop/poddisruptionbudgets', {
      metadata: { name: 'web' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    await scene.cluster.live(MINUTE);
    const [first, second] = scene.pods().map(({ metadata }) => metadata.name);
    const evict = (name: string): Promise<ApiResponse> =>
      scene.send('POST', `/api/v1/namespaces/shop/pods/${name}/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name },
      });
    expect((await evict(first!)).status).toBe(201);
    const refused = await evict(second!);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ reason: 'TooManyRequests', details: { causes: [{ reason: 'DisruptionBudget' }] } });
    await scene.cluster.live(2 * MINUTE);
    expect((await evict(second!)).status).toBe(201);
    await scene.cluster.live(2 * MINUTE);
    expect(scene.pods().map(({ metadata }) => metadata.name)).not.toContain(first);
    expect(scene.pods()).toHaveLength(3);
  });

  test('a resize reaches the container in place, and a wrong one is refused', async () => {
    const scene = await Scene.withShop();
    await scene.deploy({ replicas: 1 });
    const { name } = scene.pods()[0]!.metadata;
    const resize = (requests: object): Promise<ApiResponse> =>
      scene.send(
        'PATCH',
        `/api/v1/namespaces/shop/pods/${name}/resize`,
        { spec: { containers: [{ name: 'main', resources: { requests } }] } },
        'application/strategic-merge-patch+json',
      );
    expect((await resize({ cpu: '200m' })).status).toBe(200);
    await scene.cluster.live(MINUTE);
    const [pod] = scene.pods();
    expect(pod!.metadata.name).toBe(name);
    expect(pod!.status.containerStatuses?.[0]).toMatchObject({
      restartCount: 0,
      resources: { requests: { cpu: '200m', memory: '128Mi' } },
    });
    expect((await resize({ cpu: null })).status).toBe(422);
  });

  test('a StatefulSet gets bound claims, a DaemonSet a pod per node, a CronJob its jobs', async () => {
    const scene = await Scene.withShop();
    const volumeMounts = [{ name: 'data', mountPath: '/data' }];
    const dbTemplate = aPodTemplate({ name: 'db' });
    const statefulSet = await scene.send('POST', '/apis/apps/v1/namespaces/shop/statefulsets', {
      metadata: { name: 'db' },
      spec: {
        serviceName: 'db',
        replicas: 2,
        selector: { matchLabels: { app: 'db' } },
        template: { ...dbTemplate, spec: { containers: [{ ...dbTemplate.spec.containers[0], volumeMounts }] } },
        volumeClaimTemplates: [
          { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
        ],
      },
    });
    const daemonSet = await scene.send('POST', '/apis/apps/v1/namespaces/shop/daemonsets', {
      metadata: { name: 'agent' },
      spec: { selector: { matchLabels: { app: 'agent' } }, template: aPodTemplate({ name: 'agent' }) },
    });
    const job = aPodTemplate({ name: 'tick' });
    const cronJob = await scene.send('POST', '/apis/batch/v1/namespaces/shop/cronjobs', {
      metadata: { name: 'tick' },
      spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: { ...job, spec: { ...job.spec, restartPolicy: 'Never' } } } } },
    });
    expect([statefulSet, daemonSet, cronJob].map(({ status }) => status)).toEqual([201, 201, 201]);
    await scene.cluster.live(60 * MINUTE);
    expect(scene.list('persistentvolumeclaims').map(({ status }) => (status as { phase: string }).phase)).toEqual(['Bound', 'Bound']);
    const agents = scene.pods().filter(({ metadata }) => metadata.labels?.['app'] === 'agent');
    expect(new Set(agents.map(({ spec }) => spec.nodeName)).size).toBe(3);
    expect(scene.list('jobs.batch').some(({ status }) => (status as { succeeded?: number }).succeeded === 1)).toBe(true);
    expect(scene.faults()).toEqual([]);
  });

  test('every object has the fields that Go writes without omitempty, whichever controller wrote its status', async () => {
    const scene = await Scene.withShop();
    const create = async (path: string, body: object): Promise<void> => {
      expect((await scene.send('POST', path, body)).status).toBe(201);
    };
    await scene.deploy();
    await create('/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers', {
      metadata: { name: 'web' },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    });
    await create('/apis/policy/v1/namespaces/shop/poddisruptionbudgets', {
      metadata: { name: 'web' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    for (const kind of ['StatefulSet', 'DaemonSet'])
      await create(`/apis/apps/v1/namespaces/shop/${kind.toLowerCase()}s`, {
        metadata: { name: kind.toLowerCase() },
        spec: { selector: { matchLabels: { app: kind } }, template: aPodTemplate({ name: kind }) },
      });
    await create('/api/v1/namespaces/shop/services', {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    });
    await scene.cluster.live(10 * MINUTE);

    const schemas = new SchemaRegistry();
    for (const { id, storageId, storedDescriptor } of new ServedResources().all()) {
      if (id !== storageId || !storedDescriptor.verbs.includes('watch')) continue;
      for (const object of scene.cluster.server.accessAs('test').list(id)) {
        const completed = structuredClone(object);
        applyDefaults({ $ref: storedDescriptor.schemaName }, completed, schemas.resolver);
        expect(completed).toEqual(withoutNulls(object));
      }
    }
    expect(scene.list('horizontalpodautoscalers.autoscaling')).toHaveLength(1);
  });

  test('a namespace is deleted with its objects', async () => {
    const scene = await Scene.withShop();
    await scene.deploy();
    await scene.send('DELETE', '/api/v1/namespaces/shop');
    await scene.cluster.live(2 * MINUTE);
    expect((await scene.send('GET', '/api/v1/namespaces/shop')).status).toBe(404);
    expect(scene.pods()).toEqual([]);
    expect(scene.faults()).toEqual([]);
  });

  test('the same seed gives the same pod names, another seed others', async () => {
    const names = async (seed: number): Promise<string[]> => {
      const scene = await Scene.withShop(seed);
      await scene.deploy();
      return scene.pods().map(({ metadata, spec }) => `${metadata.name} on ${spec.nodeName ?? ''}`);
    };
    const [once, again, other] = [await names(3), await names(3), await names(4)];
    expect(again).toEqual(once);
    expect(other).not.toEqual(once);
  });

  test('a steady Deployment is no longer written', async () => {
    const scene = await Scene.withShop();
    await scene.deploy();
    const versions = (): string[] =>
      scene
        .list<Deployment>('deployments.apps')
        .concat(scene.list('replicasets.apps'))
        .map(({ metadata }) => metadata.resourceVersion);
    const before = versions();
    await scene.cluster.live(24 * 60 * MINUTE);
    expect(versions()).toEqual(before);
  });
});
