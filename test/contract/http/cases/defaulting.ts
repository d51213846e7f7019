// Defaults of built-in kinds: the whole spec of an object that was created with the required fields only.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';
import { inNamespace, inNamespaceForPods, type NamespaceClient } from '../namespace-client.ts';
import {
  aBudget,
  aContainer,
  aCronJob,
  aDaemonSet,
  aDeployment,
  aJob,
  anAutoscaler,
  aPod,
  aPodWith,
  aReplicaSet,
  aService,
  aStatefulSet,
  NO_SCHEDULER,
} from '../objects.ts';

const CONTAINER = {
  name: 'main',
  image: aContainer().image,
  imagePullPolicy: 'IfNotPresent',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};

const POD_SPEC = {
  containers: [CONTAINER],
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  schedulerName: NO_SCHEDULER,
  securityContext: {},
  terminationGracePeriodSeconds: 30,
};

const TOLERATIONS = ['not-ready', 'unreachable'].map((taint) => ({
  key: `node.kubernetes.io/${taint}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

const template = (app: string, spec: Json = {}): Json => ({ metadata: { labels: { app } }, spec: { ...POD_SPEC, ...spec } });
const selector = (app: string): Json => ({ matchLabels: { app } });
const jobTemplate = { metadata: {}, spec: { ...POD_SPEC, restartPolicy: 'Never' } };

/** By kind: the created object and its whole spec. */
const SPECS: Readonly<Record<string, readonly [resource: string, object: Json, spec: Json]>> = {
  'a Deployment': [
    'deployments.apps',
    aDeployment('plain'),
    {
      progressDeadlineSeconds: 600,
      replicas: 0,
      revisionHistoryLimit: 10,
      selector: selector('plain'),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: template('plain'),
    },
  ],
  'a ReplicaSet': ['replicasets.apps', aReplicaSet('plain'), { replicas: 0, selector: selector('plain'), template: template('plain') }],
  'a StatefulSet': [
    'statefulsets.apps',
    aStatefulSet('plain'),
    {
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      podManagementPolicy: 'OrderedReady',
      replicas: 0,
      revisionHistoryLimit: 10,
      selector: selector('plain'),
      serviceName: 'plain',
      template: template('plain'),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    },
  ],
  'a claim template of a StatefulSet': [
    'statefulsets.apps',
    aStatefulSet('plain', {
      volumeClaimTemplates: [
        { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      ],
    }),
    expect.objectContaining({
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' },
          status: { phase: 'Pending' },
        },
      ],
    }),
  ],
  'a DaemonSet': [
    'daemonsets.apps',
    aDaemonSet('plain'),
    {
      revisionHistoryLimit: 10,
      selector: selector('plain'),
      template: template('plain', { nodeSelector: { nowhere: 'true' } }),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    },
  ],
  'a CronJob': [
    'cronjobs.batch',
    aCronJob('plain'),
    {
      concurrencyPolicy: 'Allow',
      failedJobsHistoryLimit: 1,
      jobTemplate: { metadata: {}, spec: { template: jobTemplate } },
      schedule: '0 0 1 1 *',
      successfulJobsHistoryLimit: 3,
      suspend: true,
    },
  ],
  'a HorizontalPodAutoscaler': [
    'horizontalpodautoscalers.autoscaling',
    anAutoscaler('plain'),
    {
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
      minReplicas: 1,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'plain' },
    },
  ],
  'the behavior of a HorizontalPodAutoscaler': [
    'horizontalpodautoscalers.autoscaling',
    anAutoscaler('plain', { behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } }),
    expect.objectContaining({
      behavior: {
        scaleDown: { stabilizationWindowSeconds: 60, selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: 'Max',
          policies: [
            { type: 'Pods', value: 4, periodSeconds: 15 },
            { type: 'Percent', value: 100, periodSeconds: 15 },
          ],
        },
      },
    }),
  ],
  'a PodDisruptionBudget': ['poddisruptionbudgets.policy', aBudget('plain'), { selector: selector('plain') }],
  'a NetworkPolicy': [
    'networkpolicies.networking.k8s.io',
    { metadata: { name: 'plain' }, spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] } },
    { podSelector: {}, ingress: [{ ports: [{ port: 80, protocol: 'TCP' }] }], policyTypes: ['Ingress'] },
  ],
  'a claim': [
    'persistentvolumeclaims',
    {
      metadata: { name: 'plain' },
      spec: { storageClassName: '', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    { storageClassName: '', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' },
  ],
  'a LimitRange of containers': [
    'limitranges',
    { metadata: { name: 'plain' }, spec: { limits: [{ type: 'Container', max: { cpu: '1' }, min: { memory: '64Mi' } }] } },
    {
      limits: [
        {
          type: 'Container',
          max: { cpu: '1' },
          min: { memory: '64Mi' },
          default: { cpu: '1' },
          defaultRequest: { cpu: '1', memory: '64Mi' },
        },
      ],
    },
  ],
};

const ADDRESS = expect.stringMatching(/^10\./);
const SERVICE = {
  clusterIP: ADDRESS,
  clusterIPs: [ADDRESS],
  internalTrafficPolicy: 'Cluster',
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
  ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
  selector: { app: 'plain' },
  sessionAffinity: 'None',
  type: 'ClusterIP',
};
const NODE_PORT = { port: 80, protocol: 'TCP', targetPort: 80, nodePort: expect.any(Number) };

/** By rule: the requested spec of a Service, and the whole spec. */
const SERVICES: Readonly<Record<string, readonly [asked: Json, spec: Json]>> = {
  'a Service gets address, family and policies': [{}, SERVICE],
  'a headless Service keeps None': [{ clusterIP: 'None' }, { ...SERVICE, clusterIP: 'None', clusterIPs: ['None'] }],
  'a Service of type NodePort gets a node port for each port': [
    { type: 'NodePort' },
    { ...SERVICE, type: 'NodePort', externalTrafficPolicy: 'Cluster', ports: [NODE_PORT] },
  ],
  'a Service of type LoadBalancer gets node ports too': [
    { type: 'LoadBalancer' },
    { ...SERVICE, type: 'LoadBalancer', allocateLoadBalancerNodePorts: true, externalTrafficPolicy: 'Cluster', ports: [NODE_PORT] },
  ],
  'a Service of type ExternalName gets no address': [
    { type: 'ExternalName', externalName: 'example.com' },
    {
      externalName: 'example.com',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      selector: { app: 'plain' },
      sessionAffinity: 'None',
      type: 'ExternalName',
    },
  ],
  'a Service with ClientIP affinity has a timeout of three hours': [
    { sessionAffinity: 'ClientIP' },
    { ...SERVICE, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } },
  ],
};

/** By rule: an image, and its pull policy. */
const PULL_POLICIES: Readonly<Record<string, string>> = {
  'web:1': 'IfNotPresent',
  web: 'Always',
  'web:latest': 'Always',
  'registry.example.com:5000/web': 'Always',
  'web@sha256:0123456789012345678901234567890123456789012345678901234567890123': 'IfNotPresent',
};

/** By rule: the requested part of a pod's spec, and the same part with its defaults. */
const POD_PARTS: Readonly<Record<string, readonly [asked: Json, part: Json]>> = {
  'a probe': [
    { containers: [aContainer({ livenessProbe: { httpGet: { port: 80 } } })] },
    {
      containers: [
        {
          ...CONTAINER,
          livenessProbe: {
            httpGet: { path: '/', port: 80, scheme: 'HTTP' },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
        },
      ],
    },
  ],
  'a container port': [
    { containers: [aContainer({ ports: [{ containerPort: 80 }] })] },
    { containers: [{ ...CONTAINER, ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
  ],
  'a variable from a field': [
    { containers: [aContainer({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] })] },
    { containers: [{ ...CONTAINER, env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }] }] },
  ],
  'a volume without a source': [{ volumes: [{ name: 'v' }] }, { volumes: [{ name: 'v', emptyDir: {} }] }],
  'a volume of a ConfigMap': [
    { volumes: [{ name: 'v', configMap: { name: 'c' } }] },
    { volumes: [{ name: 'v', configMap: { name: 'c', defaultMode: 420 } }] },
  ],
  'a volume of a Secret': [
    { volumes: [{ name: 'v', secret: { secretName: 's' } }] },
    { volumes: [{ name: 'v', secret: { secretName: 's', defaultMode: 420 } }] },
  ],
  'limits without requests': [
    { containers: [aContainer({ resources: { limits: { cpu: '1', memory: '1Gi' } } })] },
    { containers: [{ ...CONTAINER, resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } } }] },
  ],
  'a host port on the host network': [
    { hostNetwork: true, containers: [aContainer({ ports: [{ containerPort: 80 }] })] },
    { containers: [{ ...CONTAINER, ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] }] },
  ],
};

export const DEFAULT_CASES = area('defaulting', {
  ...inNamespace({
    ...Object.fromEntries(
      Object.entries(SPECS).map(([kind, [resource, object, spec]]) => [
        `${kind} has all its defaults`,
        async (api: NamespaceClient) => expect((await api.made(resource, object)).spec).toEqual(spec),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(SERVICES).map(([rule, [asked, spec]]) => [
        rule,
        async (api: NamespaceClient) => expect((await api.made('services', aService('plain', asked))).spec).toEqual(spec),
      ]),
    ),
    'a Job has all its defaults, and a generated selector': async (api) => {
      const { metadata, spec } = await api.made('jobs.batch', aJob('plain'));
      const labels = {
        'batch.kubernetes.io/controller-uid': metadata.uid,
        'batch.kubernetes.io/job-name': 'plain',
        'controller-uid': metadata.uid,
        'job-name': 'plain',
      };
      expect(spec).toEqual({
        backoffLimit: 6,
        completionMode: 'NonIndexed',
        completions: 1,
        manualSelector: false,
        parallelism: 1,
        podReplacementPolicy: 'TerminatingOrFailed',
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': metadata.uid } },
        suspend: true,
        template: { ...jobTemplate, metadata: { labels } },
      });
    },
    'a Deployment without replicas has one': async (api) => {
      const { replicas: _, ...spec } = aDeployment('plain').spec;
      const dry = await api.create('deployments.apps', { ...aDeployment('plain'), spec }, { dryRun: 'All' });
      expect(dry.body.spec.replicas).toBe(1);
    },
    'a Secret is Opaque': async (api) => {
      expect((await api.made('secrets', { metadata: { name: 'plain' } })).type).toBe('Opaque');
    },
    'a Namespace has its name as a label, and a finalizer': async (api, given) => {
      const name = `contract-named-${given.id}`;
      const { metadata, spec, status } = await given.create('/api/v1/namespaces', { metadata: { name } });
      expect([metadata.labels, spec, status]).toEqual([
        { 'kubernetes.io/metadata.name': name },
        { finalizers: ['kubernetes'] },
        { phase: 'Active' },
      ]);
    },
    'quantities are stored in their canonical form': async (api) => {
      const resources = { requests: { cpu: '0.1', memory: '1024Mi' }, limits: { cpu: '1000m', memory: '2e9' } };
      const { spec } = await api.made('deployments.apps', aDeployment('plain', {}, { containers: [aContainer({ resources })] }));
      expect(spec.template.spec.containers[0].resources).toEqual({
        requests: { cpu: '100m', memory: '1Gi' },
        limits: { cpu: '1', memory: '2e9' },
      });
    },
  }),
  ...inNamespaceForPods({
    'a Pod has all its defaults, and the fields that admission adds': async (api) => {
      const { spec } = await api.made('pods', aPod('plain', { automountServiceAccountToken: false }));
      expect(spec).toEqual({
        ...POD_SPEC,
        automountServiceAccountToken: false,
        enableServiceLinks: true,
        preemptionPolicy: 'PreemptLowerPriority',
        priority: 0,
        serviceAccount: 'default',
        serviceAccountName: 'default',
        tolerations: TOLERATIONS,
      });
    },
    ...Object.fromEntries(
      Object.entries(POD_PARTS).map(([part, [asked, expected]]) => [
        `a Pod has the defaults of ${part}`,
        async (api: NamespaceClient) => {
          const { spec } = await api.made('pods', aPod('plain', { automountServiceAccountToken: false, ...asked }));
          expect(spec).toMatchObject(expected);
          for (const [field, value] of Object.entries(expected)) expect(spec[field]).toEqual(value);
        },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(PULL_POLICIES).map(([image, policy]) => [
        `the image ${image} is pulled ${policy}`,
        async (api: NamespaceClient) => {
          const { spec } = await api.made('pods', aPod('plain', { containers: [{ name: 'main', image }] }));
          expect(spec.containers[0].imagePullPolicy).toBe(policy);
        },
      ]),
    ),
    'the status of a new object has the fields that Go writes without omitempty': async (api) => {
      const autoscaler = await api.made('horizontalpodautoscalers.autoscaling', anAutoscaler('plain'));
      const budget = await api.made('poddisruptionbudgets.policy', aBudget('plain'));
      const service = await api.made('services', aService('plain'));
      const statefulSet = await api.made('statefulsets.apps', aStatefulSet('plain'));
      expect(autoscaler.status).toMatchObject({ desiredReplicas: 0 });
      expect(budget.status).toMatchObject({ currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 });
      expect(service.status).toEqual({ loadBalancer: {} });
      expect(statefulSet.status).toEqual({ replicas: 0, availableReplicas: 0 });
    },
    'a Pod with requests is Burstable, one with limits equal to requests is Guaranteed': async (api) => {
      const both = { cpu: '1', memory: '1Gi' };
      const burstable = await api.made('pods', aPodWith('burstable', { requests: both }));
      const guaranteed = await api.made('pods', aPodWith('guaranteed', { limits: both }));
      expect([burstable.status.qosClass, guaranteed.status.qosClass]).toEqual(['Burstable', 'Guaranteed']);
    },
  }),
});
