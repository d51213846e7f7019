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
  text('Role', 'Role that is given.', (object) => `${textAt(object, ['roleRef', 'kind'])}/${textAt(object, ['roleRef', 'name'])}`),
  AGE,
  wide('Users', 'Users that have it.', (object) => subjects(object, 'User')),
  wide('Groups', 'Groups that have it.', (object) => subjects(object, 'Group')),
  wide('ServiceAccounts', 'Service accounts that have it.', (object) => subjects(object, 'ServiceAccount')),
];

const WEBHOOKS: readonly Column[] = [
  NAME,
  count('Webhooks', 'How many webhooks it has.', (object) => itemsAt(object, 'webhooks').length),
  AGE,
];

/** The smaller API groups, by resource. */
export const GROUP_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  'scales.autoscaling': [
    NAME,
    count('Desired', 'Replicas that are wanted.', (object) => numberAt(object, 'spec', 'replicas')),
    count('Available', 'Replicas that there are.', (object) => numberAt(object, 'status', 'replicas')),
    AGE,
  ],
  'leases.coordination.k8s.io': [NAME, text('Holder', 'Who holds it.', (object) => textAt(object, ['spec', 'holderIdentity'])), AGE],
  'endpointslices.discovery.k8s.io': [
    NAME,
    text('AddressType', 'Kind of the addresses.', (object) => textAt(object, ['addressType'])),
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
    text('Class', 'Who serves it.', (object) => textAt(object, ['spec', 'ingressClassName'], '<none>')),
    text('Hosts', 'Names that it answers to.', (object) => {
      const hosts = itemsAt(object, 'spec', 'rules').map((rule) => textAt(rule, ['host'], '*'));
      return hosts.length === 0 ? '*' : listed(hosts, SHOWN_ENDPOINTS);
    }),
    text('Address', 'Where it is reached.', (object) =>
      itemsAt(object, 'status', 'loadBalancer', 'ingress')
        .map((each) => textAt(each, ['ip'], textAt(each, ['hostname'])))
        .join(','),
    ),
    text('Ports', 'Ports that it serves.', (object) => (itemsAt(object, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
    AGE,
  ],
  'ingressclasses.networking.k8s.io': [
    NAME,
    text('Controller', 'Who serves it.', (object) => textAt(object, ['spec', 'controller'])),
    text('Parameters', 'Where its settings are.', (object) => {
      const parameters = fieldsAt(object, 'spec', 'parameters');
      if (parameters['kind'] === undefined) return '<none>';
      const group = textAt(parameters, ['apiGroup']);
      return `${textAt(parameters, ['kind'])}${group === '' ? '' : `.${group}`}/${textAt(parameters, ['name'])}`;
    }),
    AGE,
  ],
  'networkpolicies.networking.k8s.io': [
    NAME,
    text('Pod-Selector', 'Pods that it covers.', (object) => selectorText(valueAt(object, 'spec', 'podSelector'))),
    AGE,
  ],
  'roles.rbac.authorization.k8s.io': [NAME, CREATED_AT],
  'clusterroles.rbac.authorization.k8s.io': [NAME, CREATED_AT],
  'rolebindings.rbac.authorization.k8s.io': BINDING,
  'clusterrolebindings.rbac.authorization.k8s.io': BINDING,
  'customresourcedefinitions.apiextensions.k8s.io': [NAME, CREATED_AT],
  'priorityclasses.scheduling.k8s.io': [
    NAME,
    count('Value', 'The priority; higher goes first.', (object) => Number(textAt(object, ['value'], '0'))),
    { ...text('Global-Default', 'Pods without a class have it.', (object) => valueAt(object, 'globalDefault') === true), type: 'boolean' },
    AGE,
    text('PreemptionPolicy', 'Whether it may displace others.', (object) => textAt(object, ['preemptionPolicy'], 'PreemptLowerPriority')),
  ],
  'runtimeclasses.node.k8s.io': [NAME, text('Handler', 'What runs the containers.', (object) => textAt(object, ['handler'])), AGE],
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': WEBHOOKS,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': WEBHOOKS,
  'validatingadmissionpolicies.admissionregistration.k8s.io': [
    NAME,
    count('Validations', 'How many rules it has.', (object) => itemsAt(object, 'spec', 'validations').length),
    text('ParamKind', 'Kind of its parameters.', (object) => {
      const kind = fieldsAt(object, 'spec', 'paramKind');
      return kind['kind'] === undefined ? '<unset>' : `${textAt(kind, ['apiVersion'])}/${textAt(kind, ['kind'])}`;
    }),
    AGE,
  ],
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': [
    NAME,
    text('PolicyName', 'Policy that it binds.', (object) => textAt(object, ['spec', 'policyName'])),
    text('ParamRef', 'Its parameters.', (object) => textAt(object, ['spec', 'paramRef', 'name'], '<unset>')),
    AGE,
  ],
  'nodes.metrics.k8s.io': [
    NAME,
    used('cpu'),
    used('memory'),
    text('Window', 'Length of time measured.', (object) => textAt(object, ['window'])),
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
