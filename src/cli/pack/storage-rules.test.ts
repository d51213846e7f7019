import { describe, expect, test } from '@jest/globals';
import { VOLUMES_NOT_COUNTED } from './input/known-volumes.ts';
import { aWorkload, packFiles, REQUESTS, REQUIRED } from '../../../test/builders/pack-files.ts';

const POOLS = [
  'machine_type,vcpu,memory_gib,usd_per_hour,zone,taints',
  'small,2,4,0.10,a,',
  'small,2,4,0.11,b,',
  'small,2,4,0.05,c,dedicated=batch:NoSchedule',
  '',
].join('\n');

function aClaim(name: string, spec: string): string {
  return `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: ${name}, namespace: shop }\nspec: ${spec}\n`;
}
function aVolume(name: string, zone: string, key = 'topology.kubernetes.io/zone'): string {
  const term = `{ matchExpressions: [{ key: ${key}, operator: In, values: [${zone}] }] }`;
  return `apiVersion: v1\nkind: PersistentVolume\nmetadata: { name: ${name} }\nspec: { nodeAffinity: { required: { nodeSelectorTerms: [${term}] } } }\n`;
}
function aClass(name: string, spec: string): string {
  return `{ apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: { name: ${name} }, provisioner: pd.csi.storage.gke.io, ${spec} }\n`;
}

const DATA = 'volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]';
const db = (volumes = DATA): string => aWorkload('db', 1, `{ ${REQUESTS}, ${volumes} }`);
const IN_B = 'allowedTopologies: [{ matchLabelExpressions: [{ key: topology.gke.io/zone, values: [b] }] }]';

const IN_REGION =
  'apiVersion: v1\nkind: PersistentVolume\nmetadata: { name: pv, labels: { topology.kubernetes.io/zone: a, topology.kubernetes.io/region: r } }\nspec: {}\n';

describe('a pod with a volume is packed', () => {
  test.each<readonly [string, readonly string[]]>([
    ['in the zone of the volume', [aClaim('data', '{ volumeName: pv }'), aVolume('pv', 'b')]],
    ['by the zone label of a storage driver', [aClaim('data', '{ volumeName: pv }'), aVolume('pv', 'b', 'topology.gke.io/zone')]],
    [
      'in the zone label of the volume',
      [
        aClaim('data', '{ volumeName: pv }'),
        'apiVersion: v1\nkind: PersistentVolume\nmetadata: { name: pv, labels: { topology.kubernetes.io/zone: b } }\nspec: {}\n',
      ],
    ],
    [
      'where the volume is that is reserved for its claim',
      [
        aClaim('data', '{ storageClassName: ssd }'),
        aVolume('pv', 'b').replace('spec: {', 'spec: { claimRef: { namespace: shop, name: data },'),
      ],
    ],
    [
      'where its class creates volumes',
      [aClaim('data', '{ storageClassName: ssd }'), aClass('ssd', `volumeBindingMode: WaitForFirstConsumer, ${IN_B}`)],
    ],
  ])('%s', (_, storage) => {
    const { problems, pods, notes } = packFiles([db(), ...storage], POOLS);
    expect(problems).toEqual([]);
    expect(notes).toEqual([VOLUMES_NOT_COUNTED]);
    expect(pods.map(({ zone }) => zone)).toEqual(['b']);
  });

  test('in the region of the volume, where pools state one', () => {
    const pools = [
      'machine_type,vcpu,memory_gib,usd_per_hour,zone,labels',
      'small,2,4,0.10,a,topology.kubernetes.io/region=q',
      'small,2,4,0.11,a,topology.kubernetes.io/region=r',
      '',
    ].join('\n');
    const { pods, usdPerHour } = packFiles([db(), aClaim('data', '{ volumeName: pv }'), IN_REGION], pools);
    expect(pods).toHaveLength(1);
    expect(usdPerHour).toBeCloseTo(0.11, 9);
  });

  test('each replica of a StatefulSet in the zone of its own volume, and one without where its class creates volumes', () => {
    const set = aWorkload('db', 3, `{ ${REQUESTS} }`, {
      kind: 'StatefulSet',
      spec: 'volumeClaimTemplates: [{ metadata: { name: data }, spec: { storageClassName: ssd } }]',
    });
    const storage = [
      ...['a', 'b'].flatMap((zone, at) => [aClaim(`data-db-${at}`, `{ volumeName: pv-${zone} }`), aVolume(`pv-${zone}`, zone)]),
      aClass('ssd', `volumeBindingMode: WaitForFirstConsumer, ${IN_B}`),
    ];
    const { pods, notes } = packFiles([set, ...storage], POOLS);
    expect(notes).toEqual([VOLUMES_NOT_COUNTED]);
    expect(Object.fromEntries(pods.map(({ pod, zone }) => [pod, zone]))).toEqual({ 'shop/db-0': 'a', 'shop/db-1': 'b', 'shop/db-2': 'b' });
  });

  test('with a spread over zones that begins with the volumes that are there', () => {
    const spread =
      'topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable: DoNotSchedule, topologyKey: topology.kubernetes.io/zone, nodeTaintsPolicy: Honor, labelSelector: { matchLabels: { app: db } } }]';
    const set = aWorkload('db', 2, `{ ${REQUESTS}, ${spread} }`, {
      kind: 'StatefulSet',
      spec: 'volumeClaimTemplates: [{ metadata: { name: data }, spec: { storageClassName: ssd } }]',
    });
    const storage = [
      aClaim('data-db-1', '{ volumeName: pv }'),
      aVolume('pv', 'a'),
      aClass('ssd', 'volumeBindingMode: WaitForFirstConsumer'),
    ];
    const { pods } = packFiles([set, ...storage], POOLS);
    expect(Object.fromEntries(pods.map(({ pod, zone }) => [pod, zone]))).toEqual({ 'shop/db-0': 'b', 'shop/db-1': 'a' });
  });

  test('with a spread whose cheapest zone counts, also where the volume of the first pod is in another', () => {
    const spread =
      'topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable: DoNotSchedule, topologyKey: topology.kubernetes.io/zone, nodeTaintsPolicy: Honor, labelSelector: { matchLabels: { app: db } } }]';
    const pools = 'machine_type,vcpu,memory_gib,usd_per_hour,zone\nsmall,2,4,0.2,a\nsmall,2,4,0.1,b\n';
    const set = aWorkload('db', 3, `{ ${REQUESTS}, ${spread} }`, {
      kind: 'StatefulSet',
      spec: 'volumeClaimTemplates: [{ metadata: { name: data }, spec: { storageClassName: ssd } }]',
    });
    const storage = [
      aClaim('data-db-0', '{ volumeName: pv }'),
      aVolume('pv', 'a'),
      aClass('ssd', 'volumeBindingMode: WaitForFirstConsumer'),
    ];
    const zones = packFiles([set, ...storage], pools).pods.map(({ zone }) => zone);
    expect(zones.toSorted()).toEqual(['a', 'b', 'b']);
  });

  test.each<readonly [string, readonly string[], string]>([
    ['the claim', [], 'claim shop/data is not in the file'],
    ['its volume', [aClaim('data', '{ volumeName: pv }')], 'claim shop/data is bound to the volume pv, which was not found'],
    ['its class', [aClaim('data', '{ storageClassName: ssd }')], 'claim shop/data has the StorageClass ssd, which was not found'],
    ['a default class', [aClaim('data', '{}')], 'claim shop/data names no StorageClass, and the file has no default one'],
    [
      'the zone of a volume that is created before',
      [aClaim('data', '{ storageClassName: ssd }'), aClass('ssd', 'volumeBindingMode: Immediate')],
      'which creates the volume before the pod is placed, anywhere',
    ],
    [
      'the place of its volume',
      [aClaim('data', '{ volumeName: pv }'), aVolume('pv', 'rack-1', 'example.com/rack')],
      'claim shop/data is bound to the volume pv, whose place is by example.com/rack, which no pool states',
    ],
    [
      'the volume that a claim with the empty class binds to',
      [
        aClaim('data', '{ storageClassName: "" }'),
        aClass('ssd', `volumeBindingMode: WaitForFirstConsumer, ${IN_B}`).replace(
          'metadata: { name: ssd }',
          'metadata: { name: ssd, annotations: { storageclass.kubernetes.io/is-default-class: "true" } }',
        ),
      ],
      'claim shop/data has the empty StorageClass, with which it binds to a volume that exists',
    ],
    [
      'the zone, of several, of a volume that is created before',
      [aClaim('data', '{ storageClassName: ssd }'), aClass('ssd', `volumeBindingMode: Immediate, ${IN_B.replace('[b]', '[a, b]')}`)],
      'which creates the volume before the pod is placed, in one of several places',
    ],
    [
      'the region of its volume',
      [aClaim('data', '{ volumeName: pv }'), IN_REGION],
      'volume pv has a region, and no pool states topology.kubernetes.io/region: regions are not compared',
    ],
  ])('anywhere, with a note, without %s', (_, storage, expected) => {
    const { problems, pods, notes } = packFiles([db(), ...storage], POOLS);
    expect(problems).toEqual([]);
    expect(pods).toHaveLength(1);
    expect(notes).toHaveLength(2);
    expect(notes[0]).toContain(expected);
  });

  test.each<readonly [string, readonly string[], string]>([
    [
      'a volume in a zone without a pool',
      [aClaim('data', '{ volumeName: pv }'), aVolume('pv', 'z')],
      'the volume of its claim data is reached from no machine type',
    ],
    ['a lost volume', [aClaim('data', '{ volumeName: pv }\nstatus: { phase: Lost }')], 'its claim data has lost its volume'],
  ])('is refused for %s', (_, storage, expected) => {
    const { problems } = packFiles([db(), ...storage], POOLS);
    expect(problems.join('\n')).toContain(`./pods.yaml:1: Deployment shop/db: ${expected}`);
  });

  const SHARED = [aClaim('data', '{ storageClassName: ssd }'), aClass('ssd', 'volumeBindingMode: WaitForFirstConsumer')];
  const ONE_EACH = 'machine_type,vcpu,memory_gib,usd_per_hour,zone,max\nsmall,1,4,0.1,a,1\nlarge,1,4,0.2,a,\nsmall,1,4,0.1,b,1\n';

  test('in one zone with all that share its claim, which is not bound yet', () => {
    // The cheapest nodes of both zones are cheaper.
    const workloads = [aWorkload('db', 2, `{ ${REQUESTS.replace('500m', '900m')}, ${DATA} }`), db().replaceAll('db', 'copy')];
    const { problems, pods } = packFiles([...workloads, ...SHARED], ONE_EACH);
    expect(problems).toEqual([]);
    expect(pods.map(({ zone }) => zone)).toEqual(['a', 'a', 'a']);
  });

  test('is refused where it must not be in the zone of those that share its claim', () => {
    const apart = `affinity: { podAntiAffinity: { ${REQUIRED}: [{ topologyKey: topology.kubernetes.io/zone, labelSelector: { matchLabels: { app: db } } }] } }`;
    const { problems } = packFiles([aWorkload('db', 2, `{ ${REQUESTS}, ${DATA}, ${apart} }`), ...SHARED], POOLS);
    expect(problems.join()).toContain('Deployment shop/db: its pods share a claim that is not bound yet, and its volume is in one zone');
  });

  test('is refused where more than one pod mounts a claim that only one may', () => {
    const manifests = [
      aWorkload('db', 2, `{ ${REQUESTS}, ${DATA} }`),
      aClaim('data', '{ accessModes: [ReadWriteOncePod], volumeName: pv }'),
      aVolume('pv', 'a'),
    ];
    expect(packFiles(manifests, POOLS).problems[0]).toContain('its claim data is ReadWriteOncePod, and more than one pod mounts it');
  });
});

describe('DaemonSets', () => {
  const agent = (spec = ''): string =>
    aWorkload(
      'agent',
      0,
      `{ containers: [{ name: main, ports: [{ containerPort: 9100, hostPort: 9100 }], resources: { requests: { cpu: 600m, memory: 1Gi } } }]${spec} }`,
      {
        kind: 'DaemonSet',
      },
    );

  test('take their requests of each node that they run on', () => {
    const nodesWith = (...daemons: readonly string[]): number => {
      const { problems, pods } = packFiles([aWorkload('web', 4, `{ ${REQUESTS} }`), ...daemons], POOLS);
      expect(problems).toEqual([]);
      return new Set(pods.map(({ node }) => node)).size;
    };
    expect(nodesWith()).toBe(1);
    expect(nodesWith(agent())).toBe(2);
    expect(nodesWith(agent(', nodeSelector: { topology.kubernetes.io/zone: b }'))).toBe(1);
    expect(nodesWith(agent(), agent().replaceAll('agent', 'other'))).toBe(4);
  });

  test('leave the nodes alone whose taints they do not tolerate', () => {
    const batch = `{ ${REQUESTS}, tolerations: [{ operator: Exists }] }`;
    const nodes = (spec: string): number =>
      new Set(packFiles([aWorkload('batch', 4, batch), agent(spec)], POOLS).pods.map(({ node }) => node)).size;
    expect(nodes('')).toBe(1);
    expect(nodes(', tolerations: [{ operator: Exists }]')).toBe(2);
  });

  test('are named, with the most that they take', () => {
    expect(packFiles([aWorkload('web', 1, `{ ${REQUESTS} }`), agent()], POOLS).notes).toEqual([
      '1 DaemonSet takes up to 600m CPU and 1024 MiB of a node, which is not offered to other pods',
    ]);
  });

  test('that leave too little are the reason why a pod fits nowhere', () => {
    const large = aWorkload('web', 1, '{ containers: [{ name: main, resources: { requests: { cpu: 1500m } } }] }');
    expect(packFiles([large, agent()], POOLS).problems.join('\n')).toContain('the most of any type are 2000m CPU');
    expect(packFiles([large, agent(', tolerations: [{ operator: Exists }]')], POOLS).problems.join('\n')).toContain(
      '(the most of any type are 1400m CPU',
    );
  });

  test('are refused with rules between pods, and as pods that others avoid', () => {
    const avoid = `affinity: { podAntiAffinity: { ${REQUIRED}: [{ topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { app: agent } } }] } }`;
    expect(packFiles([aWorkload('web', 1, `{ ${REQUESTS}, ${avoid} }`), agent()], POOLS).problems[0]).toContain(
      'has a rule that selects the pods of shop/agent, which are on every node',
    );
    expect(packFiles([aWorkload('web', 1, `{ ${REQUESTS} }`), agent(`, ${avoid}`)], POOLS).problems[0]).toContain(
      'DaemonSet shop/agent: is a DaemonSet with rules between pods',
    );
  });
});
