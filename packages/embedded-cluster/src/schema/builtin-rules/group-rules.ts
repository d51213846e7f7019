import type { FieldRules, RulesByType, TypeRules } from './type-rules.ts';

const PROTOCOL: FieldRules = { enum: ['SCTP', 'TCP', 'UDP'], default: 'TCP' };
const FAILURE_POLICY: FieldRules = { enum: ['Fail', 'Ignore'], default: 'Fail' };
const MATCH_POLICY: FieldRules = { enum: ['Equivalent', 'Exact'], default: 'Equivalent' };

const WEBHOOK: TypeRules['fields'] = {
  failurePolicy: FAILURE_POLICY,
  matchPolicy: MATCH_POLICY,
  namespaceSelector: { default: {} },
  objectSelector: { default: {} },
  sideEffects: { enum: ['None', 'NoneOnDryRun'] },
  timeoutSeconds: { minimum: 1, maximum: 30, default: 10 },
};
const WEBHOOK_RULE: TypeRules['fields'] = {
  operations: { items: { enum: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*'] } },
  scope: { enum: ['Cluster', 'Namespaced', '*'], default: '*' },
};

/** Admission, access, coordination, discovery, networking and definitions of custom resources. */
export const GROUP_RULES: RulesByType = {
  'admissionregistration.v1.MatchResources': {
    fields: {
      matchPolicy: MATCH_POLICY,
      namespaceSelector: { default: {} },
      objectSelector: { default: {} },
    },
  },
  'admissionregistration.v1.MutatingWebhook': {
    fields: {
      ...WEBHOOK,
      reinvocationPolicy: { enum: ['Never', 'IfNeeded'], default: 'Never' },
    },
  },
  'admissionregistration.v1.NamedRuleWithOperations': {
    fields: WEBHOOK_RULE,
  },
  'admissionregistration.v1.RuleWithOperations': {
    fields: WEBHOOK_RULE,
  },
  'admissionregistration.v1.ServiceReference': { fields: { port: { default: 443 } } },
  'admissionregistration.v1.ValidatingAdmissionPolicy': { required: ['spec'] },
  'admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec': {
    fields: { validationActions: { items: { enum: ['Deny', 'Warn', 'Audit'] } } },
  },
  'admissionregistration.v1.ValidatingAdmissionPolicySpec': { fields: { failurePolicy: FAILURE_POLICY } },
  'admissionregistration.v1.ValidatingWebhook': {
    fields: WEBHOOK,
  },
  'authentication.v1.TokenRequestSpec': { fields: { expirationSeconds: { default: 3600 } } },
  'coordination.v1.LeaseSpec': { fields: { leaseDurationSeconds: { minimum: 1 } } },
  'discovery.v1.EndpointPort': { fields: { name: { default: '' }, protocol: PROTOCOL } },
  'discovery.v1.EndpointSlice': { fields: { addressType: { enum: ['IPv4', 'IPv6', 'FQDN'] } } },
  'networking.v1.HTTPIngressPath': { fields: { pathType: { enum: ['Exact', 'ImplementationSpecific', 'Prefix'] } } },
  'networking.v1.IngressClassParametersReference': { fields: { scope: { enum: ['Cluster', 'Namespace'], default: 'Cluster' } } },
  'networking.v1.NetworkPolicyPort': { fields: { protocol: PROTOCOL } },
  'networking.v1.NetworkPolicySpec': { fields: { policyTypes: { items: { enum: ['Ingress', 'Egress'] } } } },
  'rbac.v1.RoleRef': { fields: { apiGroup: { default: 'rbac.authorization.k8s.io' } } },
  'apiextensions.v1.CustomResourceConversion': { fields: { strategy: { enum: ['None', 'Webhook'] } } },
  'apiextensions.v1.CustomResourceDefinitionSpec': {
    fields: { conversion: { default: { strategy: 'None' } }, scope: { enum: ['Cluster', 'Namespaced'] } },
  },
  'apiextensions.v1.ServiceReference': { fields: { port: { default: 443 } } },
  'apiextensions.v1.ValidationRule': {
    fields: { reason: { enum: ['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'] } },
  },
};
