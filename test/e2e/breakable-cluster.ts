// A cluster in this process whose doors can be shut: its API server and its kubelets, apart and at any moment.

import { join } from 'node:path';
import { buildDemoCluster } from '../../src/demo/demo-cluster.ts';
import { parseDemoOptions } from '../../src/demo/options.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { type RunningHttpServer, serveHttps } from '#embedded-cluster/api/http/http-server';
import { writeKubeconfig } from '#embedded-cluster/api/http/kubeconfig';
import { makeServingCertificate, type ServingCertificate } from '#embedded-cluster/api/http/serving-certificate';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { KubeletServers } from '#embedded-cluster/nodes/endpoints/kubelet-server';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import { ClusterClient } from './cluster-client.ts';
import { ROOT, type TestFixture } from './processes.ts';

export class BreakableCluster {
  readonly kubeconfig: string;
  /** In process: it reaches the cluster whatever is shut. */
  readonly client: ClusterClient;
  readonly #cluster: EmbeddedCluster;
  readonly #certificate: ServingCertificate;
  readonly #port: number;
  #api: RunningHttpServer | null;
  #kubelets: KubeletServers | null = null;

  private constructor(cluster: EmbeddedCluster, certificate: ServingCertificate, api: RunningHttpServer, kubeconfig: string) {
    this.#cluster = cluster;
    this.#certificate = certificate;
    this.#api = api;
    this.#port = api.port;
    this.kubeconfig = kubeconfig;
    this.client = new ClusterClient(cluster.transport('e2e'));
  }

  /** @param args options of `evenkeel demo`. Its clock runs; it ends with the fixture, and a fault inside it fails the test. */
  static async start(fixture: TestFixture, args: readonly string[], name = 'cluster'): Promise<BreakableCluster> {
    const parsed = parseDemoOptions(args);
    if (!parsed.ok) throw new Error(parsed.problems.join('; '));
    const logger = new RecordingLogger();
    const parts = { timer: new SystemTimer(), logger, packageRoot: ROOT, now: Date.now() };
    const { cluster } = await buildDemoCluster(parsed.options, parts);
    const certificate = await makeServingCertificate('127.0.0.1');
    const api = await serveHttps(cluster.server, { port: 0, certificate });
    const kubeconfig = join(fixture.folder, `${name}.kubeconfig`);
    const started = new BreakableCluster(cluster, certificate, api, kubeconfig);
    await writeKubeconfig(kubeconfig, {
      server: api.url,
      caCertificate: api.caCertificate,
      token: cluster.server.authenticator.adminToken,
    });
    await started.openKubelets();
    cluster.clock.start();
    fixture.addCleanup(async () => {
      await Promise.all([started.shutKubelets(), started.shutApi()]);
      cluster.close();
      const faults = logger.lines.filter(({ level }) => level === 'error');
      if (faults.length > 0) throw new Error(`the embedded cluster failed inside: ${JSON.stringify(faults)}`);
    });
    return started;
  }

  /** Refuses connections from now on, and breaks those that are open. */
  async shutApi(): Promise<void> {
    await this.#api?.close();
    this.#api = null;
  }

  /** As it was before, at the same address. */
  async openApi(): Promise<void> {
    this.#api = await serveHttps(this.#cluster.server, { port: this.#port, certificate: this.#certificate });
  }

  async shutKubelets(): Promise<void> {
    await this.#kubelets?.stop();
    this.#kubelets = null;
  }

  async openKubelets(): Promise<void> {
    const { server, nodes } = this.#cluster;
    this.#kubelets = new KubeletServers({
      cluster: server.accessAs('system:kubelet'),
      endpoints: nodes.endpoints,
      cert: this.#certificate.certificate,
      key: this.#certificate.key,
      authorize: (token, name, subresource) =>
        server.reviewToken(token, { verb: 'get', resource: { group: '', plural: 'nodes', subresource, namespace: null, name } }),
      onError: (node, err) => {
        throw new Error(`kubelet of ${node}`, { cause: err });
      },
    });
    await this.#kubelets.start();
  }
}
