import type { KubeObject } from '../../api/kube-object.ts';
import type { Column } from './column.ts';
import {
  AGE,
  count,
  CREATED_AT,
  fieldsAt,
  itemsAt,
  listed,
  NAME,
  numberAt,
  selectorText,
  stringsAt,
  text,
  textAt,
  valueAt,
  wide,
} from './column.ts';

const SHOWN_ENDPOINTS = 3;

const BINDING: readonly Column[] = [
  NAME,
  text('Role', 'Granted role.', (object) => `${textAt(object, ['roleRef', 'kind'])}/${textAt(object, ['roleRef', 'name'])}`),
  AGE,
  wide('Users', 'Users with the role.', (object) => subjects(object, 'User')),
  wide('Groups', 'Groups with the role.', (object) => subjects(object, 'Group')),
  wide('ServiceAccounts', 'Service accounts with the role.', (object) => subjects(object, 'ServiceAccount')),
];

const WEBHOOKS: readonly Column[] = [NAME, count('Webhooks', 'Number of webhooks.', (object) => itemsAt(object, 'webhooks').length), AGE];

/** The smaller API groups, by resource. */
export const GROUP_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  'scales.autoscaling': [
    NAME,
    count('Desired', 'Desired replicas.', (object) => numberAt(object, 'spec', 'replicas')),
    count('Available', 'Current replicas.', (object) => numberAt(object, 'status', 'replicas')),
    AGE,
  ],
  'leases.coordination.k8s.io': [
    NAME,
    text('Holder', 'Identity of the holder.', (object) => textAt(object, ['spec', 'holderIdentity'])),
    AGE,
  ],
  'endpointslices.discovery.k8s.io': [
    NAME,
    text('AddressType', 'Type of the addresses.', (object) => textAt(object, ['addressType'])),
    text('Ports', 'Ports of the endpoints.', (object) =>
      listed(
        itemsAt(object, 'ports').map((port) => textAt(port, ['port'])),
        SHOWN_ENDPOINTS,
      ),
    ),
    text('Endpoints', 'Addresses.', (object) =>
      listed(
        itemsAt(object, 'endpoints').flatMap((endpoint) => stringsAt(endpoint, 'addresses')),
        SHOWN_ENDPOINTS,
      ),
    ),
    AGE,
  ],
  'ingresses.networking.k8s.io': [
    NAME,
    text('Class', 'Ingress class.', (object) => textAt(object, ['spec', 'ingressClassName'], '<none>')),
    text('Hosts', 'Host names.', (object) => {
      const hosts = itemsAt(object, 'spec', 'rules').map((rule) => textAt(rule, ['host'], '*'));
      return hosts.length === 0 ? '*' : listed(hosts, SHOWN_ENDPOINTS);
    }),
    text('Address', 'Address of the load balancer.', (object) =>
      itemsAt(object, 'status', 'loadBalancer', 'ingress')
        .map((each) => textAt(each, ['ip'], textAt(each, ['hostname'])))
        .join(','),
    ),
    text('Ports', 'Served ports.', (object) => (itemsAt(object, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
    AGE,
  ],
  'ingressclasses.networking.k8s.io': [
    NAME,
    text('Controller', 'Controller of the class.', (object) => textAt(object, ['spec', 'controller'])),
    text('Parameters', 'Object with its parameters.', (object) => {
      const parameters = fieldsAt(object, 'spec', 'parameters');
      if (parameters['kind'] === undefined) return '<none>';
      const group = textAt(parameters, ['apiGroup']);
      return `${textAt(parameters, ['kind'])}${group === '' ? '' : `.${group}`}/${textAt(parameters, ['name'])}`;
    }),
    AGE,
  ],
  'networkpolicies.networking.k8s.io': [
    NAME,
    text('Pod-Selector', 'Labels of the selected pods.', (object) => selectorText(valueAt(object, 'spec', 'podSelector'))),
    AGE,
  ],
  'roles.rbac.authorization.k8s.io': [NAME, CREATED_AT],
  'clusterroles.rbac.authorization.k8s.io': [NAME, CREATED_AT],
  'rolebindings.rbac.authorization.k8s.io': BINDING,
  'clusterrolebindings.rbac.authorization.k8s.io': BINDING,
  'customresourcedefinitions.apiextensions.k8s.io': [NAME, CREATED_AT],
  'priorityclasses.scheduling.k8s.io': [
    NAME,
    count('Value', 'The priority; higher is scheduled first.', (object) => Number(textAt(object, ['value'], '0'))),
    {
      ...text('Global-Default', 'Whether it is the default class.', (object) => valueAt(object, 'globalDefault') === true),
      type: 'boolean',
    },
    AGE,
    text('PreemptionPolicy', 'Whether its pods may preempt others.', (object) =>
      textAt(object, ['preemptionPolicy'], 'PreemptLowerPriority'),
    ),
  ],
  'runtimeclasses.node.k8s.io': [NAME, text('Handler', 'Handler of the container runtime.', (object) => textAt(object, ['handler'])), AGE],
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': WEBHOOKS,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': WEBHOOKS,
  'validatingadmissionpolicies.admissionregistration.k8s.io': [
    NAME,
    count('Validations', 'Number of rules.', (object) => itemsAt(object, 'spec', 'validations').length),
    text('ParamKind', 'Kind of its parameters.', (object) => {
      const kind = fieldsAt(object, 'spec', 'paramKind');
      return kind['kind'] === undefined ? '<unset>' : `${textAt(kind, ['apiVersion'])}/${textAt(kind, ['kind'])}`;
    }),
    AGE,
  ],
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': [
    NAME,
    text('PolicyName', 'Bound policy.', (object) => textAt(object, ['spec', 'policyName'])),
    text('ParamRef', 'Its parameters.', (object) => textAt(object, ['spec', 'paramRef', 'name'], '<unset>')),
    AGE,
  ],
  'nodes.metrics.k8s.io': [
    NAME,
    used('cpu'),
    used('memory'),
    text('Window', 'Length of the measured window.', (object) => textAt(object, ['window'])),
  ],
};

function used(resource: string): Column {
  return text(resource, `${resource} used.`, (object) => textAt(object, ['usage', resource]));
}

function subjects(binding: KubeObject, kind: string): string {
  return itemsAt(binding, 'subjects')
    .filter((subject) => subject['kind'] === kind)
    .map((subject) =>
      kind === 'ServiceAccount' ? `${textAt(subject, ['namespace'])}/${textAt(subject, ['name'])}` : textAt(subject, ['name']),
    )
    .join(', ');
}
