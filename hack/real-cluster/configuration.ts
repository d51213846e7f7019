// Files that the components read at their start.

import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { USERS, type UserName } from './certificates.ts';
import type { Layout, Ports } from './layout.ts';

/** Audits all writes, token requests and reviews, which prove the user of each change. Reads would only add noise. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    // The frequent writes of the cluster's components are irrelevant.
    {
      level: 'None',
      users: ['kwok', 'system:kube-scheduler', 'system:kube-controller-manager', 'system:apiserver'],
      resources: [
        { group: 'coordination.k8s.io', resources: ['leases'] },
        { group: '', resources: ['events'] },
        { group: 'events.k8s.io', resources: ['events'] },
      ],
    },
    // The holder of Evenkeel's lease, and its release, are in the lease's body.
    {
      level: 'Request',
      verbs: ['create', 'update', 'patch'],
      resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }],
      namespaces: ['evenkeel-system'],
    },
    // Evenkeel's records name the version that they were decided from.
    { level: 'Request', verbs: ['create', 'update', 'patch', 'delete'], resources: [{ group: 'evenkeel.io' }] },
    { level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { level: 'None' },
  ],
};

export function writeConfiguration(layout: Layout, ports: Ports): void {
  writeFileSync(layout.path('audit-policy.yaml'), stringify(AUDIT_POLICY));
  const server = `https://127.0.0.1:${ports.apiserver}`;
  const ca = readFileSync(layout.certificate('ca'), 'utf8');
  for (const user of Object.keys(USERS) as UserName[]) {
    const certificate = readFileSync(layout.certificate(user), 'utf8');
    const key = readFileSync(layout.key(user), 'utf8');
    const credentials = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
    const path = user === 'admin' ? layout.kubeconfig : layout.kubeconfigOf(user);
    writeFileSync(path, kubeconfig({ cluster: layout.name, server, ca, user: USERS[user].user, credentials }), { mode: 0o600 });
  }
}

/** The parts of a kubeconfig. */
export interface KubeconfigDependencies {
  readonly cluster: string;
  readonly server: string;
  /** In PEM. */
  readonly ca: string;
  readonly user: string;
  readonly credentials: Readonly<Record<string, string>>;
}

export function kubeconfig({ cluster, server, ca, user, credentials }: KubeconfigDependencies): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster, cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: user, user: credentials }],
    contexts: [{ name: cluster, context: { cluster, user } }],
    'current-context': cluster,
  });
}

/** Configures scrapes of kwok's page of every node, of kwok, of the control plane, and of the targets in the target file. */
export function writePrometheusConfiguration(layout: Layout, ports: Ports): void {
  const tls = {
    ca_file: layout.certificate('ca'),
    cert_file: layout.certificate('admin'),
    key_file: layout.key('admin'),
  };
  const controlPlane = (job: string, port: number): object => ({
    job_name: job,
    scheme: 'https',
    tls_config: tls,
    static_configs: [{ targets: [`127.0.0.1:${port}`] }],
  });
  const configuration = {
    global: { scrape_interval: '5s', scrape_timeout: '4s' },
    scrape_configs: [
      controlPlane('kube-apiserver', ports.apiserver),
      controlPlane('kube-controller-manager', ports.controllerManager),
      controlPlane('kube-scheduler', ports.scheduler),
      { job_name: 'kwok', static_configs: [{ targets: [`127.0.0.1:${ports.kwok}`] }] },
      { job_name: 'kubelet-resource', file_sd_configs: [{ files: [layout.nodeTargets], refresh_interval: '5s' }] },
      { job_name: 'evenkeel', file_sd_configs: [{ files: [layout.scrapeTargets], refresh_interval: '5s' }] },
    ],
  };
  writeFileSync(layout.scrapeTargets, '[]');
  writeFileSync(layout.path('prometheus.yaml'), stringify(configuration));
}

/** Writes the nodes as scrape targets, because Debian's Prometheus has no Kubernetes service discovery. */
export function writeNodeTargets(layout: Layout, ports: Ports, nodes: readonly string[]): void {
  const targets = nodes.map((name) => ({
    targets: [`127.0.0.1:${ports.kwok}`],
    labels: { __metrics_path__: `/metrics/nodes/${name}/metrics/resource`, instance: name },
  }));
  writeFileSync(layout.nodeTargets, JSON.stringify(targets));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
