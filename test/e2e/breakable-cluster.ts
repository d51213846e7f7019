// A cluster in this process whose API server and kubelets can be made unreachable, separately and at any time.

import { join } from 'node:path';
import { buildDemoCluster } from '../../src/demo/demo-cluster.ts';
import { parseDemoOptions } from '../../src/demo/options.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { type RunningHttpServer, serveHttps } from '#embedded-cluster/api/http/http-server';
import { writeKubeconfig } from '#embedded-cluster/api/http/kubeconfig';
import { makeServingCertificate, type ServingCertificate } from '#embedded-cluster/api/http/serving-certificate';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { KubeletServers } from '#embedded-cluster/nodes/endpoints/kubelet-server';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { ClusterClient } from './cluster-client.ts';
import type { AuditEvent } from '../controlplane/real-cluster.ts';
import { ROOT, type TestFixture } from './processes.ts';
import { recordWrites } from './write-audit.ts';

/** An embedded cluster with closable endpoints. */
export class BreakableCluster {
  readonly kubeconfig: string;
  /** In-process client, which reaches the cluster whatever is closed. */
  readonly client: ClusterClient;
  /** Every write so far. */
  readonly writes: readonly AuditEvent[];
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
    this.writes = recordWrites(cluster.server);
  }

  /**
   * Starts a cluster with a running clock. It ends with the fixture, and a fault inside it fails the test. @param args options of `evenkeel
   * demo`
   */
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
      if (faults.length > 0) throw new Error(`the embedded cluster reported faults: ${JSON.stringify(faults)}`);
    });
    return started;
  }

  /** Refuses new connections and closes open ones. */
  async shutApi(): Promise<void> {
    await this.#api?.close();
    this.#api = null;
  }

  /** Listens again, at the same address. */
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
