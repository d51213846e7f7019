// Validation of built-in kinds, with the field and the message of the API.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';
import { expectInvalid, inNamespace, inNamespaceForPods, type Cause, type NamespaceClient } from '../namespace-client.ts';
import {
  aContainer,
  aCronJob,
  aDaemonSet,
  aDeployment,
  aJob,
  anAutoscaler,
  aPod,
  aPodWith,
  aService,
  aStatefulSet,
  aTemplate,
} from '../objects.ts';

type Refusal = readonly [resource: string, kind: string, object: Json, causes: readonly Cause[]];

const required = (field: string, why = ''): Cause => [
  'FieldValueRequired',
  field,
  why === '' ? 'Required value' : `Required value: ${why}`,
];
const invalid = (field: string, value: unknown, why: string): Cause => [
  'FieldValueInvalid',
  field,
  `Invalid value: ${JSON.stringify(value)}: ${why}`,
];
const unsupported = (field: string, value: unknown, ...supported: string[]): Cause => [
  'FieldValueNotSupported',
  field,
  `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((option) => JSON.stringify(option)).join(', ')}`,
];
const forbidden = (field: string, why: string): Cause => ['FieldValueForbidden', field, `Forbidden: ${why}`];
const duplicate = (field: string, value: unknown): Cause => ['FieldValueDuplicate', field, `Duplicate value: ${JSON.stringify(value)}`];

const NOT_NEGATIVE = 'must be greater than or equal to 0';
const PORT_RANGE = 'must be between 1 and 65535, inclusive';

const pod = (spec: Json, causes: readonly Cause[]): Refusal => ['pods', 'Pod', aPod('refused', spec), causes];
const container = (more: Json, causes: readonly Cause[]): Refusal => pod({ containers: [aContainer(more)] }, causes);
const deployment = (spec: Json, causes: readonly Cause[]): Refusal => [
  'deployments.apps',
  'Deployment.apps',
  aDeployment('refused', spec),
  causes,
];
const job = (spec: Json, causes: readonly Cause[]): Refusal => ['jobs.batch', 'Job.batch', aJob('refused', spec), causes];
const service = (spec: Json, causes: readonly Cause[]): Refusal => ['services', 'Service', aService('refused', spec), causes];
const autoscaler = (spec: Json, causes: readonly Cause[]): Refusal => [
  'horizontalpodautoscalers.autoscaling',
  'HorizontalPodAutoscaler.autoscaling',
  anAutoscaler('refused', spec),
  causes,
];

const PODS: Readonly<Record<string, Refusal>> = {
  'a pod has at least one container': pod({ containers: [] }, [required('spec.containers')]),
  'containers have unique names': pod({ containers: [aContainer(), aContainer()] }, [duplicate('spec.containers[1].name', 'main')]),
  'a container has an image': container({ image: '' }, [required('spec.containers[0].image')]),
  'a container name is a DNS label': container({ name: 'Main' }, [
    invalid(
      'spec.containers[0].name',
      'Main',
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ),
  ]),
  'a restart policy has a supported value': pod({ restartPolicy: 'Sometimes' }, [
    unsupported('spec.restartPolicy', 'Sometimes', 'Always', 'OnFailure', 'Never'),
  ]),
  'a request is not negative': container({ resources: { requests: { cpu: '-1' } } }, [
    invalid('spec.containers[0].resources.requests[cpu]', '-1', NOT_NEGATIVE),
  ]),
  'a request is within its limit': container({ resources: { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } } }, [
    invalid('spec.containers[0].resources.requests', '2Gi', 'must be less than or equal to memory limit of 1Gi'),
  ]),
  'a container port is a valid port': container({ ports: [{ containerPort: 70_000 }] }, [
    invalid('spec.containers[0].ports[0].containerPort', 70_000, PORT_RANGE),
  ]),
  'a protocol has a supported value': container({ ports: [{ containerPort: 80, protocol: 'HTTP' }] }, [
    unsupported('spec.containers[0].ports[0].protocol', 'HTTP', 'SCTP', 'TCP', 'UDP'),
  ]),
  'a mount names a volume of the pod': container({ volumeMounts: [{ name: 'absent', mountPath: '/x' }] }, [
    ['FieldValueNotFound', 'spec.containers[0].volumeMounts[0].name', 'Not found: "absent"'],
  ]),
  'volumes have unique names': pod({ volumes: [{ name: 'v' }, { name: 'v' }] }, [duplicate('spec.volumes[1].name', 'v')]),
  'a volume has one source': pod({ volumes: [{ name: 'v', emptyDir: {}, configMap: { name: 'c' } }] }, [
    forbidden('spec.volumes[0].configMap', 'may not specify more than 1 volume type'),
  ]),
  'a pull policy has a supported value': container({ imagePullPolicy: 'Often' }, [
    unsupported('spec.containers[0].imagePullPolicy', 'Often', 'Always', 'IfNotPresent', 'Never'),
  ]),
  'an environment variable has a name': container({ env: [{ name: '', value: 'x' }] }, [required('spec.containers[0].env[0].name')]),
  'a probe has at most one handler': container({ livenessProbe: { httpGet: { port: 80 }, tcpSocket: { port: 80 } } }, [
    forbidden('spec.containers[0].livenessProbe.tcpSocket', 'may not specify more than 1 handler type'),
  ]),
  'a probe has a handler': container({ livenessProbe: {} }, [required('spec.containers[0].livenessProbe', 'must specify a handler type')]),
  'a deadline is at least a second': pod({ activeDeadlineSeconds: 0 }, [
    invalid('spec.activeDeadlineSeconds', 0, 'must be between 1 and 2147483647, inclusive'),
  ]),
  'a toleration with operator Exists has no value': pod({ tolerations: [{ key: 'a', operator: 'Exists', value: 'x' }] }, [
    invalid('spec.tolerations[0].operator', 'x', "value must be empty when `operator` is 'Exists'"),
  ]),
  'a toleration with seconds has the effect NoExecute': pod(
    { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }] },
    [invalid('spec.tolerations[0].effect', 'NoSchedule', "effect must be 'NoExecute' when `tolerationSeconds` is set")],
  ),
  'a topology spread has a skew of at least one': pod(
    { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }] },
    [invalid('spec.topologySpreadConstraints[0].maxSkew', 0, 'must be greater than zero')],
  ),
  'a DNS policy has a supported value': pod({ dnsPolicy: 'Any' }, [
    unsupported('spec.dnsPolicy', 'Any', 'ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'),
  ]),
  'an extended resource is an integer': container({ resources: { limits: { 'example.com/gpu': '500m' } } }, [
    invalid('spec.containers[0].resources.limits[example.com/gpu]', '500m', 'must be an integer'),
    invalid('spec.containers[0].resources.requests[example.com/gpu]', '500m', 'must be an integer'),
  ]),
  'the deletion cost is a number': [
    'pods',
    'Pod',
    aPod('refused', {}, { annotations: { 'controller.kubernetes.io/pod-deletion-cost': 'high' } }),
    [invalid('metadata.annotations[controller.kubernetes.io/pod-deletion-cost]', 'high', 'must be a 32bit integer')],
  ],
  'a pod with scheduling gates has no node': pod({ schedulingGates: [{ name: 'example.com/wait' }], nodeName: 'n1' }, [
    forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'),
  ]),
};

const OTHERS: Readonly<Record<string, Refusal>> = {
  'a deployment has no negative replicas': deployment({ replicas: -1 }, [invalid('spec.replicas', -1, NOT_NEGATIVE)]),
  'a selector is not empty': deployment({ selector: {} }, [invalid('spec.selector', {}, 'empty selector is invalid for deployment')]),
  'a selector selects its template': deployment({ selector: { matchLabels: { app: 'other' } } }, [
    invalid('spec.template.metadata.labels', { app: 'refused' }, '`selector` does not match template `labels`'),
  ]),
  'a selector has supported operators': deployment({ selector: { matchExpressions: [{ key: 'app', operator: 'Like', values: ['x'] }] } }, [
    invalid('spec.selector.matchExpressions[0].operator', 'Like', 'not a valid selector operator'),
    invalid('spec.selector', { matchExpressions: [{ key: 'app', operator: 'Like', values: ['x'] }] }, 'invalid label selector'),
  ]),
  'a deployment has the restart policy Always': deployment({ template: aTemplate('refused', { restartPolicy: 'Never' }) }, [
    unsupported('spec.template.spec.restartPolicy', 'Never', 'Always'),
  ]),
  'a rolling update can proceed': deployment({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }, [
    invalid('spec.strategy.rollingUpdate.maxUnavailable', 0, 'may not be 0 when `maxSurge` is 0'),
  ]),
  'a percentage is at most 100 %': deployment({ strategy: { rollingUpdate: { maxUnavailable: '150%' } } }, [
    invalid('spec.strategy.rollingUpdate.maxUnavailable', '150%', 'must not be greater than 100%'),
  ]),
  'the strategy Recreate has no rolling update': deployment({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }, [
    forbidden('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'"),
  ]),
  'a strategy has a supported type': deployment({ strategy: { type: 'Sideways' } }, [
    unsupported('spec.strategy', { Type: 'Sideways', RollingUpdate: null }, 'Recreate', 'RollingUpdate'),
  ]),
  'a progress deadline is greater than minReadySeconds': deployment({ minReadySeconds: 600, progressDeadlineSeconds: 600 }, [
    invalid('spec.progressDeadlineSeconds', 600, 'must be greater than minReadySeconds'),
  ]),
  'a template of a deployment has containers': deployment({ template: aTemplate('refused', { containers: [] }) }, [
    required('spec.template.spec.containers'),
  ]),
  'a daemon set has the restart policy Always': [
    'daemonsets.apps',
    'DaemonSet.apps',
    aDaemonSet('refused', { template: aTemplate('refused', { restartPolicy: 'OnFailure' }) }),
    [unsupported('spec.template.spec.restartPolicy', 'OnFailure', 'Always')],
  ],
  'a stateful set has a supported pod management policy': [
    'statefulsets.apps',
    'StatefulSet.apps',
    aStatefulSet('refused', { podManagementPolicy: 'Any' }),
    [invalid('spec.podManagementPolicy', 'Any', "must be 'OrderedReady' or 'Parallel'")],
  ],
  'a job does not have the restart policy Always': job({ template: aTemplate('refused', { restartPolicy: 'Always' }) }, [
    required('spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"'),
  ]),
  'a job has no negative parallelism': job({ parallelism: -1 }, [invalid('spec.parallelism', -1, NOT_NEGATIVE)]),
  'a job has a back-off limit of at least 0': job({ backoffLimit: -1 }, [invalid('spec.backoffLimit', -1, NOT_NEGATIVE)]),
  'an indexed job has completions': job({ completionMode: 'Indexed', completions: undefined, parallelism: 1 }, [
    required('spec.completions', 'when completion mode is Indexed'),
  ]),
  'a schedule is one': [
    'cronjobs.batch',
    'CronJob.batch',
    aCronJob('refused', { schedule: 'at noon' }),
    [['FieldValueInvalid', 'spec.schedule', /^Invalid value: "at noon": /]],
  ],
  'a time zone is valid': [
    'cronjobs.batch',
    'CronJob.batch',
    aCronJob('refused', { timeZone: 'Moon/Base' }),
    [invalid('spec.timeZone', 'Moon/Base', 'unknown time zone Moon/Base')],
  ],
  'a concurrency policy has a supported value': [
    'cronjobs.batch',
    'CronJob.batch',
    aCronJob('refused', { concurrencyPolicy: 'Maybe' }),
    [unsupported('spec.concurrencyPolicy', 'Maybe', 'Allow', 'Forbid', 'Replace')],
  ],
  'the name of a cron job leaves space for a suffix': [
    'cronjobs.batch',
    'CronJob.batch',
    aCronJob('x'.repeat(53)),
    [invalid('metadata.name', 'x'.repeat(53), 'must be no more than 52 characters')],
  ],
  'a service has ports': service({ ports: [] }, [required('spec.ports')]),
  'a service port is a valid port': service({ ports: [{ port: 0 }] }, [
    invalid('spec.ports[0].port', 0, PORT_RANGE),
    invalid('spec.ports[0].targetPort', 0, PORT_RANGE),
  ]),
  'several ports of a service have names': service({ ports: [{ port: 80 }, { port: 81 }] }, [
    required('spec.ports[0].name'),
    required('spec.ports[1].name'),
  ]),
  'service ports have unique names': service(
    {
      ports: [
        { name: 'a', port: 80 },
        { name: 'a', port: 81 },
      ],
    },
    [duplicate('spec.ports[1].name', 'a')],
  ),
  'a service type has a supported value': service({ type: 'Teleport' }, [
    unsupported('spec.type', 'Teleport', 'ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'),
  ]),
  'a service of type ExternalName has an external name': service({ type: 'ExternalName' }, [required('spec.externalName')]),
  'a session affinity has a supported value': service({ sessionAffinity: 'Sticky' }, [
    unsupported('spec.sessionAffinity', 'Sticky', 'ClientIP', 'None'),
  ]),
  'a service address is valid': service({ clusterIP: 'here' }, [
    invalid('spec.clusterIPs[0]', 'here', 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'),
  ]),
  'an autoscaler has a maximum of at least one': autoscaler({ maxReplicas: 0 }, [
    required('spec.maxReplicas', 'must be set and greater than 0'),
    invalid('spec.maxReplicas', 0, 'must be greater than or equal to `minReplicas`'),
  ]),
  'an autoscaler has a minimum within its maximum': autoscaler({ minReplicas: 5 }, [
    invalid('spec.maxReplicas', 3, 'must be greater than or equal to `minReplicas`'),
  ]),
  'an autoscaler names its target': autoscaler({ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: '' } }, [
    required('spec.scaleTargetRef.name'),
  ]),
  'an autoscaler names the group of its target': autoscaler({ scaleTargetRef: { kind: 'Deployment', name: 'web' } }, [
    invalid('spec.scaleTargetRef.apiVersion', '', 'apiVersion must specify API group'),
  ]),
  'a utilization target of an autoscaler is at least one': autoscaler(
    { metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 0 } } }] },
    [invalid('spec.metrics[0].resource.target.averageUtilization', 0, 'must be greater than 0')],
  ),
  'a stabilization window of an autoscaler is at most an hour': autoscaler(
    { behavior: { scaleDown: { stabilizationWindowSeconds: 3601 } } },
    [invalid('spec.behavior.scaleDown.stabilizationWindowSeconds', 3601, 'must be less than or equal to 3600')],
  ),
  'a claim has access modes': [
    'persistentvolumeclaims',
    'PersistentVolumeClaim',
    { metadata: { name: 'refused' }, spec: { resources: { requests: { storage: '1Gi' } } } },
    [required('spec.accessModes', 'at least 1 access mode is required')],
  ],
  'a claim has a storage request': [
    'persistentvolumeclaims',
    'PersistentVolumeClaim',
    { metadata: { name: 'refused' }, spec: { accessModes: ['ReadWriteOnce'] } },
    [required('spec.resources[storage]')],
  ],
  'a quota is not negative': [
    'resourcequotas',
    'ResourceQuota',
    { metadata: { name: 'refused' }, spec: { hard: { pods: '-1' } } },
    [invalid('spec.hard[pods]', '-1', NOT_NEGATIVE)],
  ],
  'a LimitRange is consistent': [
    'limitranges',
    'LimitRange',
    { metadata: { name: 'refused' }, spec: { limits: [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }] } },
    [
      invalid('spec.limits[0].min[cpu]', '2', 'min value 2 is greater than max value 1'),
      invalid('spec.limits[0].defaultRequest[cpu]', '1', 'min value 2 is greater than default request value 1'),
      invalid('spec.limits[0].default[cpu]', '2', 'min value 2 is greater than default value 1'),
    ],
  ],
};

function refuse([resource, kind, object, causes]: Refusal): (api: NamespaceClient) => Promise<void> {
  return async (api) => expectInvalid(await api.create(resource, object), kind, object.metadata.name, causes);
}

function each(refusals: Readonly<Record<string, Refusal>>): Record<string, (api: NamespaceClient) => Promise<void>> {
  return Object.fromEntries(Object.entries(refusals).map(([rule, refusal]) => [rule, refuse(refusal)]));
}

export const VALIDATION_CASES = area('validation', {
  ...inNamespaceForPods(each(PODS)),
  ...inNamespace({
    ...each(OTHERS),
    'a deployment has a selector': async (api) => {
      const { status, body } = await api.create('deployments.apps', aDeployment('refused', { selector: undefined }));
      const [first] = body.details.causes;
      expect([status, first]).toEqual([422, { reason: 'FieldValueRequired', field: 'spec.selector', message: 'Required value' }]);
    },

    'a template with resources is validated with the rules of a pod': async (api) => {
      const containers = aPodWith('x', { requests: { cpu: '2' }, limits: { cpu: '1' } }).spec.containers;
      const answer = await api.create('deployments.apps', aDeployment('refused', {}, { containers }));
      expectInvalid(answer, 'Deployment.apps', 'refused', [
        invalid('spec.template.spec.containers[0].resources.requests', '2', 'must be less than or equal to cpu limit of 1'),
      ]);
    },
  }),
});
