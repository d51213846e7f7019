import type { KubeObject } from '../../api/kube-object.ts';
import type { Instant } from '#kube/units';
import { ageOf } from '../ages.ts';
import type { Column, Fields } from './column.ts';
import {
  AGE,
  count,
  CREATED_AT,
  fieldsAt,
  itemsAt,
  labelsText,
  listed,
  NAME,
  numberAt,
  stringsAt,
  text,
  textAt,
  valueAt,
  wide,
} from './column.ts';
import { POD_COLUMNS } from './pod-columns.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const ACCESS_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const SHOWN_ENDPOINTS = 3;

function shown(name: string, description: string, path: readonly string[], otherwise = '<none>'): Column {
  return text(name, description, (object) => textAt(object, path, otherwise));
}

function wideColumn(name: string, description: string, path: readonly string[], otherwise = '<none>'): Column {
  return { ...shown(name, description, path, otherwise), priority: 1 };
}

const EVENT: readonly Column[] = [
  text('Last Seen', 'Time since the last occurrence.', eventLastSeen),
  shown('Type', 'Normal or Warning.', ['type'], ''),
  shown('Reason', 'Reason of the event, one word.', ['reason'], ''),
  text('Object', 'Object of the event.', (event) => {
    const target = eventTarget(event);
    return `${textAt(target, ['kind']).toLowerCase()}/${textAt(target, ['name'])}`;
  }),
  wide('Subobject', 'Part of the object.', (event) => textAt(eventTarget(event), ['fieldPath'])),
  wide('Source', 'Component that reported the event.', (event) => {
    const component = textAt(event, ['source', 'component'], textAt(event, ['reportingComponent'], textAt(event, ['reportingController'])));
    const host = textAt(event, ['source', 'host'], textAt(event, ['reportingInstance']));
    return host === '' ? component : `${component}, ${host}`;
  }),
  text('Message', 'Description of the event.', (event) => textAt(event, ['message'], textAt(event, ['note'])).trim()),
  wide('First Seen', 'Time since the first occurrence.', (event, now) =>
    ageOf(valueAt(event, 'firstTimestamp') ?? valueAt(event, 'deprecatedFirstTimestamp') ?? valueAt(event, 'eventTime'), now),
  ),
  wide('Count', 'Number of occurrences.', (event) =>
    String(numberAt(event, 'series', 'count') || numberAt(event, 'count') || numberAt(event, 'deprecatedCount') || 1),
  ),
  { ...NAME, priority: 1 },
];

/** core/v1, storage and events, by resource. */
export const CORE_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  pods: POD_COLUMNS,
  nodes: [
    NAME,
    text('Status', 'Whether the node is ready and schedulable.', nodeStatus),
    text('Roles', 'Roles of the node.', nodeRoles),
    AGE,
    shown('Version', 'Version of the kubelet.', ['status', 'nodeInfo', 'kubeletVersion'], ''),
    wide('Internal-IP', 'Internal address.', (node) => nodeAddress(node, 'InternalIP')),
    wide('External-IP', 'External address.', (node) => nodeAddress(node, 'ExternalIP')),
    wideColumn('OS-Image', 'Operating system.', ['status', 'nodeInfo', 'osImage'], '<unknown>'),
    wideColumn('Kernel-Version', 'Its kernel.', ['status', 'nodeInfo', 'kernelVersion'], '<unknown>'),
    wideColumn('Container-Runtime', 'Container runtime.', ['status', 'nodeInfo', 'containerRuntimeVersion'], '<unknown>'),
  ],
  namespaces: [NAME, shown('Status', 'Active or Terminating.', ['status', 'phase'], ''), AGE],
  services: [
    NAME,
    shown('Type', 'Type of the service.', ['spec', 'type'], ''),
    shown('Cluster-IP', 'Address in the cluster.', ['spec', 'clusterIP']),
    text('External-IP', 'External addresses.', externalAddresses),
    text('Port(s)', 'Its ports.', servicePorts),
    AGE,
    wide('Selector', 'Labels of its pods.', (service) => labelsText(fieldsAt(service, 'spec', 'selector'))),
  ],
  endpoints: [NAME, text('Endpoints', 'Addresses and ports.', endpointAddresses), AGE],
  configmaps: [NAME, keys((object) => sizeOf(object, 'data') + sizeOf(object, 'binaryData')), AGE],
  secrets: [
    NAME,
    shown('Type', 'Type of the Secret, which determines its keys.', ['type'], ''),
    keys((object) => sizeOf(object, 'data')),
    AGE,
  ],
  serviceaccounts: [NAME, count('Secrets', 'Number of its Secrets.', (object) => itemsAt(object, 'secrets').length), AGE],
  persistentvolumes: [
    NAME,
    shown('Capacity', 'Its size.', ['spec', 'capacity', 'storage'], ''),
    text('Access Modes', 'Access modes.', (volume) => accessModes(stringsAt(volume, 'spec', 'accessModes'))),
    shown('Reclaim Policy', 'What happens to it when its claim is deleted.', ['spec', 'persistentVolumeReclaimPolicy'], ''),
    text('Status', 'State of the volume.', phaseOrTerminating),
    text('Claim', 'Bound claim.', (volume) => {
      const claim = fieldsAt(volume, 'spec', 'claimRef');
      return claim['name'] === undefined ? '' : `${textAt(claim, ['namespace'])}/${textAt(claim, ['name'])}`;
    }),
    shown('StorageClass', 'Class of the storage.', ['spec', 'storageClassName'], ''),
    shown('VolumeAttributesClass', 'Attributes of the volume.', ['spec', 'volumeAttributesClassName'], '<unset>'),
    shown('Reason', 'Reason of its state.', ['status', 'reason'], ''),
    AGE,
    wideColumn('VolumeMode', 'Volume mode: file system or block device.', ['spec', 'volumeMode'], '<unset>'),
  ],
  persistentvolumeclaims: [
    NAME,
    text('Status', 'State of the claim.', phaseOrTerminating),
    shown('Volume', 'Bound volume.', ['spec', 'volumeName'], ''),
    shown('Capacity', 'Size of the volume.', ['status', 'capacity', 'storage'], ''),
    text('Access Modes', 'Access modes.', (claim) => accessModes(stringsAt(claim, 'status', 'accessModes'))),
    shown('StorageClass', 'Class of the storage.', ['spec', 'storageClassName'], ''),
    shown('VolumeAttributesClass', 'Attributes of the volume.', ['spec', 'volumeAttributesClassName'], '<unset>'),
    AGE,
    wideColumn('VolumeMode', 'Volume mode: file system or block device.', ['spec', 'volumeMode'], '<unset>'),
  ],
  resourcequotas: [
    NAME,
    text('Request', 'Used and hard amounts of requests.', (quota) => quotaText(quota, false)),
    text('Limit', 'Used and hard amounts of limits.', (quota) => quotaText(quota, true)),
    AGE,
  ],
  limitranges: [NAME, CREATED_AT],
  events: EVENT,
  'events.events.k8s.io': EVENT,
  'storageclasses.storage.k8s.io': [
    {
      ...NAME,
      cell: (object) =>
        object.metadata.annotations?.[DEFAULT_CLASS] === 'true' ? `${object.metadata.name} (default)` : object.metadata.name,
    },
    shown('Provisioner', 'Provisioner of the storage.', ['provisioner'], ''),
    shown('ReclaimPolicy', 'What happens to volumes when their claim is deleted.', ['reclaimPolicy'], 'Delete'),
    shown('VolumeBindingMode', 'When a volume is bound.', ['volumeBindingMode'], 'Immediate'),
    {
      ...text('AllowVolumeExpansion', 'Whether volumes may be expanded.', (object) => valueAt(object, 'allowVolumeExpansion') === true),
      type: 'boolean',
    },
    AGE,
  ],
  'volumeattachments.storage.k8s.io': [
    NAME,
    shown('Attacher', 'Driver that attaches it.', ['spec', 'attacher'], ''),
    shown('PV', 'Volume.', ['spec', 'source', 'persistentVolumeName'], ''),
    shown('Node', 'Node.', ['spec', 'nodeName'], ''),
    { ...text('Attached', 'It is attached.', (object) => valueAt(object, 'status', 'attached') === true), type: 'boolean' },
    AGE,
  ],
  'csinodes.storage.k8s.io': [NAME, count('Drivers', 'Drivers on the node.', (object) => itemsAt(object, 'spec', 'drivers').length), AGE],
  'csidrivers.storage.k8s.io': [
    NAME,
    shown('AttachRequired', 'Volumes must be attached before use.', ['spec', 'attachRequired'], 'true'),
    shown('PodInfoOnMount', 'The driver gets information about the pod.', ['spec', 'podInfoOnMount'], 'false'),
    shown('StorageCapacity', 'Scheduling considers the capacity.', ['spec', 'storageCapacity'], 'false'),
    text('TokenRequests', 'Tokens that the driver requests.', (object) =>
      listed(itemsAt(object, 'spec', 'tokenRequests').map((token) => textAt(token, ['audience']))),
    ),
    shown('RequiresRepublish', 'Whether volumes are remounted periodically.', ['spec', 'requiresRepublish'], 'false'),
    text('Modes', 'Supported volume lifecycle modes.', (object) => listed(stringsAt(object, 'spec', 'volumeLifecycleModes'))),
    AGE,
  ],
};

function sizeOf(object: KubeObject, field: string): number {
  return Object.keys(fieldsAt(object, field)).length;
}

function eventTarget(event: KubeObject): Fields {
  return event['regarding'] === undefined ? fieldsAt(event, 'involvedObject') : fieldsAt(event, 'regarding');
}

function eventLastSeen(event: KubeObject, now: Instant): string {
  const last =
    valueAt(event, 'series', 'lastObservedTime') ??
    valueAt(event, 'lastTimestamp') ??
    valueAt(event, 'deprecatedLastTimestamp') ??
    valueAt(event, 'eventTime') ??
    valueAt(event, 'firstTimestamp');
  return ageOf(last, now);
}

function nodeStatus(node: KubeObject): string {
  const ready = itemsAt(node, 'status', 'conditions').find((condition) => condition['type'] === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return valueAt(node, 'spec', 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

function nodeRoles(node: KubeObject): string {
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([label, value]) => {
    if (label.startsWith(ROLE_PREFIX)) return label.length > ROLE_PREFIX.length ? [label.slice(ROLE_PREFIX.length)] : [];
    return label === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  return listed([...new Set(roles)].sort());
}

function nodeAddress(node: KubeObject, type: string): string {
  const address = itemsAt(node, 'status', 'addresses').find((each) => each['type'] === type);
  return textAt(address, ['address'], '<none>');
}

function externalAddresses(service: KubeObject): string {
  const own = stringsAt(service, 'spec', 'externalIPs');
  switch (textAt(service, ['spec', 'type'])) {
    case 'ExternalName':
      return textAt(service, ['spec', 'externalName'], '<none>');
    case 'LoadBalancer': {
      const given = itemsAt(service, 'status', 'loadBalancer', 'ingress').map((each) => textAt(each, ['ip'], textAt(each, ['hostname'])));
      const all = [...given, ...own];
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    default:
      return listed(own);
  }
}

function servicePorts(service: KubeObject): string {
  return listed(
    itemsAt(service, 'spec', 'ports').map((port) => {
      const node = numberAt(port, 'nodePort');
      return `${numberAt(port, 'port')}${node === 0 ? '' : `:${node}`}/${textAt(port, ['protocol'], 'TCP')}`;
    }),
  );
}

function endpointAddresses(endpoints: KubeObject): string {
  const all = itemsAt(endpoints, 'subsets').flatMap((subset) => {
    const ports = itemsAt(subset, 'ports');
    const addresses = itemsAt(subset, 'addresses').map((address) => textAt(address, ['ip']));
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((address) => `${address}:${numberAt(port, 'port')}`));
  });
  return listed(all, SHOWN_ENDPOINTS);
}

function accessModes(modes: readonly string[]): string {
  return [...new Set(modes)].map((mode) => ACCESS_MODES[mode] ?? mode).join(',');
}

function phaseOrTerminating(object: KubeObject): string {
  return object.metadata.deletionTimestamp === undefined ? textAt(object, ['status', 'phase']) : 'Terminating';
}

/** `cpu: 1/4, memory: 1Gi/8Gi`, of limits or of everything else. */
function quotaText(quota: KubeObject, limits: boolean): string {
  const hard = fieldsAt(quota, 'status', 'hard');
  const used = fieldsAt(quota, 'status', 'used');
  return Object.keys(hard)
    .sort()
    .filter((resource) => resource.startsWith('limits.') === limits)
    .map((resource) => `${resource}: ${textAt(used, [resource], '0')}/${textAt(hard, [resource])}`)
    .join(', ');
}

/** The column has the type string and holds a number, as on a real server. */
function keys(of: (object: KubeObject) => number): Column {
  return { ...count('Data', 'Number of keys.', of), type: 'string' };
}
