// Command lines of the components. Other flags keep Kubernetes' defaults, so that admission, feature gates and validation are those of a
// user's cluster. Only intervals are shorter, so that tests wait less.

import { join } from 'node:path';
import type { DaemonSpec } from './daemons.ts';
import type { ClusterRecord, Component, Layout } from './layout.ts';

const SERVICE_RANGE = '10.96.0.0/16';
const ISSUER = 'https://kubernetes.default.svc';

export function componentSpec(component: Component, layout: Layout, record: ClusterRecord): DaemonSpec {
  const { program, args } = CALLS[component](layout, record);
  return { program, args, logFile: layout.log(component), folder: layout.folder };
}

interface Call {
  readonly program: string;
  readonly args: readonly string[];
}

const CALLS: Readonly<Record<Component, (layout: Layout, record: ClusterRecord) => Call>> = {
  etcd: (layout, { binaries, ports }) => ({
    program: binaries.controlplane,
    args: [
      'etcd',
      `--data-dir=${layout.path('etcd')}`,
      `--listen-client-urls=http://127.0.0.1:${ports.etcd}`,
      `--advertise-client-urls=http://127.0.0.1:${ports.etcd}`,
      `--listen-peer-urls=http://127.0.0.1:${ports.etcdPeer}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${ports.etcdPeer}`,
      `--initial-cluster=default=http://127.0.0.1:${ports.etcdPeer}`,
      // Killing the process loses no data that the kernel has; only a power failure would, and the data is temporary.
      '--unsafe-no-fsync',
      // A single member wins every election, but waits for its timeout first.
      '--heartbeat-interval=20',
      '--election-timeout=200',
      '--log-level=warn',
    ],
  }),
  'kube-apiserver': (layout, { binaries, ports }) => ({
    program: binaries.controlplane,
    args: [
      'kube-apiserver',
      `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${ports.apiserver}`,
      `--tls-cert-file=${layout.certificate('apiserver')}`,
      `--tls-private-key-file=${layout.key('apiserver')}`,
      `--client-ca-file=${layout.certificate('ca')}`,
      `--kubelet-certificate-authority=${layout.certificate('ca')}`,
      `--kubelet-client-certificate=${layout.certificate('kubelet-client')}`,
      `--kubelet-client-key=${layout.key('kubelet-client')}`,
      '--kubelet-preferred-address-types=InternalIP',
      `--requestheader-client-ca-file=${layout.certificate('front-proxy-ca')}`,
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--proxy-client-cert-file=${layout.certificate('front-proxy-client')}`,
      `--proxy-client-key-file=${layout.key('front-proxy-client')}`,
      `--service-account-issuer=${ISSUER}`,
      `--service-account-key-file=${join(layout.certificates, 'service-accounts.pub')}`,
      `--service-account-signing-key-file=${layout.key('service-accounts')}`,
      `--service-cluster-ip-range=${SERVICE_RANGE}`,
      '--authorization-mode=Node,RBAC',
      '--allow-privileged=true',
      // Its address is loopback, which endpoints must not contain.
      '--endpoint-reconciler-type=none',
      `--audit-policy-file=${layout.path('audit-policy.yaml')}`,
      `--audit-log-path=${layout.auditLog}`,
      '--audit-log-maxsize=4096',
    ],
  }),
  'kube-controller-manager': (layout, { binaries, ports }) => ({
    program: binaries.controlplane,
    args: [
      'kube-controller-manager',
      ...clientFlags(layout.kubeconfigOf('kube-controller-manager')),
      '--bind-address=127.0.0.1',
      `--secure-port=${ports.controllerManager}`,
      `--tls-cert-file=${layout.certificate('apiserver')}`,
      `--tls-private-key-file=${layout.key('apiserver')}`,
      `--root-ca-file=${layout.certificate('ca')}`,
      `--cluster-signing-cert-file=${layout.certificate('ca')}`,
      `--cluster-signing-key-file=${layout.key('ca')}`,
      `--service-account-private-key-file=${layout.key('service-accounts')}`,
      '--use-service-account-credentials=true',
      '--horizontal-pod-autoscaler-sync-period=5s',
      '--leader-elect=false',
      '--kube-api-qps=200',
      '--kube-api-burst=400',
    ],
  }),
  'kube-scheduler': (layout, { binaries, ports }) => ({
    program: binaries.controlplane,
    args: [
      'kube-scheduler',
      ...clientFlags(layout.kubeconfigOf('kube-scheduler')),
      '--bind-address=127.0.0.1',
      `--secure-port=${ports.scheduler}`,
      `--tls-cert-file=${layout.certificate('apiserver')}`,
      `--tls-private-key-file=${layout.key('apiserver')}`,
      '--leader-elect=false',
      '--kube-api-qps=200',
      '--kube-api-burst=400',
    ],
  }),
  kwok: (layout, { binaries, ports }) => ({
    program: binaries.kwok,
    args: [
      `--config=${join(import.meta.dirname, 'kwok.yaml')}`,
      `--kubeconfig=${layout.kubeconfigOf('kwok')}`,
      '--manage-all-nodes=false',
      '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
      `--server-address=127.0.0.1:${ports.kwok}`,
      '--node-lease-duration-seconds=40',
      '--cidr=10.64.0.0/16',
    ],
  }),
  kubelets: (layout, { ports }) => ({
    program: process.execPath,
    args: [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, 'kubelets', 'main.ts'),
      `--kubeconfig=${layout.kubeconfigOf('kubelets')}`,
      `--ca-certificate=${layout.certificate('ca')}`,
      `--ca-key=${layout.key('ca')}`,
      `--port=${ports.kubelet}`,
      `--kwok=http://127.0.0.1:${ports.kwok}`,
    ],
  }),
  prometheus: (layout, { ports }) => ({
    program: 'prometheus',
    args: [
      `--config.file=${layout.path('prometheus.yaml')}`,
      `--storage.tsdb.path=${layout.path('prometheus')}`,
      `--web.listen-address=127.0.0.1:${ports.prometheus}`,
      '--log.level=warn',
    ],
  }),
};

function clientFlags(kubeconfig: string): readonly string[] {
  return [`--kubeconfig=${kubeconfig}`, `--authentication-kubeconfig=${kubeconfig}`, `--authorization-kubeconfig=${kubeconfig}`];
}
