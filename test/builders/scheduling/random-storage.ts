import type { Dice } from './dice.ts';
import { NAMESPACES, OLD_ZONE, REGION, ZONE, ZONES, type WireCluster, type WireObject } from './wire-cluster.ts';

const DRIVER = 'csi.example.com';
const MODES = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'] as const;
const SIZES = ['1Gi', '2Gi', '5Gi', '10G'] as const;

type Storage = Pick<
  WireCluster,
  'volumes' | 'claims' | 'storageClasses' | 'csiNodes' | 'csiDrivers' | 'storageCapacities' | 'volumeAttachments'
>;

/**
 * Classes: `immediate` claims are bound by the volume controller, `wait` claims are provisioned where the first consumer is scheduled,
 * `local` claims are never provisioned.
 */
export function randomStorage(dice: Dice, nodes: readonly WireObject[], pods: number): Storage {
  const volumes: WireObject[] = [];
  const claims: WireObject[] = [];
  for (let index = 0; index < dice.between(2, 8); index++) {
    const claim = randomClaim(dice, index, nodes.length);
    claims.push(claim);
    const { volumeName } = claim['spec'] as { readonly volumeName?: string };
    if (volumeName !== undefined && !dice.chance(0.05)) volumes.push(randomVolume(dice, volumeName, claim));
  }
  for (let index = 0; index < dice.below(4); index++)
    volumes.push(randomVolume(dice, `free-${index}`, dice.chance(0.15) ? dice.pick(claims) : null));
  return {
    ...{ volumes, claims: [...claims, ...ephemeralClaims(dice, pods)], storageClasses: randomClasses(dice) },
    csiNodes: nodes.filter(() => dice.chance(0.4)).map(({ metadata }) => randomCsiNode(dice, metadata.name)),
    csiDrivers: dice.chance(0.5) ? [{ metadata: { name: DRIVER, uid: 'uid-driver' }, spec: { storageCapacity: dice.chance(0.6) } }] : [],
    storageCapacities: dice.times(dice.below(4), (index) => randomCapacity(dice, index)),
    volumeAttachments: dice.times(dice.below(3), (index) => ({
      metadata: { name: `attachment-${index}`, uid: `uid-attachment-${index}` },
      spec: {
        attacher: DRIVER,
        nodeName: `node-${dice.below(nodes.length)}`,
        source: { persistentVolumeName: dice.pick([...volumes.map(({ metadata }) => metadata.name), 'gone']) },
      },
    })),
  };
}

function randomClasses(dice: Dice): WireObject[] {
  const named = (name: string, fields: object): WireObject => ({ metadata: { name, uid: `uid-class-${name}` }, ...fields });
  const topologies = dice.times(dice.pick([0, 0, 1, 2]), () => ({
    matchLabelExpressions: [{ key: ZONE, values: dice.some(ZONES, 0.5).concat('a').slice(0, 2) }],
  }));
  return [
    named('immediate', { provisioner: DRIVER, volumeBindingMode: 'Immediate' }),
    named('wait', {
      provisioner: DRIVER,
      volumeBindingMode: 'WaitForFirstConsumer',
      ...(topologies.length > 0 && { allowedTopologies: topologies }),
    }),
    named('local', { provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' }),
    named('builtin', { provisioner: 'kubernetes.io/gce-pd', volumeBindingMode: 'WaitForFirstConsumer' }),
  ];
}

function randomClaim(dice: Dice, index: number, nodes: number): WireObject {
  const className = dice.pick(['immediate', 'wait', 'wait', 'wait', 'local', 'builtin', 'gone', '']);
  const bound = dice.chance(className === 'immediate' ? 0.85 : 0.5);
  const annotations = {
    ...(bound && dice.chance(0.95) && { 'pv.kubernetes.io/bind-completed': 'yes' }),
    ...(!bound && dice.chance(0.15) && { 'volume.kubernetes.io/selected-node': `node-${dice.below(nodes)}` }),
    ...(dice.chance(0.03) && { 'volume.beta.kubernetes.io/storage-class': 'wait' }),
  };
  return {
    metadata: {
      ...{ name: `claim-${index}`, namespace: dice.pick(NAMESPACES), uid: `uid-claim-${index}`, annotations },
      ...(dice.chance(0.03) && { deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['kubernetes.io/pvc-protection'] }),
    },
    spec: {
      accessModes: dice.chance(0.25) ? ['ReadWriteOncePod'] : [dice.pick(MODES), ...dice.some(['ReadWriteOnce'], 0.2)],
      resources: { requests: { storage: dice.pick(SIZES) } },
      storageClassName: className,
      ...(bound && { volumeName: `volume-${index}` }),
      ...(dice.chance(0.1) && { volumeMode: dice.pick(['Block', 'Filesystem']) }),
      ...(dice.chance(0.1) && { selector: { matchLabels: { kind: 'fast' } } }),
      ...(dice.chance(0.05) && { volumeAttributesClassName: 'gold' }),
    },
    status: { phase: bound ? (dice.chance(0.04) ? 'Lost' : 'Bound') : 'Pending' },
  };
}

function randomVolume(dice: Dice, name: string, claim: WireObject | null): WireObject {
  const zones = dice.chance(0.2) ? dice.pick(['a__b', 'b__c', 'a__']) : dice.pick(ZONES);
  const affinity = {
    required: {
      nodeSelectorTerms: dice.times(dice.pick([1, 1, 2]), () => ({
        matchExpressions: [{ key: ZONE, operator: 'In', values: [dice.pick(ZONES), dice.pick(ZONES)] }],
      })),
    },
  };
  const source = dice.chance(0.85) ? { csi: { driver: DRIVER, volumeHandle: `handle-${name}` } } : { gcePersistentDisk: { pdName: name } };
  return {
    metadata: {
      ...{ name, uid: `uid-${name}` },
      labels: {
        ...(dice.chance(0.2) && { [dice.pick([ZONE, OLD_ZONE])]: zones }),
        ...(dice.chance(0.1) && { [REGION]: dice.pick(['r1', 'r2']) }),
        ...(dice.chance(0.4) && { kind: 'fast' }),
      },
      ...(dice.chance(0.04) && { deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['kubernetes.io/pv-protection'] }),
    },
    spec: {
      ...source,
      accessModes: [...dice.some(MODES, 0.6), 'ReadWriteOncePod'],
      capacity: { storage: dice.pick(SIZES) },
      storageClassName: dice.pick(['wait', 'local', 'local', 'immediate', 'builtin']),
      ...(dice.chance(0.1) && { volumeMode: 'Block' }),
      ...(dice.chance(0.5) && { nodeAffinity: affinity }),
      ...(dice.chance(0.05) && { volumeAttributesClassName: 'gold' }),
      ...(claim !== null && {
        claimRef: {
          namespace: claim.metadata.namespace,
          name: claim.metadata.name,
          ...(dice.chance(0.8) && { uid: dice.pick([claim.metadata.uid, claim.metadata.uid, 'another']) }),
        },
      }),
    },
    status: { phase: claim === null || dice.chance(0.3) ? dice.pick(['Available', 'Available', 'Released']) : 'Bound' },
  };
}

/** Ephemeral claims of many pods with such volumes; those of pending pods may belong to another owner. */
function ephemeralClaims(dice: Dice, pods: number): WireObject[] {
  const owners = [...dice.times(pods, (index) => `pod-${index}`), ...dice.times(4, (index) => `new-${index}`)];
  return dice.some(owners, 0.5).flatMap((owner) =>
    NAMESPACES.map((namespace) => ({
      metadata: {
        ...{ name: `${owner}-scratch`, namespace, uid: `uid-${owner}-scratch-${namespace}` },
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'Pod',
            name: owner,
            uid: owner.startsWith('pod-') || dice.chance(0.93) ? `uid-${owner}` : 'another',
            controller: true,
          },
        ],
      },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'wait' },
      status: { phase: 'Pending' },
    })),
  );
}

function randomCsiNode(dice: Dice, node: string): WireObject {
  const driver = (name: string): object => ({ name, nodeID: node, ...(dice.chance(0.8) && { allocatable: { count: dice.below(4) } }) });
  return {
    metadata: { name: node, uid: `uid-csi-${node}` },
    spec: { drivers: [driver(DRIVER), ...(dice.chance(0.3) ? [driver('pd.csi.storage.gke.io')] : [])] },
  };
}

function randomCapacity(dice: Dice, index: number): WireObject {
  return {
    metadata: { name: `capacity-${index}`, namespace: 'ops', uid: `uid-capacity-${index}` },
    storageClassName: dice.pick(['wait', 'wait', 'local']),
    ...(dice.chance(0.9) && { nodeTopology: dice.chance(0.3) ? {} : { matchLabels: { [ZONE]: dice.pick(ZONES) } } }),
    ...(dice.chance(0.9) && { capacity: dice.pick(['0', '1Gi', '3Gi', '100Gi']) }),
    ...(dice.chance(0.3) && { maximumVolumeSize: dice.pick(['1Gi', '4Gi']) }),
  };
}
