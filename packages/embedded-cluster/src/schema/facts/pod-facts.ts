import type { FactsByType, FieldFacts } from '../schema-facts.ts';
import {
  all,
  atomicList,
  atomicMap,
  listMap,
  mergedAtomicList,
  noDuplicates,
  notNegative,
  oneOf,
  quantity,
  required,
  resourceList,
  saying,
  setList,
  withDefault,
} from '../schema-facts.ts';

const PULL_POLICY = oneOf('Always', 'IfNotPresent', 'Never');
const PROTOCOL = all(oneOf('SCTP', 'TCP', 'UDP'), withDefault('TCP'), saying('TCP, UDP or SCTP.'));
const FILE_MODE_0644: FieldFacts = { default: 420, minimum: 0, maximum: 511 };
const PORT_NUMBER: FieldFacts = { minimum: 1, maximum: 65535 };
const LOCAL_NAME = withDefault('');

const container: Readonly<Record<string, FieldFacts>> = {
  name: saying('Name of the container, a DNS label, unique in the pod; it cannot be changed.'),
  image: saying('Image to run, with its registry and its tag or digest.'),
  imagePullPolicy: all(PULL_POLICY, saying('When the image is pulled; unset: Always for the tag latest, else IfNotPresent.')),
  command: all(atomicList, saying("Replaces the image's entry point; not run in a shell.")),
  args: all(atomicList, saying("Arguments to the entry point, instead of the image's.")),
  workingDir: saying("Directory in which the entry point starts, if not the image's."),
  env: all(listMap(['name']), saying('Environment variables of the container.')),
  envFrom: all(atomicList, saying('ConfigMaps and Secrets whose keys become environment variables.')),
  ports: all(listMap(['containerPort', 'protocol']), saying('Ports that the container listens on; for information, except hostPort.')),
  resources: all(withDefault({}), saying('CPU, memory and other resources that the container asks for and may use.')),
  resizePolicy: all(atomicList, saying('For each resource, whether a change in place restarts the container.')),
  restartPolicyRules: atomicList,
  volumeMounts: all(listMap(['mountPath']), noDuplicates, saying('Where volumes of the pod appear in the container.')),
  volumeDevices: all(listMap(['devicePath']), noDuplicates),
  terminationMessagePath: withDefault('/dev/termination-log'),
  terminationMessagePolicy: all(oneOf('File', 'FallbackToLogsOnError'), withDefault('File')),
  livenessProbe: saying('A container that fails it is restarted.'),
  readinessProbe: saying('A pod gets traffic from services only while this succeeds.'),
  startupProbe: saying('The other probes wait until this has succeeded once.'),
  lifecycle: saying('What is run after the container starts and before it is stopped.'),
  securityContext: saying('Security settings of the container; they win over those of the pod.'),
};

/** Pods, pod templates and the types nested in them. */
export const POD_FACTS: FactsByType = {
  V1Pod: {
    description: 'A group of containers that run together on one node and share its network address and volumes.',
    fields: {
      spec: saying('What is wanted: containers, volumes, where and how they run.'),
      status: saying('What was last seen of the pod; written by the cluster.'),
    },
  },
  V1PodTemplate: { description: 'A template for pods.' },
  V1PodTemplateSpec: {
    description: 'What the pods that are created from it look like.',
    fields: { metadata: all(withDefault({}), saying('Labels and annotations of the pods.')), spec: saying('What the pods run.') },
  },
  V1PodSpec: {
    description: 'What a pod runs, and how.',
    fields: {
      containers: all(listMap(['name']), noDuplicates, saying('Containers of the pod, at least one; none can be added or removed later.')),
      initContainers: all(
        listMap(['name']),
        noDuplicates,
        saying('Containers that run to completion, one after another, before the others start; with restartPolicy Always: sidecars.'),
      ),
      ephemeralContainers: all(listMap(['name']), saying('Containers added to a running pod for debugging.')),
      volumes: all(
        listMap(['name']),
        noDuplicates,
        { 'x-kubernetes-patch-strategy': 'merge,retainKeys' },
        saying('Volumes that containers of the pod may mount.'),
      ),
      imagePullSecrets: all(listMap(['name']), saying('Secrets used to pull images.')),
      hostAliases: listMap(['ip']),
      topologySpreadConstraints: all(
        listMap(['topologyKey', 'whenUnsatisfiable']),
        saying('How pods are spread over zones, nodes or other domains.'),
      ),
      tolerations: all(atomicList, saying('Taints of nodes that the pod puts up with.')),
      schedulingGates: all(listMap(['name']), saying('The pod is not scheduled before this list is empty.')),
      resourceClaims: all(listMap(['name']), { 'x-kubernetes-patch-strategy': 'merge,retainKeys' }),
      readinessGates: atomicList,
      nodeSelector: all(atomicMap, saying('Labels that a node must have.')),
      nodeName: saying('Node on which the pod runs; set by the scheduler.'),
      affinity: saying('Rules about which nodes and which neighbours suit the pod.'),
      overhead: resourceList,
      restartPolicy: all(
        oneOf('Always', 'OnFailure', 'Never'),
        withDefault('Always'),
        saying('Whether containers are started again when they end.'),
      ),
      dnsPolicy: all(oneOf('ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'), withDefault('ClusterFirst')),
      terminationGracePeriodSeconds: all(
        withDefault(30),
        notNegative,
        saying('Seconds between the request to stop and the kill; 0 stops at once.'),
      ),
      activeDeadlineSeconds: all({ minimum: 1, maximum: 2_147_483_647 }, saying('Seconds after its start at which the pod is failed.')),
      securityContext: all(withDefault({}), saying('Security settings for the pod and all its containers.')),
      schedulerName: all(withDefault('default-scheduler'), saying('Scheduler that places the pod.')),
      serviceAccountName: saying('ServiceAccount as which the pod talks to the API.'),
      priorityClassName: saying('PriorityClass of the pod; it decides who goes first and who is preempted.'),
      priority: saying('Number behind priorityClassName; higher goes first.'),
      preemptionPolicy: oneOf('PreemptLowerPriority', 'Never'),
      resources: saying('CPU and memory of the pod as a whole.'),
      hostNetwork: saying("Use the node's network instead of one of the pod's own."),
    },
  },
  V1Container: { description: 'One container of a pod.', fields: { ...container, image: all(container['image'] ?? {}, required) } },
  V1EphemeralContainer: { description: 'A container added to a running pod for debugging.', fields: container },
  V1ContainerPort: {
    description: 'A port of a container.',
    fields: {
      containerPort: all(PORT_NUMBER, saying('Port number in the container.')),
      hostPort: { minimum: 0, maximum: 65535, description: 'Port of the node that leads to it.' },
      protocol: PROTOCOL,
      name: saying('Name by which services may refer to the port.'),
    },
  },
  V1ContainerResizePolicy: {
    description: 'Whether a change of one resource in place restarts the container.',
    fields: {
      resourceName: saying('cpu or memory.'),
      restartPolicy: all(oneOf('NotRequired', 'RestartContainer'), saying('NotRequired or RestartContainer.')),
    },
  },
  V1ResourceRequirements: {
    description: 'Resources that a container or pod asks for and may use.',
    fields: {
      limits: all(resourceList, saying('The most that may be used, by resource.')),
      requests: all(resourceList, saying('What is set aside on the node, by resource; unset: the limit.')),
      claims: listMap(['name'], null),
    },
  },
  V1ResourceFieldSelector: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { divisor: all(quantity, withDefault('0')) } },
  V1EnvVar: { description: 'An environment variable.', fields: { value: saying('Its value; $(NAME) refers to others.') } },
  V1ObjectFieldSelector: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { apiVersion: withDefault('v1') } },
  V1ConfigMapKeySelector: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { name: LOCAL_NAME } },
  V1SecretKeySelector: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { name: LOCAL_NAME } },
  V1FileKeySelector: { schema: { 'x-kubernetes-map-type': 'atomic' } },
  V1ConfigMapEnvSource: { fields: { name: LOCAL_NAME } },
  V1SecretEnvSource: { fields: { name: LOCAL_NAME } },
  V1LocalObjectReference: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { name: LOCAL_NAME } },
  V1ContainerRestartRuleOnExitCodes: { fields: { operator: oneOf('In', 'NotIn'), values: setList } },
  V1ContainerRestartRule: { fields: { action: oneOf('Restart', 'RestartAllContainers') } },
  V1ExecAction: { fields: { command: atomicList } },
  V1HTTPGetAction: {
    fields: { path: withDefault('/'), scheme: all(oneOf('HTTP', 'HTTPS'), withDefault('HTTP')), httpHeaders: atomicList },
  },
  V1GRPCAction: { fields: { port: PORT_NUMBER, service: withDefault('') } },
  V1Probe: {
    description: 'A check that the kubelet makes of a container.',
    fields: {
      timeoutSeconds: all(withDefault(1), { minimum: 1 }, saying('Seconds after which one try counts as failed.')),
      periodSeconds: all(withDefault(10), { minimum: 1 }, saying('Seconds between tries.')),
      successThreshold: all(withDefault(1), { minimum: 1 }),
      failureThreshold: all(withDefault(3), { minimum: 1 }),
      initialDelaySeconds: all(notNegative, saying('Seconds after the start of the container before the first try.')),
    },
  },
  V1SecurityContext: { fields: { procMount: oneOf('Default', 'Unmasked') } },
  V1Capabilities: { fields: { add: atomicList, drop: atomicList } },
  V1SeccompProfile: { fields: { type: oneOf('Localhost', 'RuntimeDefault', 'Unconfined') } },
  V1AppArmorProfile: { fields: { type: oneOf('Localhost', 'RuntimeDefault', 'Unconfined') } },
  V1PodSecurityContext: {
    fields: {
      supplementalGroups: atomicList,
      sysctls: atomicList,
      fsGroupChangePolicy: oneOf('OnRootMismatch', 'Always'),
      supplementalGroupsPolicy: oneOf('Merge', 'Strict'),
    },
  },
  V1HostAlias: { fields: { hostnames: atomicList } },
  V1PodDNSConfig: { fields: { nameservers: atomicList, options: atomicList, searches: atomicList } },
  V1VolumeMount: {
    fields: {
      mountPropagation: oneOf('None', 'HostToContainer', 'Bidirectional'),
      name: saying('Name of a volume of the pod.'),
      mountPath: saying('Path in the container.'),
    },
  },
  V1Toleration: {
    description: 'A taint that the pod puts up with.',
    fields: {
      effect: oneOf('', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'),
      operator: oneOf('', 'Exists', 'Equal', 'Lt', 'Gt'),
    },
  },
  V1TopologySpreadConstraint: {
    fields: {
      maxSkew: { minimum: 1 },
      minDomains: { minimum: 1 },
      whenUnsatisfiable: oneOf('DoNotSchedule', 'ScheduleAnyway'),
      nodeAffinityPolicy: oneOf('Honor', 'Ignore'),
      nodeTaintsPolicy: oneOf('Honor', 'Ignore'),
      matchLabelKeys: atomicList,
    },
  },
  V1Affinity: { description: 'Which nodes and which neighbours suit the pod.' },
  V1NodeAffinity: { fields: { preferredDuringSchedulingIgnoredDuringExecution: atomicList } },
  V1NodeSelector: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { nodeSelectorTerms: atomicList } },
  V1NodeSelectorTerm: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { matchExpressions: atomicList, matchFields: atomicList } },
  V1NodeSelectorRequirement: {
    fields: { operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'), values: atomicList },
  },
  V1PreferredSchedulingTerm: { fields: { weight: { minimum: 1, maximum: 100 } } },
  V1PodAffinity: {
    fields: { preferredDuringSchedulingIgnoredDuringExecution: atomicList, requiredDuringSchedulingIgnoredDuringExecution: atomicList },
  },
  V1PodAntiAffinity: {
    fields: { preferredDuringSchedulingIgnoredDuringExecution: atomicList, requiredDuringSchedulingIgnoredDuringExecution: atomicList },
  },
  V1PodAffinityTerm: { fields: { namespaces: atomicList, matchLabelKeys: atomicList, mismatchLabelKeys: atomicList } },
  V1WeightedPodAffinityTerm: { fields: { weight: { minimum: 1, maximum: 100 } } },
  V1Volume: { description: 'A volume that containers of the pod may mount.' },
  V1EmptyDirVolumeSource: { fields: { sizeLimit: quantity } },
  V1HostPathVolumeSource: {
    fields: {
      type: all(
        withDefault(''),
        oneOf('', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'),
      ),
    },
  },
  V1ImageVolumeSource: { fields: { pullPolicy: PULL_POLICY } },
  V1ConfigMapVolumeSource: { fields: { defaultMode: FILE_MODE_0644, items: atomicList, name: LOCAL_NAME } },
  V1SecretVolumeSource: { fields: { defaultMode: FILE_MODE_0644, items: atomicList } },
  V1DownwardAPIVolumeSource: { fields: { defaultMode: FILE_MODE_0644, items: atomicList } },
  V1ProjectedVolumeSource: { fields: { defaultMode: FILE_MODE_0644, sources: atomicList } },
  V1ConfigMapProjection: { fields: { items: atomicList, name: LOCAL_NAME } },
  V1SecretProjection: { fields: { items: atomicList, name: LOCAL_NAME } },
  V1DownwardAPIProjection: { fields: { items: atomicList } },
  V1ServiceAccountTokenProjection: { fields: { expirationSeconds: withDefault(3600) } },
  V1ISCSIPersistentVolumeSource: { fields: { iscsiInterface: withDefault('default'), portals: atomicList } },
  V1RBDPersistentVolumeSource: {
    fields: { monitors: atomicList, pool: withDefault('rbd'), user: withDefault('admin'), keyring: withDefault('/etc/ceph/keyring') },
  },
  V1ScaleIOVolumeSource: { fields: { fsType: withDefault('xfs'), storageMode: withDefault('ThinProvisioned') } },
  V1ScaleIOPersistentVolumeSource: { fields: { fsType: withDefault('xfs'), storageMode: withDefault('ThinProvisioned') } },
  V1ISCSIVolumeSource: { fields: { iscsiInterface: withDefault('default'), portals: atomicList } },
  V1RBDVolumeSource: {
    fields: { monitors: atomicList, pool: withDefault('rbd'), user: withDefault('admin'), keyring: withDefault('/etc/ceph/keyring') },
  },
  V1AzureDiskVolumeSource: {
    fields: {
      cachingMode: withDefault('ReadWrite'),
      kind: withDefault('Shared'),
      fsType: withDefault('ext4'),
      readOnly: withDefault(false),
    },
  },
  V1CephFSVolumeSource: { fields: { monitors: atomicList } },
  V1FCVolumeSource: { fields: { targetWWNs: atomicList, wwids: atomicList } },
  V1PodStatus: {
    description: 'What was last seen of a pod.',
    fields: {
      phase: saying('Pending, Running, Succeeded, Failed or Unknown.'),
      conditions: all(listMap(['type']), saying('Scheduled, initialised, ready, being resized.')),
      containerStatuses: all(atomicList, saying('State of each container.')),
      initContainerStatuses: atomicList,
      ephemeralContainerStatuses: atomicList,
      podIPs: listMap(['ip']),
      hostIPs: mergedAtomicList('ip'),
      resourceClaimStatuses: all(listMap(['name']), { 'x-kubernetes-patch-strategy': 'merge,retainKeys' }),
      allocatedResources: resourceList,
      qosClass: saying('Guaranteed, Burstable or BestEffort; fixed at creation.'),
    },
  },
  V1ContainerStatus: {
    fields: {
      allocatedResources: all(resourceList, saying('What the node has set aside for the container.')),
      allocatedResourcesStatus: listMap(['name']),
      resources: saying('What the running container has been given.'),
      volumeMounts: listMap(['mountPath']),
    },
  },
  V1LinuxContainerUser: { fields: { supplementalGroups: atomicList } },
  V1ResourceStatus: { fields: { resources: listMap(['resourceID'], null) } },
  V1NodeAllocatableResourceClaimStatus: { fields: { containers: setList, resources: resourceList } },
  CoreV1ResourceClaim: { description: 'A claim of the pod that the container uses.' },
  V1VolumeResourceRequirements: { fields: { limits: resourceList, requests: resourceList } },
  V1SleepAction: { fields: { seconds: notNegative } },
};
