import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ANNOTATIONS_BY_OBJECT, OVERLONG_ANNOTATION } from '../../apis/annotations.ts';
import { readHpa } from './decode/decode-hpa.ts';
import { readNode } from './decode/decode-node.ts';
import { readScaledObject, readVpa } from './decode/decode-other-managers.ts';
import { readPod } from './decode/decode-pod.ts';
import { customResourceReader, readDisruptionBudget, readLimitRange, readPause, readQuota } from './decode/decode-rules.ts';
import { workloadReader } from './decode/decode-workload.ts';
import { Interner } from './decode/interner.ts';
import { nameOf } from './transport/request-names.ts';
import { CRON_JOBS, DAEMON_SETS, DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS } from './resources.ts';
import { decoder, type Wire } from './wire.ts';

const MiB = 2 ** 20;
const AT = '2026-01-01T00:00:00Z';
const interner = new Interner();
const decodePod = decoder((wire) => readPod(wire, interner));

function aWirePod(spec: object = {}, status: object = {}, metadata: object = {}): Wire {
  return {
    metadata: { name: 'p', namespace: 'a', uid: 'u', resourceVersion: '5', creationTimestamp: AT, ...metadata },
    spec: { containers: [{ name: 'app', resources: { requests: { cpu: '0.5', memory: '128Mi' } } }], ...spec },
    status: { phase: 'Running', qosClass: 'Burstable', ...status },
  };
}

describe('a pod', () => {
  test('is reduced to the fields that decisions need', () => {
    const decoded = decodePod(
      aWirePod(
        {
          nodeName: 'n1',
          priority: 1000,
        },
        {
          podIP: '10.0.0.1',
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: AT }],
          containerStatuses: [
            {
              name: 'app',
              ready: true,
              restartCount: 2,
              state: { running: { startedAt: AT } },
              lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: AT } },
              resources: { requests: { cpu: '250m', memory: '128Mi' }, limits: { memory: '256Mi' } },
              allocatedResources: { cpu: '250m', memory: '128Mi' },
            },
          ],
        },
        {
          labels: { app: 'web' },
          annotations: { 'evenkeel.io/do-not-disrupt': 'true', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
          ownerReferences: [
            { apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'o' },
            { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'r', controller: true },
          ],
        },
      ),
    );
    expect(decoded).toMatchObject({
      ok: true,
      record: {
        namespace: 'a',
        node: 'n1',
        ready: true,
        readySince: Date.parse(AT),
        schedulable: true,
        priority: 1000,
        ip: '10.0.0.1',
        annotations: { 'evenkeel.io/do-not-disrupt': 'true' },
        owner: { kind: 'ReplicaSet', name: 'web-1', uid: 'r' },
        containers: [
          {
            name: 'app',
            sidecar: false,
            requests: { cpuMillicores: 500, memoryBytes: 128 * MiB },
            limits: { cpuMillicores: null, memoryBytes: null },
            actual: { requests: { cpuMillicores: 250, memoryBytes: 128 * MiB }, limits: { cpuMillicores: null, memoryBytes: 256 * MiB } },
            allocated: { cpuMillicores: 250, memoryBytes: 128 * MiB },
            state: 'running',
            restarts: 2,
            lastTermination: { reason: 'OOMKilled', exitCode: 137, finishedAt: Date.parse(AT) },
          },
        ],
      },
    });
    expect(decoded.ok && Object.keys(decoded.record.annotations)).toEqual(['evenkeel.io/do-not-disrupt']);
  });

  test('has the scheduling facts of its template, one object for all pods of it', () => {
    const spec = { tolerations: [{ key: 'spot', operator: 'Exists' }], nodeSelector: { disk: 'ssd' } };
    const ofTemplate = (name: string, node: string) =>
      readPod(
        aWirePod(
          {
            ...spec,
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
                },
              },
            },
            volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${name}` } }],
          },
          {},
          { name },
        ),
        interner,
      );
    const [first, second] = [ofTemplate('web-0', 'n1'), ofTemplate('web-1', 'n2')];
    expect(first.scheduling).toMatchObject({
      ...spec,
      tolerations: [{ key: 'spot', operator: 'Exists', value: '', effect: null }],
      claims: [{ name: 'data-', podName: 'last', ephemeral: false }],
    });
    expect(second.scheduling).toBe(first.scheduling);
    expect([first.pinnedNode, second.pinnedNode]).toEqual(['n1', 'n2']);
  });

  test('with more than 16 KiB of scheduling rules stores none of them, and fits no node', () => {
    const nodeSelector = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key-${index}`, 'x'.repeat(20)]));
    const { scheduling } = readPod(aWirePod({ nodeSelector }), interner);
    expect([scheduling.nodeSelector, scheduling.unmodelled]).toEqual([{}, ['more than 16384 characters of scheduling rules']]);
  });

  test('has main containers, then restartable init containers, and no others', () => {
    const initContainers = [
      { name: 'setup' },
      { name: 'proxy', restartPolicy: 'Always', resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] },
    ];
    const decoded = decodePod(
      aWirePod(
        { initContainers },
        { initContainerStatuses: [{ name: 'proxy', ready: true, state: { waiting: { reason: 'CrashLoopBackOff' } } }] },
      ),
    );
    expect(
      decoded.ok && decoded.record.containers.map((one) => [one.name, one.sidecar, one.state, one.waitingReason, one.resizePolicy.memory]),
    ).toEqual([
      ['app', false, 'waiting', null, 'NotRequired'],
      ['proxy', true, 'waiting', 'CrashLoopBackOff', 'RestartContainer'],
    ]);
  });

  test.each([
    [
      'deferred',
      [{ type: 'PodResizePending', status: 'True', reason: 'Deferred', message: 'Node did not have enough capacity' }],
      'deferred',
    ],
    ['infeasible', [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }], 'infeasible'],
    ['in progress', [{ type: 'PodResizeInProgress', status: 'True' }], 'in-progress'],
    ['in error', [{ type: 'PodResizeInProgress', status: 'True', reason: 'Error' }], 'error'],
    [
      'pending behind one in progress',
      [
        { type: 'PodResizeInProgress', status: 'True' },
        { type: 'PodResizePending', status: 'True', reason: 'Deferred' },
      ],
      'deferred',
    ],
    ['over', [{ type: 'PodResizePending', status: 'False', reason: 'Deferred' }], 'none'],
  ])('has a resize that is %s', (_, conditions, state) => {
    const decoded = decodePod(aWirePod({}, { conditions }));
    expect(decoded.ok && decoded.record.resize.state).toBe(state);
  });

  test('has the reason of a refused resize as a code', () => {
    const message = 'In-place resize of containers with swap is not supported.';
    const decoded = decodePod(aWirePod({}, { conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible', message }] }));
    expect(decoded.ok && decoded.record.resize.refusal).toEqual({ code: 'swap', resource: 'memory' });
  });

  test('is unschedulable only when the scheduler says that no node fits', () => {
    const of = (reason: string): boolean => {
      const decoded = decodePod(aWirePod({}, { conditions: [{ type: 'PodScheduled', status: 'False', reason }] }));
      return decoded.ok && decoded.record.schedulable;
    };
    expect([of('Unschedulable'), of('SchedulingGated')]).toEqual([false, true]);
  });

  test.each([
    ['labels that are no map', aWirePod({}, {}, { labels: ['x'] }), 'metadata.labels: expected an object, got a list'],
    [
      'a malformed quantity',
      aWirePod({ containers: [{ name: 'app', resources: { requests: { cpu: 'much' } } }] }),
      'spec.containers[app].resources.requests.cpu: expected a CPU quantity',
    ],
    [
      'a time that is none',
      aWirePod({}, {}, { creationTimestamp: 'yesterday' }),
      'metadata.creationTimestamp: expected an RFC 3339 timestamp',
    ],
    ['a container without a name', aWirePod({ containers: [{}] }), 'spec.containers[].name: expected a string, got nothing'],
  ])('is rejected, with the reason, for %s', (_, wire, problem) => {
    const decoded = decodePod(wire);
    expect(decoded.ok ? '' : decoded.problem).toContain(problem);
  });

  test('has what its init containers and its RuntimeClass request', () => {
    const init = (name: string, cpu: string, more: object = {}): object => ({ name, resources: { requests: { cpu } }, ...more });
    const pod = decodePod(
      aWirePod({
        initContainers: [init('schema', '2'), init('proxy', '100m', { restartPolicy: 'Always' }), init('warm', '1'), { name: 'none' }],
        overhead: { cpu: '250m', memory: '120Mi' },
      }),
    );
    expect(pod.ok && pod.record).toMatchObject({
      initContainers: [
        { requests: { cpuMillicores: 2000, memoryBytes: null }, sidecarsBefore: 0 },
        { requests: { cpuMillicores: 1000, memoryBytes: null }, sidecarsBefore: 1 },
      ],
      overhead: { cpuMillicores: 250, memoryBytes: 120 * 2 ** 20 },
    });
  });

  test('keeps one init container per number of preceding sidecars: their maximum, per resource', () => {
    const init = (index: number, requests: object): object => ({ name: `init-${index}`, resources: { requests } });
    const sidecars = (from: number): readonly object[] =>
      Array.from({ length: 1_000 }, (_, index) => ({ name: `sidecar-${from + index}`, restartPolicy: 'Always' }));
    const plain = Array.from({ length: 1_000 }, (_, index) => init(index, { cpu: '1m' }));
    const pod = decodePod(
      aWirePod({
        initContainers: [...sidecars(0), ...plain, init(1_000, { memory: '5Ki' }), ...sidecars(1_000), init(1_001, { cpu: '2m' })],
      }),
    );
    expect(pod.ok && pod.record.initContainers).toEqual([
      { requests: { cpuMillicores: 1, memoryBytes: 5 * 1024 }, sidecarsBefore: 1_000 },
      { requests: { cpuMillicores: 2, memoryBytes: null }, sidecarsBefore: 2_000 },
    ]);
  });

  test('never throws for any content', () => {
    fc.assert(
      fc.property(fc.object(), fc.object(), fc.object(), (metadata, spec, status) => {
        decodePod({ metadata: { name: 'p', ...metadata }, spec: { containers: [], ...spec }, status });
      }),
    );
  });
});

describe('a node', () => {
  const wire = (labels: object = {}, extra: object = {}): Wire => ({
    metadata: { name: 'n1', uid: 'u', labels },
    spec: { unschedulable: true, taints: [{ key: 'k', effect: 'NoExecute' }], providerID: 'gce://x' },
    status: {
      capacity: { cpu: '4', memory: '16Gi', pods: '110' },
      allocatable: { cpu: '3920m', memory: '13Gi', pods: '64' },
      addresses: [
        { type: 'Hostname', address: 'n1' },
        { type: 'InternalIP', address: '10.0.0.7' },
      ],
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: { kubeletVersion: 'v1.36.0', operatingSystem: 'linux' },
      ...extra,
    },
  });

  test('reads capacity, address and kubelet', () => {
    expect(
      readNode(wire({ 'node.kubernetes.io/instance-type': 'e2-standard-4', 'topology.kubernetes.io/zone': 'z1' }), interner),
    ).toMatchObject({
      capacity: { cpuMillicores: 4_000, memoryBytes: 16 * 2 ** 30 },
      allocatable: { cpuMillicores: 3_920 },
      podCapacity: 64,
      ready: true,
      unschedulable: true,
      taints: [{ key: 'k', value: '', effect: 'NoExecute' }],
      internalIp: '10.0.0.7',
      kubeletPort: 10_250,
      machineType: 'e2-standard-4',
      zone: 'z1',
      region: null,
      pool: null,
      capacityType: 'on-demand',
    });
    expect(readNode(wire({}, { daemonEndpoints: { kubeletEndpoint: { Port: 40_123 } } }), interner).kubeletPort).toBe(40_123);
  });

  test('accepts a pod capacity with a suffix, and caps memory above 2^53 bytes', () => {
    const allocatable = { cpu: '4', memory: '8Ei', pods: '1k' };
    expect(readNode(wire({}, { capacity: allocatable, allocatable }), interner)).toMatchObject({
      allocatable: { cpuMillicores: 4_000, memoryBytes: Number.MAX_SAFE_INTEGER },
      podCapacity: 1000,
    });
  });

  test.each([
    [{ 'cloud.google.com/gke-spot': 'true' }, 'spot'],
    [{ 'eks.amazonaws.com/capacityType': 'SPOT' }, 'spot'],
    [{ 'karpenter.sh/capacity-type': 'spot' }, 'spot'],
    [{ 'karpenter.sh/capacity-type': 'on-demand' }, 'on-demand'],
  ])('%j is %s', (labels, capacityType) => {
    expect(readNode(wire(labels), interner).capacityType).toBe(capacityType);
  });
});

describe('quantities above 2^53', () => {
  const metadata = { name: 'q', namespace: 'a', uid: 'u' };
  const greatest = Number.MAX_SAFE_INTEGER;

  test('are capped in pods, quotas and limit ranges, which stay decodable', () => {
    const decoded = decodePod(aWirePod({ containers: [{ name: 'app', resources: { limits: { cpu: '10P', memory: '8Ei' } } }] }));
    expect(decoded).toMatchObject({
      ok: true,
      record: { containers: [{ limits: { cpuMillicores: greatest, memoryBytes: greatest } }] },
    });
    const quota = readQuota({ metadata, spec: { hard: { 'limits.memory': '1000E', 'requests.cpu': '1e20' } } }, interner);
    expect(quota).toMatchObject({ hardLimits: { memoryBytes: greatest }, hardRequests: { cpuMillicores: greatest } });
    const range = readLimitRange({ metadata, spec: { limits: [{ type: 'Container', max: { memory: '9007199254740993' } }] } }, interner);
    expect(range.max.memoryBytes).toBe(greatest);
  });
});

describe('a workload', () => {
  const template = {
    spec: { containers: [{ name: 'app', image: 'i', resources: { limits: { cpu: '1' } } }], initContainers: [{ name: 'setup' }] },
  };
  const metadata = { name: 'w', namespace: 'a', uid: 'u', generation: 2 };

  test('keeps only a runtime’s memory sizes from arguments and environment', () => {
    const env = [
      { name: 'DB_PASSWORD', value: 'hunter2' },
      { name: 'JAVA_TOOL_OPTIONS', value: '-Dkey=hunter2 -Xmx1g' },
      { name: 'NODE_OPTIONS', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      { name: 'GOMAXPROCS', value: '4' },
    ];
    const container = { name: 'app', image: 'i', command: ['java'], args: ['-jar', 'hunter2.jar'], env };
    const spec = { replicas: 1, template: { spec: { containers: [container, { name: 'odd', image: 'i', env: 'x', args: [1, null] }] } } };
    const { containers } = workloadReader(DEPLOYMENTS)({ metadata, spec, status: {} }, interner);
    expect(containers[0]?.runtime).toEqual({ name: 'JVM', option: '-Xmx', heapBytes: 2 ** 30, heapShare: null });
    expect(containers.map(({ goMaxProcs }) => goMaxProcs)).toEqual([4, undefined]);
    expect(containers[1]).not.toHaveProperty('runtime');
    expect(JSON.stringify(containers)).not.toContain('hunter2');
  });

  test.each([
    ['done', { observedGeneration: 2, replicas: 3, updatedReplicas: 3 }, false],
    ['with pods of two revisions', { observedGeneration: 2, replicas: 4, updatedReplicas: 2 }, true],
    ['not yet seen by its controller', { observedGeneration: 1, replicas: 3, updatedReplicas: 3 }, true],
  ])('a Deployment %s', (_, status, inProgress) => {
    const record = workloadReader(DEPLOYMENTS)({ metadata, spec: { replicas: 3, template }, status }, interner);
    expect([record.kind, record.apiVersion, record.rolloutInProgress, record.containers.map((one) => one.name)]).toEqual([
      'Deployment',
      'apps/v1',
      inProgress,
      ['app'],
    ]);
  });

  test.each([
    ['rolling', {}, { updatedReplicas: 1 }, true],
    ['held by its partition', { rollingUpdate: { partition: 2 } }, { updatedReplicas: 1 }, false],
    ['OnDelete', { type: 'OnDelete' }, { updatedReplicas: 0 }, false],
  ])('a StatefulSet %s', (_, updateStrategy, status, inProgress) => {
    const wire = {
      metadata,
      spec: { replicas: 3, template, updateStrategy },
      status: { observedGeneration: 2, replicas: 3, currentRevision: 'x', updateRevision: 'y', ...status },
    };
    expect(workloadReader(STATEFUL_SETS)(wire, interner).rolloutInProgress).toBe(inProgress);
  });

  test('a DaemonSet counts scheduled pods; a CronJob nests its template one level deeper; a controlled ReplicaSet is a link', () => {
    const daemons = workloadReader(DAEMON_SETS)(
      {
        metadata,
        spec: { template },
        status: { observedGeneration: 2, desiredNumberScheduled: 5, currentNumberScheduled: 5, updatedNumberScheduled: 5, numberReady: 4 },
      },
      interner,
    );
    expect(daemons.replicas).toEqual({ desired: 5, current: 5, ready: 4 });
    expect(workloadReader(CRON_JOBS)({ metadata, spec: { jobTemplate: { spec: { template } } } }, interner).containers).toHaveLength(1);
    const link = { ...metadata, ownerReferences: [{ kind: 'Deployment', name: 'w', uid: 'd', controller: true }] };
    expect(workloadReader(REPLICA_SETS)({ metadata: link, spec: { template } }, interner)).toMatchObject({
      controller: { kind: 'Deployment' },
      containers: [],
    });
  });

  test.each([
    ['with a zone, as kubectl writes it', '2026-11-20T15:30:00+01:00', { restartedAt: Date.parse('2026-11-20T14:30:00Z') }],
    ['that is no time', 'yesterday', {}],
  ])('its template has the time of the last restart: %s', (_, restartedAt, expected) => {
    const annotations = { 'kubectl.kubernetes.io/restartedAt': restartedAt };
    const wire = { metadata, spec: { template: { ...template, metadata: { annotations } } }, status: {} };
    const { restartedAt: read } = workloadReader(DEPLOYMENTS)(wire, interner);
    expect(read === undefined ? {} : { restartedAt: read }).toEqual(expected);
  });
});

describe('rules', () => {
  test('an autoscaler is decoded with its resource metrics alone', () => {
    const metrics = [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
      {
        type: 'ContainerResource',
        containerResource: { name: 'memory', container: 'app', target: { type: 'AverageValue', averageValue: '1Gi' } },
      },
      { type: 'Pods', pods: { metric: { name: 'requests_per_second' } } },
    ];
    const spec = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 9, metrics };
    expect(readHpa({ metadata: { name: 'h', namespace: 'a' }, spec, status: { currentReplicas: 2 } }, interner)).toMatchObject({
      target: { namespace: 'a', group: 'apps', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      resourceMetrics: [
        { resource: 'cpu', container: null, targetUtilizationRatio: 0.7 },
        { resource: 'memory', container: 'app', targetUtilizationRatio: null },
      ],
    });
  });

  test('an HPA has its manager, the last writer of its metrics, and its stabilization window', () => {
    const controller = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'load', uid: 'u', controller: true };
    const wrote = (manager: string, time: string, fields: object) => ({ manager, operation: 'Update', time, fieldsV1: fields });
    const metadata = {
      name: 'h',
      namespace: 'a',
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      ownerReferences: [controller],
      managedFields: [
        wrote('evenkeel-controller', '2026-11-20T12:00:00Z', { 'f:spec': { 'f:metrics': {} } }),
        wrote('argocd-controller', '2026-11-20T12:01:00Z', { 'f:spec': { 'f:metrics': {} } }),
        wrote('kubectl', '2026-11-20T12:02:00Z', { 'f:spec': { 'f:maxReplicas': {} } }),
        { ...wrote('kube-controller-manager', '2026-11-20T12:03:00Z', { 'f:spec': { 'f:metrics': {} } }), subresource: 'status' },
      ],
    };
    const spec = { scaleTargetRef: { kind: 'Deployment', name: 'web' }, behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } };
    expect(readHpa({ metadata, spec, status: { lastScaleTime: '2026-11-20T11:00:00Z' } }, interner)).toMatchObject({
      controller: { kind: 'ScaledObject', name: 'load' },
      metricsWriter: 'argocd-controller',
      annotations: {},
      hasAnnotations: true,
      lastScaleAt: Date.parse('2026-11-20T11:00:00Z'),
      scaleDownWindowMs: 60_000,
    });
  });

  test('a pod has the manager of its last resize', () => {
    const entry = (manager: string, time: string, subresource?: string) => ({ manager, time, ...(subresource && { subresource }) });
    const managedFields = [
      entry('evenkeel-controller', '2026-11-20T12:00:00Z', 'resize'),
      entry('kubectl-patch', '2026-11-20T12:01:00Z', 'resize'),
      entry('kubelet', '2026-11-20T12:02:00Z', 'status'),
      entry('kubectl-edit', '2026-11-20T12:03:00Z'),
    ];
    const resizedBy = (fields: readonly object[]) =>
      readPod({ metadata: { name: 'p', namespace: 'a', managedFields: fields }, spec: {}, status: {} }, interner).resizedBy;
    expect(resizedBy(managedFields)).toEqual({ manager: 'kubectl-patch', at: Date.parse('2026-11-20T12:01:00Z') });
    expect(resizedBy(managedFields.slice(2))).toBeNull();
  });

  test.each<[string, object, object]>([
    ['without a policy its mode is Auto', {}, { updateMode: 'Auto' }],
    ['its mode', { updatePolicy: { updateMode: 'Initial' } }, { updateMode: 'Initial' }],
  ])('a VerticalPodAutoscaler: %s', (_, spec, expected) => {
    const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const vpa = readVpa({ metadata: { name: 'v', namespace: 'a' }, spec: { targetRef, ...spec } }, interner);
    expect(vpa).toEqual({
      namespace: 'a',
      name: 'v',
      target: { namespace: 'a', group: 'apps', kind: 'Deployment', name: 'web' },
      ...expected,
    });
  });

  describe('the group of a target with or without an apiVersion', () => {
    const metadata = { name: 'x', namespace: 'a' };
    const hpa = (scaleTargetRef: object) => readHpa({ metadata, spec: { scaleTargetRef } }, interner).target;
    const scaledObject = (scaleTargetRef: object) => readScaledObject({ metadata, spec: { scaleTargetRef } }, interner).target;
    const vpa = (targetRef: object) => readVpa({ metadata, spec: { targetRef } }, interner).target;

    test.each<[string, (ref: object) => object, object, string]>([
      ['an HPA has that of its apiVersion', hpa, { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' }, 'argoproj.io'],
      ['an HPA without one means the core group, as its controller does', hpa, { kind: 'ReplicationController' }, ''],
      ['a ScaledObject has that of its apiVersion', scaledObject, { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' }, 'argoproj.io'],
      ['a ScaledObject without one means apps', scaledObject, { kind: 'StatefulSet' }, 'apps'],
      ['a VPA has that of its apiVersion', vpa, { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' }, 'argoproj.io'],
      ['a VPA knows kinds of Kubernetes without one', vpa, { kind: 'CronJob' }, 'batch'],
      ['a VPA takes such a kind for Kubernetes’ own in any group', vpa, { apiVersion: 'apps.kruise.io/v1', kind: 'StatefulSet' }, 'apps'],
    ])('%s', (_, targetOf, ref, group) => {
      expect(targetOf({ ...ref, name: 'web' })).toMatchObject({ group, name: 'web' });
    });
  });

  test('a ScaledObject has its target, its HPA, and the resources scaled by utilization', () => {
    const triggers = [
      { type: 'cpu', metricType: 'Utilization', metadata: { value: '50' } },
      { type: 'memory', metricType: 'AverageValue', metadata: { value: '1Gi' } },
      { type: 'cron', metadata: {} },
    ];
    const wire = {
      metadata: { name: 's', namespace: 'a' },
      spec: { scaleTargetRef: { name: 'web' }, triggers },
      status: { hpaName: 'keda-hpa-s' },
    };
    expect(readScaledObject(wire, interner)).toEqual({
      namespace: 'a',
      name: 's',
      target: { namespace: 'a', group: 'apps', kind: 'Deployment', name: 'web' },
      hpa: 'keda-hpa-s',
      utilizationOf: ['cpu'],
    });
  });

  test('a disruption budget without a selector differs from one with an empty selector', () => {
    const metadata = { name: 'b', namespace: 'a' };
    expect(readDisruptionBudget({ metadata, spec: {} }, interner).selector).toBeNull();
    expect(readDisruptionBudget({ metadata, spec: { selector: {} } }, interner).selector).toEqual({
      matchLabels: {},
      matchExpressions: [],
    });
    const strange = decoder((wire) => readDisruptionBudget(wire, interner))({
      metadata,
      spec: { selector: { matchExpressions: [{ key: 'k', operator: 'Like' }] } },
    });
    expect(strange.ok).toBe(false);
  });

  test.each([
    [{ minAvailable: 2 }, { minAvailable: { kind: 'count', count: 2 }, maxUnavailable: null }],
    [{ minAvailable: '100%' }, { minAvailable: { kind: 'percent', ratio: 1 }, maxUnavailable: null }],
    [{ maxUnavailable: 0 }, { minAvailable: null, maxUnavailable: { kind: 'count', count: 0 } }],
    [{ maxUnavailable: '0%' }, { minAvailable: null, maxUnavailable: { kind: 'percent', ratio: 0 } }],
    [{}, { minAvailable: null, maxUnavailable: null }],
  ])('a budget of %j', (spec, expected) => {
    expect(readDisruptionBudget({ metadata: { name: 'b', namespace: 'a' }, spec }, interner)).toMatchObject(expected);
  });

  test('a disruption budget that is neither a count nor a percentage is rejected', () => {
    const read = decoder((wire) => readDisruptionBudget(wire, interner));
    expect(read({ metadata: { name: 'b', namespace: 'a' }, spec: { minAvailable: 'most' } }).ok).toBe(false);
  });

  test('of several limit range items the strictest apply', () => {
    const limits = [
      { type: 'Container', min: { cpu: '50m' }, max: { cpu: '4', memory: '1Gi' }, maxLimitRequestRatio: { cpu: '2.5' } },
      { type: 'Container', min: { cpu: '100m' }, max: { cpu: '2' } },
      { type: 'Pod', max: { cpu: '1m' } },
    ];
    expect(readLimitRange({ metadata: { name: 'l', namespace: 'a' }, spec: { limits } }, interner)).toMatchObject({
      min: { cpuMillicores: 100, memoryBytes: null },
      max: { cpuMillicores: 2_000, memoryBytes: 2 ** 30 },
      maxLimitRequestRatio: { cpu: 2.5, memory: null },
    });
  });

  test('a quota’s cpu means its requests.cpu', () => {
    const status = { hard: { cpu: '10', 'requests.memory': '4Gi', 'limits.cpu': '20' }, used: { cpu: '1' } };
    expect(readQuota({ metadata: { name: 'q', namespace: 'a' }, status }, interner)).toMatchObject({
      hardRequests: { cpuMillicores: 10_000, memoryBytes: 4 * 2 ** 30 },
      hardLimits: { cpuMillicores: 20_000, memoryBytes: null },
      usedRequests: { cpuMillicores: 1_000, memoryBytes: null },
    });
  });

  test.each([
    ['no scope', {}, undefined],
    ['all that run for good', { scopes: ['NotTerminating', 'NotBestEffort'] }, undefined],
    ['what ends by itself', { scopes: ['Terminating'] }, true],
    ['a priority', { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['batch'] }] } }, true],
  ])('a quota of %s applies to some pods only: %j → %s', (_, spec, expected) => {
    const wire = { metadata: { name: 'q', namespace: 'a' }, spec: { hard: { cpu: '1' }, ...spec } };
    expect(readQuota(wire, interner).excludesSomePods).toBe(expected);
  });

  test.each([
    [
      { until: AT, reason: 'x' },
      { until: Date.parse(AT), reason: 'x' },
    ],
    [{ until: 'soon' }, { until: null, reason: '' }],
    [
      { until: '', reason: 7 },
      { until: null, reason: '' },
    ],
    [undefined, { until: null, reason: '' }],
  ])('a pause of %j applies: a malformed value pauses', (data, expected) => {
    const metadata = { uid: 'u-1' };
    expect(readPause(data === undefined ? { metadata } : { metadata, data })).toEqual({ ...expected, uid: 'u-1' });
  });

  test('a custom resource is stored completely except for its managed fields', () => {
    const wire = { kind: 'X', metadata: { name: 'o', managedFields: [] }, spec: { a: 1 } };
    expect(customResourceReader('things')(wire, interner)).toEqual({
      plural: 'things',
      namespace: null,
      name: 'o',
      object: { kind: 'X', metadata: { name: 'o' }, spec: { a: 1 } },
    });
  });
});

describe('Interner', () => {
  test('returns one instance for equal texts and equal label maps', () => {
    const tables = new Interner();
    expect(tables.map({ a: 'b', c: 'd' })).toBe(tables.map({ a: 'b', c: 'd' }));
    expect(tables.map({ a: 'b' })).not.toBe(tables.map({ a: 'c' }));
  });

  test('never changes a map’s entries', () => {
    const tables = new Interner();
    const map = fc.dictionary(fc.string(), fc.string());
    fc.assert(fc.property(map, (given) => expect({ ...tables.map(given) }).toEqual({ ...given })));
  });

  test.each([
    ['a long value', { 'evenkeel.io/floor': 'x'.repeat(64) }],
    ['many entries', Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`label-${index}`, 'value']))],
  ])('shares no map with %s: only its record references it', (_, map) => {
    const tables = new Interner();
    expect(tables.map(map)).not.toBe(tables.map(map));
    expect(tables.map(map)).toEqual(map);
  });

  test('keeps sharing entries in use, regardless of how many others pass through', () => {
    const tables = new Interner();
    const shared = tables.map({ app: 'web' });
    for (let round = 0; round < 10; round++) {
      for (let index = 0; index < 60_000; index++) tables.map({ pod: `${round}-${index}` });
      expect(tables.map({ app: 'web' })).toBe(shared);
    }
  });
});

describe('annotations', () => {
  const ofWorkload = (annotations: object) => {
    const wire = { metadata: { name: 'w', namespace: 'a', annotations }, spec: { template: {} }, status: {} };
    return workloadReader(DEPLOYMENTS)(wire, interner).annotations;
  };

  test('only annotations that are read are stored, and the names of eight other ones of Evenkeel', () => {
    const read = { 'evenkeel.io/floor': '{}', 'evenkeel.io/mode': 'Off', 'meta.helm.sh/release-name': 'shop' };
    expect(ofWorkload({ ...read, 'meta.helm.sh/other': 'x' })).toEqual(read);
    expect(ofWorkload({ ...read, 'evenkeel.io/exlude': 'true' })).toEqual({ ...read, 'evenkeel.io/exlude': '' });
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`evenkeel.io/x${index}`, 'x']));
    expect(Object.keys(ofWorkload(many))).toHaveLength(8);
  });

  test.each(Object.values(ANNOTATIONS_BY_OBJECT).flatMap((names) => Object.values<string>(names)))('%s is stored', (name) => {
    expect(ofWorkload({ [name]: 'x' })).toEqual({ [name]: 'x' });
  });

  test('a value of 16 KiB is stored completely; a longer one is replaced by a marker', () => {
    const key = 'evenkeel.io/floor';
    const longest = 'x'.repeat(16_384);
    expect(ofWorkload({ [key]: longest })[key]).toBe(longest);
    expect(ofWorkload({ [key]: `${longest}x` })[key]).toBe(OVERLONG_ANNOTATION);
  });

  test('an HPA stores only annotations that are read, and whether it has any', () => {
    const wire = {
      metadata: { name: 'h', namespace: 'a', annotations: { 'evenkeel.io/idle': 'never', other: 'x' } },
      spec: {},
      status: {},
    };
    const scaleTargetRef = { kind: 'Deployment', name: 'w' };
    const hpa = readHpa({ ...wire, spec: { scaleTargetRef } }, interner);
    expect([hpa.annotations, hpa.hasAnnotations]).toEqual([{ 'evenkeel.io/idle': 'never' }, true]);
  });
});

describe('nameOf', () => {
  test.each([
    ['GET', '/api/v1/pods', {}, 'list pods'],
    ['GET', '/api/v1/pods', { watch: true }, 'watch pods'],
    ['PATCH', '/api/v1/namespaces/a/pods/p/resize', {}, 'patch pods/resize'],
    ['GET', '/api/v1/namespaces/a', {}, 'get namespaces'],
    ['GET', '/apis/apps/v1/namespaces/a/deployments/d', {}, 'get deployments.apps'],
    ['POST', '/apis/events.k8s.io/v1/namespaces/a/events', {}, 'create events.events.k8s.io'],
    ['DELETE', '/apis/evenkeel.io/v1alpha1/podresizepolicies/p', {}, 'delete podresizepolicies.evenkeel.io'],
    ['GET', '/api/v1/nodes/n/proxy/metrics/resource', {}, 'get nodes/proxy'],
    ['GET', '/version', {}, 'get other'],
  ] as const)('%s %s %j is %s', (method, path, query, expected) => {
    const { verb, resource } = nameOf({ method, path, query });
    expect(`${verb} ${resource}`).toBe(expected);
  });
});
