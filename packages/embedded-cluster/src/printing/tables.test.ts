import { describe, expect, test } from '@jest/globals';
import { BUILT_IN_RESOURCES } from '../api/resources/descriptors.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { ResourceDescriptor } from '../api/resource-descriptor.ts';
import { parseJsonPath } from './json-path.ts';
import type { IncludeObject } from './tables.ts';
import { tableFor } from './tables.ts';

/** As a client gets it. */
const asWire = (value: unknown) => JSON.parse(JSON.stringify(value));

const NOW = Date.parse('2026-01-02T00:00:00Z');

function descriptor(kind: string): ResourceDescriptor {
  return BUILT_IN_RESOURCES.find((each) => each.kind === kind)!;
}

function anObject(parts: Record<string, unknown> = {}, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    ...parts,
  };
}

function cells(kind: string, object: KubeObject, include: IncludeObject = 'None'): unknown[] {
  const table = asWire(tableFor(descriptor(kind), undefined, [object], NOW, include));
  expect(table.rows[0].cells).toHaveLength(table.columnDefinitions.length);
  return table.rows[0].cells as unknown[];
}

function aPod(
  status: Record<string, unknown>,
  spec: Record<string, unknown> = {},
  metadata: Partial<KubeObject['metadata']> = {},
): KubeObject {
  return anObject({ spec: { containers: [{ name: 'a' }, { name: 'b' }], ...spec }, status }, metadata);
}

const running = { ready: true, restartCount: 0, state: { running: {} } };

describe('pods', () => {
  test.each<[string, KubeObject, string, string]>([
    ['run', aPod({ phase: 'Running', containerStatuses: [running, running] }), '2/2', 'Running'],
    ['wait', aPod({ phase: 'Pending' }), '0/2', 'Pending'],
    [
      'crash',
      aPod({ phase: 'Running', containerStatuses: [{ state: { waiting: { reason: 'CrashLoopBackOff' } } }, running] }),
      '1/2',
      'CrashLoopBackOff',
    ],
    ['end', aPod({ phase: 'Succeeded', containerStatuses: [{ state: { terminated: { reason: 'Completed' } } }] }), '0/2', 'Completed'],
    ['fail', aPod({ phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] }), '0/2', 'ExitCode:3'],
    [
      'are killed',
      aPod({ phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 137, signal: 9 } } }] }),
      '0/2',
      'Signal:9',
    ],
    ['are evicted', aPod({ phase: 'Failed', reason: 'Evicted' }), '0/2', 'Evicted'],
    [
      'go',
      aPod({ phase: 'Running', containerStatuses: [running] }, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      '1/2',
      'Terminating',
    ],
    [
      'are gone with their node',
      aPod({ phase: 'Running', reason: 'NodeLost' }, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      '0/2',
      'Unknown',
    ],
    [
      'initialise',
      aPod({ phase: 'Pending', initContainerStatuses: [{ name: 'i', state: { running: {} } }] }, { initContainers: [{ name: 'i' }] }),
      '0/2',
      'Init:0/1',
    ],
    [
      'fail to initialise',
      aPod(
        { phase: 'Pending', initContainerStatuses: [{ name: 'i', state: { terminated: { exitCode: 1, reason: 'Error' } } }] },
        { initContainers: [{ name: 'i' }] },
      ),
      '0/2',
      'Init:Error',
    ],
    [
      'count their sidecars',
      aPod(
        {
          phase: 'Running',
          initContainerStatuses: [{ name: 's', started: true, ready: true, state: { running: {} } }],
          containerStatuses: [running, running],
        },
        { initContainers: [{ name: 's', restartPolicy: 'Always' }] },
      ),
      '3/3',
      'Running',
    ],
    [
      'are held back',
      aPod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }),
      '0/2',
      'SchedulingGated',
    ],
    [
      'have partly ended',
      aPod({
        phase: 'Running',
        containerStatuses: [{ state: { terminated: { reason: 'Completed' } } }, running],
        conditions: [{ type: 'Ready', status: 'False' }],
      }),
      '1/2',
      'NotReady',
    ],
  ])('%s', (_, pod, ready, status) => {
    expect(cells('Pod', pod).slice(0, 3)).toEqual(['x', ready, status]);
  });

  test('show restarts, node and age', () => {
    const status = {
      phase: 'Running',
      podIP: '10.0.0.1',
      containerStatuses: [{ ...running, restartCount: 3, lastState: { terminated: { finishedAt: '2026-01-01T23:55:00Z' } } }, running],
    };
    expect(cells('Pod', aPod(status, { nodeName: 'n1' })).slice(3)).toEqual(['3 (5m ago)', '24h', '10.0.0.1', 'n1', '<none>', '<none>']);
  });
});

describe('built-in kinds', () => {
  test.each<[string, KubeObject, unknown[]]>([
    [
      'Node',
      anObject(
        {
          spec: { unschedulable: true },
          status: {
            conditions: [{ type: 'Ready', status: 'True' }],
            nodeInfo: { kubeletVersion: 'v1.36.0' },
            addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
          },
        },
        { labels: { 'node-role.kubernetes.io/worker': '' } },
      ),
      ['x', 'Ready,SchedulingDisabled', 'worker', '24h', 'v1.36.0', '127.0.0.1', '<none>', '<unknown>', '<unknown>', '<unknown>'],
    ],
    [
      'Deployment',
      anObject({
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: 'x' }, matchExpressions: [{ key: 't', operator: 'In', values: ['a', 'b'] }] },
          template: { spec: { containers: [{ name: 'c', image: 'i:1' }] } },
        },
        status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 },
      }),
      ['x', '2/3', 3, 1, '24h', 'c', 'i:1', 'app=x,t in (a,b)'],
    ],
    ['ReplicaSet', anObject({ spec: { replicas: 2 }, status: { replicas: 1 } }), ['x', 2, 1, 0, '24h', '', '', '<none>']],
    ['StatefulSet', anObject({ spec: { replicas: 2 }, status: { readyReplicas: 2 } }), ['x', '2/2', '24h', '', '']],
    [
      'DaemonSet',
      anObject({
        spec: { template: { spec: { nodeSelector: { a: 'b' } } } },
        status: { desiredNumberScheduled: 3, currentNumberScheduled: 2, numberReady: 1 },
      }),
      ['x', 3, 2, 1, 0, 0, 'a=b', '24h', '', '', '<none>'],
    ],
    [
      'Job',
      anObject({
        spec: { completions: 2 },
        status: {
          succeeded: 2,
          startTime: '2026-01-01T00:00:00Z',
          completionTime: '2026-01-01T00:01:30Z',
          conditions: [{ type: 'Complete', status: 'True' }],
        },
      }),
      ['x', 'Complete', '2/2', '90s', '24h', '', '', '<none>'],
    ],
    [
      'CronJob',
      anObject({ spec: { schedule: '0 * * * *', suspend: false }, status: { lastScheduleTime: '2026-01-01T23:00:00Z', active: [{}] } }),
      ['x', '0 * * * *', '<none>', false, 1, '60m', '24h', '', '', '<none>'],
    ],
    [
      'HorizontalPodAutoscaler',
      anObject({
        spec: {
          scaleTargetRef: { kind: 'Deployment', name: 'web' },
          minReplicas: 1,
          maxReplicas: 5,
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 80 } } }],
        },
        status: {
          currentReplicas: 2,
          currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 35 } } }],
        },
      }),
      ['x', 'Deployment/web', 'cpu: 35%/80%', '1', 5, 2, '24h'],
    ],
    ['PodDisruptionBudget', anObject({ spec: { minAvailable: 1 }, status: { disruptionsAllowed: 2 } }), ['x', '1', 'N/A', 2, '24h']],
    [
      'Service',
      anObject({
        spec: {
          type: 'NodePort',
          clusterIP: '10.0.0.1',
          ports: [
            { port: 80, nodePort: 30080, protocol: 'TCP' },
            { port: 53, protocol: 'UDP' },
          ],
          selector: { app: 'x' },
        },
      }),
      ['x', 'NodePort', '10.0.0.1', '<none>', '80:30080/TCP,53/UDP', '24h', 'app=x'],
    ],
    ['Namespace', anObject({ status: { phase: 'Active' } }), ['x', 'Active', '24h']],
    ['ConfigMap', anObject({ data: { a: '1' }, binaryData: { b: '' } }), ['x', 2, '24h']],
    ['Secret', anObject({ type: 'Opaque', data: { a: '1' } }), ['x', 'Opaque', 1, '24h']],
    ['Lease', anObject({ spec: { holderIdentity: 'me' } }), ['x', 'me', '24h']],
    [
      'Event',
      anObject({
        type: 'Normal',
        reason: 'Started',
        message: 'Container started\n',
        involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec' },
        source: { component: 'kubelet', host: 'n1' },
        firstTimestamp: '2026-01-01T23:00:00Z',
        lastTimestamp: '2026-01-01T23:59:00Z',
        count: 4,
      }),
      ['60s', 'Normal', 'Started', 'pod/p', 'spec', 'kubelet, n1', 'Container started', '60m', '4', 'x'],
    ],
    [
      'PersistentVolumeClaim',
      anObject({
        spec: { volumeName: 'pv', storageClassName: 'fast', volumeMode: 'Filesystem' },
        status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
      }),
      ['x', 'Bound', 'pv', '1Gi', 'RWO', 'fast', '<unset>', '24h', 'Filesystem'],
    ],
    [
      'StorageClass',
      anObject(
        { provisioner: 'p', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
        { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      ),
      ['x (default)', 'p', 'Delete', 'Immediate', false, '24h'],
    ],
    [
      'ResourceQuota',
      anObject({ status: { hard: { 'requests.cpu': '4', 'limits.cpu': '8' }, used: { 'requests.cpu': '1' } } }),
      ['x', 'requests.cpu: 1/4', 'limits.cpu: 0/8', '24h'],
    ],
    ['CustomResourceDefinition', anObject(), ['x', '2026-01-01T00:00:00Z']],
    ['CSIStorageCapacity', anObject(), ['x', '24h']],
  ])('%s', (kind, object, expected) => {
    expect(cells(kind, object)).toEqual(expected);
  });

  test('all print an empty object without failing', () => {
    for (const each of BUILT_IN_RESOURCES) {
      const table = asWire(tableFor(each, undefined, [anObject()], NOW, 'None'));
      expect([each.kind, table.rows[0].cells.every((cell: unknown) => cell !== undefined)]).toEqual([each.kind, true]);
    }
  });
});

describe('tables', () => {
  const column = (name: string, type: string, path: string) => ({
    name,
    type,
    format: '',
    description: '',
    priority: 0,
    values: parseJsonPath(path)!,
  });

  test('show custom columns by path and type', () => {
    const columns = [
      column('Ready', 'string', '.status.conditions[?(@.type=="Ready")].status'),
      column('Count', 'integer', '.status.count'),
      column('Ratio', 'number', '.status.ratio'),
      column('On', 'boolean', '.status.on'),
      column('Last', 'date', '.status.last'),
      column('List', 'string', '.status.list'),
      column('Missing', 'string', '.status.missing'),
    ];
    const object = anObject({
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        count: 3,
        ratio: 0.5,
        on: false,
        last: '2026-01-01T23:58:00Z',
        list: ['a'],
      },
    });
    const table = asWire(tableFor(descriptor('Pod'), columns, [object], NOW, 'None'));
    expect(table.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      'Name',
      'Ready',
      'Count',
      'Ratio',
      'On',
      'Last',
      'List',
      'Missing',
    ]);
    expect(table.rows).toEqual([{ cells: ['x', 'True', 3, 0.5, false, '2m', '["a"]', null] }]);
  });

  test('have the requested part of the object', () => {
    const object = anObject({ spec: {} });
    const shown = (include: IncludeObject): unknown =>
      asWire(tableFor(descriptor('Lease'), undefined, [object], NOW, include)).rows[0].object;
    expect(shown('None')).toBeUndefined();
    expect(shown('Object')).toEqual(object);
    expect(shown('Metadata')).toEqual({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata });
  });
});
