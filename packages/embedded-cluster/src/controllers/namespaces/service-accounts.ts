import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { WorkList } from '../work-list.ts';

const ROOT_CERTIFICATE = 'kube-root-ca.crt';

/**
 * Creates the default service account of every namespace and the ConfigMap with the API server's certificate authority, and recreates them
 * when they are deleted.
 */
export function startServiceAccounts({ cluster, clock }: ControllerPorts, certificateAuthority: string): Stop {
  const work = new WorkList(clock, (namespace) => {
    const found = cluster.get('namespaces', null, namespace);
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
    if (cluster.get('serviceaccounts', namespace, 'default') === undefined) {
      cluster.create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
    }
    if (cluster.get('configmaps', namespace, ROOT_CERTIFICATE) === undefined) {
      cluster.create('configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: ROOT_CERTIFICATE,
          namespace,
          annotations: { 'kubernetes.io/description': 'Holds the certificate authority that the API server is verified with.' },
        },
        data: { 'ca.crt': certificateAuthority },
      });
    }
  });
  const restore = (resource: string, name: string): Stop =>
    cluster.onChange(resource, ({ type, object }) => {
      if (type === 'DELETED' && object.metadata.name === name) work.add(object.metadata.namespace ?? '');
    });
  const stops = [
    cluster.onChange('namespaces', ({ object }) => work.add(object.metadata.name)),
    restore('serviceaccounts', 'default'),
    restore('configmaps', ROOT_CERTIFICATE),
  ];
  return work.stopAfter(stops);
}
