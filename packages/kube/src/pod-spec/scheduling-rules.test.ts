import { describe, expect, test } from '@jest/globals';
import { claimsOf } from './pod-volumes.ts';
import { nodeTermsOf, readPriority, readSchedulingRules, type PodRules } from './scheduling-rules.ts';
import { WireError, type Wire } from '../wire.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const POD = { name: 'web-0', labels: { app: 'web', 'pod-template-hash': 'abc' } };

function read(spec: Wire, pod: typeof POD = POD): PodRules {
  return readSchedulingRules({ containers: [{ name: 'app' }], ...spec }, pod);
}

const ANYWHERE = read({}).rules;
const pinnedTo = (...nodes: readonly string[]): Wire => ({
  affinity: {
    nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: nodes }] }] } },
  },
});

describe('scheduling rules of a pod', () => {
  test('a plain pod may go anywhere', () => {
    expect(ANYWHERE).toEqual({
      nodeSelector: {},
      nodeTerms: null,
      preferredNodeTerms: [],
      affinity: [],
      antiAffinity: [],
      preferredAffinity: [],
      preferredAntiAffinity: [],
      tolerations: [],
      spread: [],
      ports: [],
      claims: [],
      disks: [],
      features: [],
      gates: [],
      mayPreempt: true,
      unmodelled: [],
    });
  });

  test.each<[string, Wire, object]>([
    ['a node selector', { nodeSelector: { disk: 'ssd' } }, { nodeSelector: { disk: 'ssd' } }],
    ['scheduling gates', { schedulingGates: [{ name: 'a/b' }, { name: 'c/d' }] }, { gates: ['a/b', 'c/d'] }],
    ['a preemption policy', { preemptionPolicy: 'Never' }, { mayPreempt: false }],
    ['resource claims', { resourceClaims: [{ name: 'gpu' }] }, { unmodelled: ['spec.resourceClaims'] }],
    ['user namespaces on the host network', { hostNetwork: true, hostUsers: false }, { features: ['UserNamespacesHostNetworkSupport'] }],
    [
      'a RestartAllContainers action',
      { initContainers: [{ name: 'i', restartPolicyRules: [{ action: 'RestartAllContainers' }] }] },
      { features: ['RestartAllContainersOnContainerExits'] },
    ],
    [
      'tolerations',
      { tolerations: [{ operator: 'Exists' }, { key: 'a', value: 'b', effect: 'NoSchedule' }, { key: 'n', operator: 'Gt', value: '1' }] },
      {
        tolerations: [
          { key: null, operator: 'Exists', value: '', effect: null },
          { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' },
          { key: 'n', operator: 'Other', value: '1', effect: null },
        ],
      },
    ],
    [
      'node affinity',
      {
        affinity: {
          nodeAffinity: {
            [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['3'] }] }, {}] },
            [PREFERRED]: [{ weight: 5, preference: { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] } }],
          },
        },
      },
      {
        nodeTerms: [
          { labels: [{ key: 'cores', operator: 'Gt', values: ['3'] }], fields: [] },
          { labels: [], fields: [] },
        ],
        preferredNodeTerms: [{ weight: 5, term: { labels: [], fields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] } }],
      },
    ],
    [
      'pod affinity, with matchLabelKeys resolved to the pod’s values',
      {
        affinity: {
          podAffinity: {
            [REQUIRED]: [
              {
                topologyKey: 'zone',
                labelSelector: { matchLabels: { app: 'web' } },
                matchLabelKeys: ['pod-template-hash', 'missing'],
                namespaces: ['shop'],
                namespaceSelector: {},
              },
            ],
          },
          podAntiAffinity: {
            [REQUIRED]: [{ topologyKey: 'host', labelSelector: {}, mismatchLabelKeys: ['app'] }],
            [PREFERRED]: [{ weight: 9, podAffinityTerm: { topologyKey: 'host', matchLabelKeys: ['app'] } }],
          },
        },
      },
      {
        affinity: [
          {
            topologyKey: 'zone',
            selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'pod-template-hash', operator: 'In', values: ['abc'] }] },
            namespaces: ['shop'],
            namespaceSelector: {},
          },
        ],
        antiAffinity: [
          {
            topologyKey: 'host',
            selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] },
            namespaces: [],
            namespaceSelector: null,
          },
        ],
        preferredAntiAffinity: [{ weight: 9, term: { topologyKey: 'host', selector: null, namespaces: [], namespaceSelector: null } }],
      },
    ],
    [
      'topology spread',
      {
        topologySpreadConstraints: [
          { maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'web' } } },
          {
            maxSkew: 1,
            topologyKey: 'host',
            whenUnsatisfiable: 'ScheduleAnyway',
            minDomains: 3,
            nodeAffinityPolicy: 'Ignore',
            nodeTaintsPolicy: 'Honor',
          },
        ],
      },
      {
        spread: [
          {
            maxSkew: 2,
            topologyKey: 'zone',
            hard: true,
            selector: { matchLabels: { app: 'web' } },
            minDomains: 1,
            honorAffinity: true,
            honorTaints: false,
          },
          { maxSkew: 1, topologyKey: 'host', hard: false, selector: null, minDomains: 3, honorAffinity: false, honorTaints: true },
        ],
      },
    ],
    [
      'host ports of sidecars and main containers, not of init containers',
      {
        initContainers: [
          { name: 'init', ports: [{ containerPort: 1, hostPort: 1 }] },
          { name: 'proxy', restartPolicy: 'Always', ports: [{ containerPort: 80, hostPort: 8080, protocol: 'UDP', hostIP: '10.0.0.1' }] },
        ],
        containers: [{ name: 'app', ports: [{ containerPort: 443, hostPort: 443 }, { containerPort: 90 }] }],
      },
      {
        ports: [
          { port: 8080, protocol: 'UDP', ip: '10.0.0.1' },
          { port: 443, protocol: 'TCP', ip: '0.0.0.0' },
        ],
      },
    ],
    [
      'every port on the host network',
      { hostNetwork: true, containers: [{ name: 'app', ports: [{ containerPort: 90, hostIP: '' }] }] },
      { ports: [{ port: 90, protocol: 'TCP', ip: '0.0.0.0' }] },
    ],
    [
      'inline disks',
      {
        volumes: [
          { name: 'a', gcePersistentDisk: { pdName: 'd', readOnly: true } },
          { name: 'b', rbd: { monitors: ['m'], image: 'i' } },
          { name: 'c', azureDisk: { diskURI: '/d' } },
          { name: 'd', emptyDir: {} },
        ],
      },
      {
        disks: [
          {
            kind: 'gcePersistentDisk',
            id: 'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d',
            monitors: [],
            readOnly: true,
            driver: 'pd.csi.storage.gke.io',
          },
          { kind: 'rbd', id: 'rbd/i', monitors: ['m'], readOnly: false, driver: null },
          { kind: 'other', id: '/d', monitors: [], readOnly: false, driver: 'disk.csi.azure.com' },
        ],
      },
    ],
  ])('have %s', (_, spec, expected) => {
    expect(read(spec).rules).toEqual({ ...ANYWHERE, ...expected });
  });

  test.each<[string, object]>([
    ['spec.affinity', { podAffinity: { [REQUIRED]: [{ labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } }] } }],
    ['spec.affinity', { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: '~' }] }] } } }],
  ])('an unsupported operator makes the pod fit no node (%s)', (field, affinity) => {
    expect(read({ affinity }).rules.unmodelled).toEqual([expect.stringMatching(new RegExp(`^${field}.*operator$`))]);
  });

  test.each<[string, Wire]>([
    ['spec.tolerations', { tolerations: {} }],
    ['spec.affinity', { affinity: [] }],
    ['spec.nodeSelector.disk', { nodeSelector: { disk: 1 } }],
    ['spec.schedulingGates', { schedulingGates: 'a' }],
    ['spec.containers[].ports[].hostPort', { containers: [{ ports: [{ hostPort: '80' }] }] }],
    ['spec.volumes[]', { volumes: [1] }],
  ])('a pod with %s of the wrong type is refused', (path, spec) => {
    expect(() => read(spec)).toThrow(WireError);
    expect(() => read(spec)).toThrow(path);
  });

  test.each([
    [{}, 0],
    [{ priority: -5 }, -5],
  ])('priority of %j is %d', (spec, expected) => {
    expect(readPriority(spec)).toBe(expected);
  });
});

describe('pods of one template have equal rules', () => {
  test('of a DaemonSet, each pinned to another node', () => {
    const [first, second] = [read(pinnedTo('n1')), read(pinnedTo('n2'))];
    expect(first.rules).toEqual(second.rules);
    expect([first, second].map(nodeTermsOf)).toEqual(
      ['n1', 'n2'].map((node) => [{ labels: [], fields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }]),
    );
  });

  test('an affinity for several nodes stays in the rules', () => {
    const several = read(pinnedTo('n1', 'n2'));
    expect(several.pinnedNode).toBeNull();
    expect(nodeTermsOf(several)).toBe(several.rules.nodeTerms);
    expect(several.rules.nodeTerms).toEqual([{ labels: [], fields: [{ key: 'metadata.name', operator: 'In', values: ['n1', 'n2'] }] }]);
  });

  test('of a StatefulSet, each with its own claims', () => {
    const volumesOf = (pod: string): Wire => ({
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: `data-${pod}` } },
        { name: 'scratch', ephemeral: {} },
        { name: 'shared', persistentVolumeClaim: { claimName: 'shared' } },
        { name: 'config', configMap: { name: 'c' } },
      ],
    });
    const claims = ['db-0', 'db-1'].map((name) => ({ name, templates: read(volumesOf(name), { ...POD, name }).rules.claims }));
    expect(claims[0]?.templates).toEqual(claims[1]?.templates);
    expect(claims.map(({ name, templates }) => claimsOf(templates, name).map((claim) => [claim.name, claim.ephemeral]))).toEqual([
      [
        ['data-db-0', false],
        ['db-0-scratch', true],
        ['shared', false],
      ],
      [
        ['data-db-1', false],
        ['db-1-scratch', true],
        ['shared', false],
      ],
    ]);
  });
});
