import type { FactsByType, FieldFacts } from '../schema-facts.ts';
import {
  all,
  atomicList,
  atomicMap,
  listMap,
  mergedSet,
  notNegative,
  oneOf,
  quantity,
  resourceList,
  saying,
  setList,
  withDefault,
} from '../schema-facts.ts';

const CONDITIONS = all(listMap(['type']), saying('Current conditions, one entry per type.'));
const PROTOCOL = all(oneOf('SCTP', 'TCP', 'UDP'), withDefault('TCP'));
const PORT_NUMBER: FieldFacts = { minimum: 1, maximum: 65535 };
const ACCESS_MODES = all(atomicList, {
  items: { type: 'string', enum: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'] },
});
const QUOTA_SCOPE: FieldFacts = {
  type: 'string',
  enum: [
    'Terminating',
    'NotTerminating',
    'BestEffort',
    'NotBestEffort',
    'PriorityClass',
    'CrossNamespacePodAffinity',
    'VolumeAttributesClass',
  ],
};
const VOLUME_MODE = all(oneOf('Block', 'Filesystem'), withDefault('Filesystem'));

/** core/v1 without pods, and the metadata of all objects. */
export const CORE_FACTS: FactsByType = {
  V1ObjectMeta: {
    description: 'Metadata of every object: its name, labels and owner references.',
    fields: {
      name: saying('Name of the object, unique among its kind in its namespace.'),
      generateName: saying('Prefix of a generated name.'),
      namespace: saying('Namespace of the object.'),
      labels: saying('Keys and values for selecting objects.'),
      annotations: saying('Keys and values that tools store with the object.'),
      finalizers: all(mergedSet, saying('A deleted object is removed only after this list is empty.')),
      ownerReferences: all(listMap(['uid']), saying('Owners of the object; without them it is garbage collected.')),
      managedFields: all(atomicList, saying('Field managers and the fields that they own.')),
      creationTimestamp: saying('When the object was created; set by the server.'),
      deletionTimestamp: saying('When its deletion was requested; set by the server.'),
      deletionGracePeriodSeconds: saying('Grace period of its deletion in seconds; set by the server.'),
      generation: saying('Sequence number of the desired state; it increases with changes of the spec.'),
      resourceVersion: saying('Opaque version of the object; a write with an outdated version fails.'),
      uid: saying('Unique identity of the object; set by the server.'),
    },
  },
  V1OwnerReference: { schema: { 'x-kubernetes-map-type': 'atomic' } },
  V1ManagedFieldsEntry: { fields: { fieldsV1: { type: 'object' } } },
  V1LabelSelector: {
    description: 'Required labels of an object; an empty selector selects all.',
    schema: { 'x-kubernetes-map-type': 'atomic' },
    fields: {
      matchExpressions: all(atomicList, saying('Requirements, which are ANDed.')),
      matchLabels: saying('Required labels and values.'),
    },
  },
  V1LabelSelectorRequirement: { fields: { values: atomicList } },
  V1ObjectReference: { schema: { 'x-kubernetes-map-type': 'atomic' } },
  V1TypedLocalObjectReference: { schema: { 'x-kubernetes-map-type': 'atomic' } },
  V1SecretReference: { schema: { 'x-kubernetes-map-type': 'atomic' } },

  V1Node: { description: 'A machine of the cluster that runs pods.' },
  V1NodeSpec: {
    description: 'Desired state of the node.',
    fields: {
      podCIDRs: mergedSet,
      taints: all(atomicList, saying('Taints, which repel pods that do not tolerate them.')),
      unschedulable: saying('No new pods are scheduled on the node (cordoned).'),
      providerID: saying("ID of the machine at its cloud provider: 'provider://…'."),
    },
  },
  V1Taint: { fields: { effect: oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute') } },
  V1NodeStatus: {
    description: 'Observed state of the node.',
    fields: {
      addresses: listMap(['type']),
      allocatable: all(resourceList, saying('Resources that pods may request.')),
      capacity: all(resourceList, saying('Resources of the machine.')),
      conditions: CONDITIONS,
      images: atomicList,
      volumesAttached: atomicList,
      volumesInUse: atomicList,
      runtimeHandlers: atomicList,
      declaredFeatures: atomicList,
    },
  },
  V1ContainerImage: { fields: { names: atomicList } },

  V1Namespace: { description: 'A scope for names: objects in different namespaces may have the same name.' },
  V1NamespaceSpec: { fields: { finalizers: atomicList } },
  V1NamespaceStatus: { fields: { conditions: CONDITIONS, phase: oneOf('Active', 'Terminating') } },

  V1Service: { description: 'One stable address for a changing set of pods.' },
  V1ServiceSpec: {
    description: 'Address, ports and pods of the service.',
    fields: {
      ports: all(listMap(['port', 'protocol']), saying('Ports of the service.')),
      selector: all(atomicMap, saying('Labels of the pods of the service.')),
      type: all(oneOf('ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'), withDefault('ClusterIP')),
      sessionAffinity: all(oneOf('ClientIP', 'None'), withDefault('None')),
      internalTrafficPolicy: oneOf('Cluster', 'Local'),
      externalTrafficPolicy: oneOf('Cluster', 'Local'),
      ipFamilyPolicy: oneOf('SingleStack', 'PreferDualStack', 'RequireDualStack'),
      clusterIPs: atomicList,
      externalIPs: atomicList,
      ipFamilies: atomicList,
      loadBalancerSourceRanges: atomicList,
      clusterIP: saying('Address in the cluster; None for a headless service.'),
    },
  },
  V1ServicePort: {
    fields: {
      protocol: PROTOCOL,
      port: PORT_NUMBER,
      targetPort: saying('Number or name of the port of the pods; unset: the same number.'),
      nodePort: { minimum: 0, maximum: 65535 },
    },
  },
  V1ClientIPConfig: { fields: { timeoutSeconds: withDefault(10800) } },
  V1ServiceStatus: { fields: { conditions: CONDITIONS } },
  V1LoadBalancerStatus: { fields: { ingress: atomicList } },
  V1LoadBalancerIngress: { fields: { ports: atomicList } },

  V1Endpoints: { description: 'Addresses of the pods of a service (the older form).', fields: { subsets: atomicList } },
  V1EndpointSubset: { fields: { addresses: atomicList, notReadyAddresses: atomicList, ports: atomicList } },
  V1EndpointAddress: { schema: { 'x-kubernetes-map-type': 'atomic' } },
  CoreV1EndpointPort: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { protocol: PROTOCOL } },
  CoreV1Event: {
    description: 'A report of something that happened to an object.',
    fields: {
      involvedObject: saying('The object that the event is about.'),
      message: saying('Description of the event.'),
      reason: saying('Reason of the event, one word.'),
      count: saying('How often.'),
    },
  },

  V1ConfigMap: {
    description: 'Configuration for pods: keys with text or bytes.',
    fields: { data: saying('Text by key.'), binaryData: bytesByKey(), immutable: saying('The data can no longer be changed.') },
  },
  V1Secret: {
    description: 'Confidential configuration.',
    fields: {
      data: all(bytesByKey(), saying('Base64 by key.')),
      stringData: saying('Plain text by key; moved into data when written.'),
      type: all(withDefault('Opaque'), saying('Type of the Secret, which determines its keys.')),
      immutable: saying('The data can no longer be changed.'),
    },
  },
  V1ServiceAccount: {
    description: 'Identity of pods for the API.',
    fields: { secrets: listMap(['name']), imagePullSecrets: atomicList },
  },

  V1PersistentVolume: { description: 'A piece of storage.' },
  V1PersistentVolumeSpec: {
    fields: {
      accessModes: ACCESS_MODES,
      capacity: resourceList,
      claimRef: { 'x-kubernetes-map-type': 'granular' },
      mountOptions: atomicList,
      persistentVolumeReclaimPolicy: all(oneOf('Retain', 'Delete', 'Recycle'), withDefault('Retain')),
      volumeMode: VOLUME_MODE,
    },
  },
  V1PersistentVolumeClaim: { description: 'A request for storage.' },
  V1PersistentVolumeClaimSpec: {
    fields: {
      accessModes: ACCESS_MODES,
      resources: withDefault({}),
      volumeMode: VOLUME_MODE,
      storageClassName: saying('StorageClass that provides the volume.'),
    },
  },
  V1PersistentVolumeClaimStatus: {
    fields: {
      accessModes: atomicList,
      allocatedResources: resourceList,
      allocatedResourceStatuses: { 'x-kubernetes-map-type': 'granular' },
      capacity: resourceList,
      conditions: CONDITIONS,
    },
  },

  V1ReplicationController: { description: 'Keeps a number of equal pods running (the older form of a ReplicaSet).' },
  V1ReplicationControllerSpec: { fields: { replicas: all(withDefault(1), notNegative), selector: atomicMap } },
  V1ReplicationControllerStatus: { fields: { conditions: CONDITIONS } },

  V1ResourceQuota: { description: 'Limits on the resources of a namespace.' },
  V1ResourceQuotaSpec: {
    fields: { hard: all(resourceList, saying('Hard limit by resource.')), scopes: all(atomicList, { items: QUOTA_SCOPE }) },
  },
  V1ResourceQuotaStatus: { fields: { hard: resourceList, used: resourceList } },
  V1ScopeSelector: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { matchExpressions: atomicList } },
  V1ScopedResourceSelectorRequirement: {
    fields: { operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'), scopeName: QUOTA_SCOPE, values: atomicList },
  },
  V1LimitRange: { description: 'Bounds and defaults for the resources of pods in a namespace.' },
  V1LimitRangeSpec: { fields: { limits: atomicList } },
  V1LimitRangeItem: {
    fields: {
      default: resourceList,
      defaultRequest: resourceList,
      max: resourceList,
      min: resourceList,
      maxLimitRequestRatio: resourceList,
    },
  },
  V1Binding: { description: 'Assigns a pod to a node.' },

  V1StorageClass: {
    description: 'A class of storage, and its provisioner.',
    fields: {
      allowedTopologies: atomicList,
      mountOptions: atomicList,
      reclaimPolicy: all(oneOf('Delete', 'Retain', 'Recycle'), withDefault('Delete')),
      volumeBindingMode: all(oneOf('Immediate', 'WaitForFirstConsumer'), withDefault('Immediate')),
    },
  },
  V1TopologySelectorTerm: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { matchLabelExpressions: atomicList } },
  V1TopologySelectorLabelRequirement: { fields: { values: atomicList } },
  V1VolumeAttachment: { description: 'A request to attach a volume to a node.' },
  V1CSINode: { description: 'Storage drivers on a node.' },
  V1CSINodeSpec: { fields: { drivers: listMap(['name']) } },
  V1CSINodeDriver: { fields: { topologyKeys: atomicList } },
  V1CSIDriver: { description: 'A storage driver.' },
  V1CSIDriverSpec: {
    fields: {
      attachRequired: withDefault(true),
      fsGroupPolicy: withDefault('ReadWriteOnceWithFSType'),
      podInfoOnMount: withDefault(false),
      requiresRepublish: withDefault(false),
      seLinuxMount: withDefault(false),
      storageCapacity: withDefault(false),
      tokenRequests: atomicList,
      volumeLifecycleModes: all(setList, withDefault(['Persistent'])),
    },
  },
  V1CSIStorageCapacity: {
    description: 'Free capacity of a storage driver.',
    fields: { capacity: quantity, maximumVolumeSize: quantity },
  },
  V1VolumeAttributesClass: { description: 'Mutable attributes of volumes.' },
};

function bytesByKey(): FieldFacts {
  return { additionalProperties: { type: 'string', format: 'byte' } };
}
