// A mutating webhook of another product that adds a container to pods, as a service mesh does. The API server then calls webhooks with
// reinvocationPolicy IfNeeded again.

import { readFileSync } from 'node:fs';
import https from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { signServing } from '../../hack/real-cluster/certificates.ts';
import type { RealCluster } from './real-cluster.ts';

/** After `evenkeel-admission`: the API server calls configurations in the order of their names. */
const CONFIGURATION = 'injector';

interface AdmissionReview {
  readonly request: {
    readonly uid: string;
    readonly object: { readonly spec: { readonly containers: readonly { readonly name: string }[] } };
  };
}

/** Adds a container to the pods of a namespace until it is stopped. */
export class InjectingWebhook {
  readonly #server: https.Server;
  readonly #cluster: RealCluster;

  /** @param container the container that each new pod of the namespace gets */
  static async start(cluster: RealCluster, namespace: string, container: { readonly name: string }): Promise<InjectingWebhook> {
    const { layout } = cluster;
    const authority = { certificate: cluster.caCertificate, key: readFileSync(layout.key('ca'), 'utf8') };
    const { key, certificate } = await signServing(authority, CONFIGURATION, [CONFIGURATION], ['127.0.0.1']);
    const server = https.createServer({ key, cert: certificate }, (request, response) => {
      void json(request).then((review) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(injected(review as AdmissionReview, container)));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await cluster.api.expect({
      method: 'POST',
      path: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
      body: {
        metadata: { name: CONFIGURATION },
        webhooks: [
          {
            name: 'injector.example.com',
            admissionReviewVersions: ['v1'],
            clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(cluster.caCertificate).toString('base64') },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
            failurePolicy: 'Fail',
            sideEffects: 'None',
          },
        ],
      },
    });
    return new InjectingWebhook(server, cluster);
  }

  private constructor(server: https.Server, cluster: RealCluster) {
    this.#server = server;
    this.#cluster = cluster;
  }

  async stop(): Promise<void> {
    await this.#cluster.kubectl('delete', 'mutatingwebhookconfiguration', CONFIGURATION);
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function injected({ request }: AdmissionReview, container: { readonly name: string }): object {
  const { uid, object } = request;
  const response = { uid, allowed: true };
  const isThere = object.spec.containers.some(({ name }) => name === container.name);
  const patch = Buffer.from(JSON.stringify([{ op: 'add', path: '/spec/containers/-', value: container }])).toString('base64');
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: isThere ? response : { ...response, patchType: 'JSONPatch', patch },
  };
}
