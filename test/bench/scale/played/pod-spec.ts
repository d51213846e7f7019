// The pod spec that pods and templates share, without the resources and the fields that admission and the scheduler add.

import { slot, valueSlot } from './text-template.ts';

const RESIZE_POLICY = ['cpu', 'memory'].map((resourceName) => ({ resourceName, restartPolicy: 'NotRequired' }));

/** With slots `namespace`, `workload`, and `resources0` and so on in the order of the containers. */
export function podSpec(containers: readonly string[]): object {
  return {
    volumes: [
      { name: 'config', configMap: { name: `${slot('workload')}-config`, defaultMode: 420 } },
      {
        name: 'kube-api-access',
        projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }], defaultMode: 420 },
      },
    ],
    containers: containers.map(containerSpec),
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    serviceAccount: 'default',
    securityContext: { runAsUser: 1000, fsGroup: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    schedulerName: 'default-scheduler',
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { app: slot('workload') } },
      },
    ],
  };
}

function containerSpec(name: string, index: number): object {
  return {
    name,
    image: `registry.example.com/${slot('namespace')}/${slot('workload')}-${name}:1.42.0`,
    args: ['--listen=:8080', '--log-format=json', `--service=${slot('workload')}`],
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } } },
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: `${slot('workload')}-database`, key: 'url' } } },
      { name: 'FEATURES', value: 'checkout,search,suggest,recommend' },
    ],
    resources: valueSlot(`resources${index}`),
    resizePolicy: RESIZE_POLICY,
    volumeMounts: [
      { name: 'config', mountPath: '/etc/service', readOnly: true },
      { name: 'kube-api-access', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ],
    readinessProbe: {
      httpGet: { path: '/ready', port: 8080, scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true },
  };
}
