import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writeCertificates } from '../../../../hack/real-cluster/certificates.ts';
import { HttpTransport } from '../../../../src/adapters/kubernetes/transport/http-transport.ts';
import { resolveKubeConfig } from '../../../../src/adapters/kubernetes/transport/kube-config.ts';
import { listPages } from '../../../../src/adapters/kubernetes/watch/pages.ts';
import { ALL_KINDS, startKubernetesInformers } from '../../../../src/adapters/kubernetes/watch/informers.ts';
import { KubernetesRecordWriter } from '../../../../src/adapters/kubernetes/write/record-writer.ts';
import { NO_METRICS } from '../../../../src/runtime/metrics.ts';
import { SILENT_LOGGER } from '../../../../src/runtime/logging.ts';
import { NO_ACTIVITY, SystemClock, SystemTimer } from '../../../../src/runtime/system-clock.ts';
import { ClusterState } from '../../../../src/state/cluster-state.ts';
import { seededRandom } from '../../../fakes/seeded-random.ts';
import { eventually, HANG_MS } from '../../../eventually.ts';
import { planCluster } from './cluster-plan.ts';
import { kubeconfigText } from '../kubeconfig-text.ts';
import { Load } from './load.ts';
import { PlayedApiServer } from './api-server.ts';
import { PlayedCluster } from './cluster.ts';
import { Versions } from './resource-store.ts';

const NODES = 4;
const TOKENS = { token: 'of-the-controller', kubeletToken: 'of-the-kubelets' };
const RECOMMENDATION = { plural: 'recommendations', namespace: 'team-000', name: 'deployment-api-00000' };

describe('The played API server', () => {
  const timer = new SystemTimer();
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-played-'));
  let cluster: PlayedCluster;
  let server: PlayedApiServer;
  let transport: HttpTransport;

  beforeAll(async () => {
    await writeCertificates(folder);
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    const versions = new Versions();
    cluster = new PlayedCluster(planCluster(NODES), versions, true);
    server = new PlayedApiServer(cluster, versions, { key: read('apiserver.key'), cert: read('apiserver.crt') }, TOKENS);
    const port = await server.listen();
    writeFileSync(join(folder, 'kubeconfig'), kubeconfigText(join(folder, 'ca.crt'), port, TOKENS.token));
    const connection = await resolveKubeConfig({ path: join(folder, 'kubeconfig'), timer });
    transport = new HttpTransport({ connection, timer, random: seededRandom(1), metrics: NO_METRICS, qps: 1e6, burst: 1e6 });
  });

  afterAll(() => {
    transport.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('serves the informers: streaming lists, then the events of the load', async () => {
    const state = new ClusterState();
    const informers = startKubernetesInformers({
      transport,
      clock: new SystemClock(),
      timer,
      activity: NO_ACTIVITY,
      random: seededRandom(2),
      logger: SILENT_LOGGER,
      metrics: NO_METRICS,
      sink: state,
      namespace: 'evenkeel-system',
      kinds: ALL_KINDS,
    });
    try {
      await informers.whenSynced;
      expect([...state.nodes()]).toHaveLength(NODES);
      new Load(cluster).publish(500);
      const expected = [...cluster.stores.pods.objects()].map(({ key, version }) => `${key} ${version}`).sort();
      await eventually('the pods of the API server: every event is delivered', HANG_MS, () => {
        const known = [...state.pods()].map(({ namespace, name, resourceVersion }) => `${namespace}/${name} ${resourceVersion}`);
        return isDeepStrictEqual(known.sort(), expected);
      });
      expect(server.counts.read()).toMatchObject({ 'streaming-list pods': 1 });
    } finally {
      await informers.stop();
    }
  });

  test('serves lists in pages', async () => {
    const names: unknown[] = [];
    for await (const page of listPages(transport, '/api/v1/pods', {}, new AbortController().signal)) names.push(...page.items);
    expect(names).toHaveLength(cluster.stores.pods.size);
    const { body } = await transport.request({ method: 'GET', path: '/apis/apps/v1/replicasets', query: { limit: 5 } });
    const { items, metadata } = body as { readonly items: readonly unknown[]; readonly metadata: { readonly continue?: string } };
    expect(items).toHaveLength(5);
    expect(metadata.continue).toBeDefined();
  });

  test('applies what a manager writes, and keeps the version where nothing changes', async () => {
    const writer = new KubernetesRecordWriter(transport);
    const versionOf = async (): Promise<string> => {
      const path = `/apis/evenkeel.io/v1alpha1/namespaces/${RECOMMENDATION.namespace}/recommendations/${RECOMMENDATION.name}`;
      const { body } = await transport.request({ method: 'GET', path });
      return (body as { readonly metadata: { readonly resourceVersion: string } }).metadata.resourceVersion;
    };
    const target = { kind: 'Deployment', name: 'api-00000' };
    expect(await writer.apply(RECOMMENDATION, { spec: { target } }, { fieldManager: 'evenkeel-controller' })).toMatchObject({
      kind: 'done',
    });
    expect(await writer.applyStatus(RECOMMENDATION, { state: 'Learning' }, { fieldManager: 'evenkeel-controller' })).toMatchObject({
      kind: 'done',
    });
    const before = await versionOf();
    await writer.applyStatus(RECOMMENDATION, { state: 'Learning' }, { fieldManager: 'evenkeel-controller' });
    expect(await versionOf()).toBe(before);
    await writer.applyStatus(RECOMMENDATION, { state: 'Ready' }, { fieldManager: 'evenkeel-controller' });
    expect(await versionOf()).not.toBe(before);
  });

  test('refuses other credentials, and counts requests that it does not know', async () => {
    const refused = await transport.request({ method: 'GET', path: '/api/v1/pods', headers: { authorization: 'Bearer another' } });
    expect(refused.status).toBe(401);
    expect((await transport.request({ method: 'GET', path: '/openapi/v3' })).status).toBe(404);
    expect(server.counts.read()).toMatchObject({ 'unknown GET /openapi/v3': 1 });
  });
});
