// Serves the embedded cluster to other processes: API server and kubelets over HTTPS on loopback, and a kubeconfig.

import type { Logger } from './ports/logger.ts';
import { serveHttps } from './api/http/http-server.ts';
import { writeKubeconfig } from './api/http/kubeconfig.ts';
import { makeServingCertificate } from './api/http/serving-certificate.ts';
import type { EmbeddedCluster } from './embedded-cluster.ts';
import { KubeletServers } from './nodes/endpoints/kubelet-server.ts';

export interface ServedCluster {
  readonly url: string;
  readonly kubeconfig: string;
  close(): Promise<void>;
}

export async function serveCluster(
  cluster: EmbeddedCluster,
  options: { readonly port: number; readonly kubeconfig: string; readonly logger: Logger },
): Promise<ServedCluster> {
  // One certificate for all, so that clients that trust the API server's CA can verify kubelets.
  const certificate = await makeServingCertificate('127.0.0.1');
  const api = await serveHttps(cluster.server, { port: options.port, certificate });
  const kubelets = new KubeletServers({
    cluster: cluster.server.accessAs('system:kubelet'),
    endpoints: cluster.nodes.endpoints,
    cert: certificate.certificate,
    key: certificate.key,
    authorize: (token, name, subresource) =>
      cluster.server.reviewToken(token, {
        verb: 'get',
        resource: { group: '', plural: 'nodes', subresource, namespace: null, name },
      }),
    onError: (node, err) => options.logger.warn('A kubelet endpoint failed', { node, err }),
  });
  await kubelets.start();
  await writeKubeconfig(options.kubeconfig, {
    server: api.url,
    caCertificate: api.caCertificate,
    token: cluster.server.authenticator.adminToken,
  });
  return {
    url: api.url,
    kubeconfig: options.kubeconfig,
    close: async () => {
      await kubelets.stop();
      await api.close();
    },
  };
}
