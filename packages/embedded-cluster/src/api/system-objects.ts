// Objects that a real API server creates at its first start.

const READ = ['get', 'list', 'watch'] as const;
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'] as const;

/** Resources that users of a namespace work with. Secrets are separate, because reading them is a privilege. */
const NAMESPACED: readonly { readonly apiGroups: readonly string[]; readonly resources: readonly string[] }[] = [
  {
    apiGroups: [''],
    resources: [
      'configmaps',
      'endpoints',
      'events',
      'limitranges',
      'persistentvolumeclaims',
      'pods',
      'pods/log',
      'pods/status',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'resourcequotas',
      'serviceaccounts',
      'services',
    ],
  },
  {
    apiGroups: ['apps'],
    resources: ['daemonsets', 'deployments', 'deployments/scale', 'replicasets', 'replicasets/scale', 'statefulsets', 'statefulsets/scale'],
  },
  { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'] },
  { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'] },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'networkpolicies'] },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'] },
];

const view = NAMESPACED.map((scope) => ({ ...scope, verbs: READ }));
const edit = [
  ...NAMESPACED.map((scope) => ({ ...scope, verbs: [...READ, ...WRITE] })),
  { apiGroups: [''], resources: ['secrets'], verbs: [...READ, ...WRITE] },
  { apiGroups: [''], resources: ['pods/eviction', 'serviceaccounts/token'], verbs: ['create'] },
];
const admin = [
  ...edit,
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings', 'roles'], verbs: [...READ, ...WRITE] },
  { apiGroups: ['authorization.k8s.io'], resources: ['localsubjectaccessreviews'], verbs: ['create'] },
];

/** Resource id and object, in order of creation. */
export const SYSTEM_OBJECTS: readonly (readonly [string, object])[] = [
  ...['default', 'kube-node-lease', 'kube-public', 'kube-system'].map(
    (name) => ['namespaces', { metadata: { name, labels: { 'kubernetes.io/metadata.name': name } } }] as const,
  ),
  clusterRole('cluster-admin', [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ]),
  clusterRole('admin', admin),
  clusterRole('edit', edit),
  clusterRole('view', view),
  [
    'clusterrolebindings.rbac.authorization.k8s.io',
    {
      metadata: { name: 'cluster-admin' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:masters' }],
    },
  ],
  ['priorityclasses.scheduling.k8s.io', priorityClass('system-cluster-critical', 2_000_000_000)],
  ['priorityclasses.scheduling.k8s.io', priorityClass('system-node-critical', 2_000_001_000)],
];

function clusterRole(name: string, rules: readonly object[]): readonly [string, object] {
  return ['clusterroles.rbac.authorization.k8s.io', { metadata: { name }, rules }];
}

function priorityClass(name: string, value: number): object {
  return { metadata: { name }, value, description: 'Used for system critical pods.' };
}
