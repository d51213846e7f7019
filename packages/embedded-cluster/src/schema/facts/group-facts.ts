import type { FactsByType } from '../schema-facts.ts';
import { all, atomicList, listMap, oneOf, required, saying, setList, withDefault } from '../schema-facts.ts';

const PROTOCOL = all(oneOf('SCTP', 'TCP', 'UDP'), withDefault('TCP'));
const CONDITIONS = listMap(['type']);
const FAILURE_POLICY = all(oneOf('Fail', 'Ignore'), withDefault('Fail'));
const MATCH_POLICY = all(oneOf('Equivalent', 'Exact'), withDefault('Equivalent'));
const OBJECT_SCOPE = all(oneOf('Cluster', 'Namespaced', '*'), withDefault('*'));

const WEBHOOK = {
  admissionReviewVersions: atomicList,
  failurePolicy: FAILURE_POLICY,
  matchPolicy: MATCH_POLICY,
  matchConditions: listMap(['name']),
  namespaceSelector: withDefault({}),
  objectSelector: withDefault({}),
  rules: atomicList,
  sideEffects: oneOf('None', 'NoneOnDryRun'),
  timeoutSeconds: all(withDefault(10), { minimum: 1, maximum: 30 }),
};
const WEBHOOK_RULE = {
  apiGroups: atomicList,
  apiVersions: atomicList,
  operations: all(atomicList, { items: { type: 'string', enum: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*'] } }),
  resources: atomicList,
  scope: OBJECT_SCOPE,
};

/** The smaller groups: coordination, events, discovery, networking, rbac, authorization, apiextensions, admission. */
export const GROUP_FACTS: FactsByType = {
  V1Lease: { description: 'A lock with a holder and a duration.' },
  V1LeaseSpec: {
    fields: {
      holderIdentity: saying('Identity of the holder.'),
      leaseDurationSeconds: all({ minimum: 1 }, saying('Seconds after the last renewal until another candidate may acquire it.')),
      renewTime: saying('When the holder last renewed it.'),
    },
  },
  EventsV1Event: { description: 'A report of something that happened to an object.' },
  V1EndpointSlice: {
    description: 'A part of the addresses of a service.',
    fields: { addressType: oneOf('IPv4', 'IPv6', 'FQDN'), endpoints: atomicList, ports: atomicList },
  },
  DiscoveryV1EndpointPort: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { protocol: PROTOCOL, name: withDefault('') } },
  V1Endpoint: { fields: { addresses: setList } },
  V1EndpointHints: { fields: { forZones: atomicList, forNodes: atomicList } },

  V1Ingress: { description: 'Rules by which external requests reach services.' },
  V1IngressSpec: { fields: { rules: atomicList, tls: atomicList } },
  V1HTTPIngressRuleValue: { fields: { paths: atomicList } },
  V1HTTPIngressPath: { fields: { pathType: oneOf('Exact', 'ImplementationSpecific', 'Prefix') } },
  V1IngressTLS: { fields: { hosts: atomicList } },
  V1IngressLoadBalancerStatus: { fields: { ingress: atomicList } },
  V1IngressLoadBalancerIngress: { fields: { ports: atomicList } },
  V1ServiceBackendPort: { schema: { 'x-kubernetes-map-type': 'atomic' } },
  V1IngressClass: { description: 'The controller of an ingress.' },
  V1IngressClassParametersReference: { fields: { scope: all(oneOf('Cluster', 'Namespace'), withDefault('Cluster')) } },
  V1NetworkPolicy: { description: 'Allowed traffic of pods.' },
  V1NetworkPolicySpec: {
    fields: {
      egress: atomicList,
      ingress: atomicList,
      policyTypes: all(atomicList, { items: { type: 'string', enum: ['Ingress', 'Egress'] } }),
      podSelector: withDefault({}),
    },
  },
  V1NetworkPolicyEgressRule: { fields: { ports: atomicList, to: atomicList } },
  V1NetworkPolicyIngressRule: { fields: { ports: atomicList, from: atomicList } },
  V1NetworkPolicyPort: { fields: { protocol: PROTOCOL } },
  V1IPBlock: { fields: { except: atomicList } },

  V1Role: { description: 'Permissions in a namespace.', fields: { rules: atomicList } },
  V1ClusterRole: { description: 'Permissions in the whole cluster.', fields: { rules: atomicList } },
  V1AggregationRule: { fields: { clusterRoleSelectors: atomicList } },
  V1PolicyRule: {
    fields: { apiGroups: atomicList, nonResourceURLs: atomicList, resourceNames: atomicList, resources: atomicList, verbs: atomicList },
  },
  V1RoleBinding: { description: 'Grants a role in a namespace to subjects.', fields: { subjects: atomicList } },
  V1ClusterRoleBinding: { description: 'Grants a role in the whole cluster to subjects.', fields: { subjects: atomicList } },
  RbacV1Subject: { schema: { 'x-kubernetes-map-type': 'atomic' } },
  V1RoleRef: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { apiGroup: withDefault('rbac.authorization.k8s.io') } },

  V1CustomResourceDefinition: { description: 'Defines a custom kind.' },
  V1CustomResourceDefinitionSpec: {
    fields: {
      conversion: withDefault({ strategy: 'None' }),
      scope: oneOf('Cluster', 'Namespaced'),
      versions: all(atomicList, saying('Versions of the kind, each with its schema.')),
      names: saying('Names of the kind.'),
      group: saying('API group of the kind.'),
    },
  },
  V1CustomResourceConversion: { fields: { strategy: oneOf('None', 'Webhook') } },
  V1WebhookConversion: { fields: { conversionReviewVersions: atomicList } },
  V1CustomResourceDefinitionNames: { fields: { categories: atomicList, shortNames: atomicList } },
  V1CustomResourceDefinitionVersion: { fields: { additionalPrinterColumns: atomicList, selectableFields: atomicList } },
  V1JSONSchemaProps: {
    fields: {
      allOf: atomicList,
      anyOf: atomicList,
      oneOf: atomicList,
      enum: atomicList,
      required: atomicList,
      'x-kubernetes-list-map-keys': atomicList,
      'x-kubernetes-validations': listMap(['rule']),
    },
  },
  V1ValidationRule: {
    fields: { reason: oneOf('FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate') },
  },
  V1CustomResourceDefinitionStatus: { fields: { conditions: listMap(['type'], null), storedVersions: atomicList } },
  ApiextensionsV1ServiceReference: { fields: { port: withDefault(443) } },

  V1MutatingWebhookConfiguration: { description: 'Webhooks that may change written objects.', fields: { webhooks: listMap(['name']) } },
  V1MutatingWebhook: { fields: { ...WEBHOOK, reinvocationPolicy: all(oneOf('Never', 'IfNeeded'), withDefault('Never')) } },
  V1ValidatingWebhookConfiguration: { description: 'Webhooks that may refuse written objects.', fields: { webhooks: listMap(['name']) } },
  V1ValidatingWebhook: { fields: WEBHOOK },
  V1RuleWithOperations: { fields: WEBHOOK_RULE },
  AdmissionregistrationV1ServiceReference: { fields: { port: withDefault(443) } },
  V1ValidatingAdmissionPolicy: { description: 'CEL rules that may refuse written objects.', fields: { spec: required } },
  V1ValidatingAdmissionPolicySpec: {
    fields: {
      auditAnnotations: atomicList,
      failurePolicy: FAILURE_POLICY,
      matchConditions: listMap(['name']),
      validations: atomicList,
      variables: listMap(['name']),
    },
  },
  V1ParamKind: { schema: { 'x-kubernetes-map-type': 'atomic' } },
  V1ParamRef: { schema: { 'x-kubernetes-map-type': 'atomic' } },
  V1MatchResources: {
    schema: { 'x-kubernetes-map-type': 'atomic' },
    fields: {
      excludeResourceRules: atomicList,
      resourceRules: atomicList,
      matchPolicy: MATCH_POLICY,
      namespaceSelector: withDefault({}),
      objectSelector: withDefault({}),
    },
  },
  V1NamedRuleWithOperations: { schema: { 'x-kubernetes-map-type': 'atomic' }, fields: { ...WEBHOOK_RULE, resourceNames: atomicList } },
  V1ValidatingAdmissionPolicyStatus: { fields: { conditions: listMap(['type'], null) } },
  V1Variable: { schema: { 'x-kubernetes-map-type': 'atomic' } },
  V1TypeChecking: { fields: { expressionWarnings: atomicList } },
  V1ValidatingAdmissionPolicyBindingSpec: {
    fields: { validationActions: all(setList, { items: { type: 'string', enum: ['Deny', 'Warn', 'Audit'] } }) },
  },

  V1TokenReviewSpec: { fields: { audiences: atomicList } },
  V1TokenRequestSpec: { fields: { audiences: atomicList, expirationSeconds: withDefault(3600) } },
  V1SubjectAccessReview: { description: 'Checks whether a user may perform an action.' },
  V1SelfSubjectAccessReview: { description: 'Checks whether the caller may perform an action.' },
  V1SelfSubjectRulesReview: { description: 'Lists the permissions of the caller in a namespace.' },
  V1SelfSubjectReview: { description: 'Returns the user of the caller.' },
  V1APIServiceSpec: { fields: { groupPriorityMinimum: { minimum: 1, maximum: 20000 }, versionPriority: { minimum: 1, maximum: 1000 } } },
  V1APIServiceStatus: { fields: { conditions: CONDITIONS } },
  ApiregistrationV1ServiceReference: { fields: { port: withDefault(443) } },
};
