import type { FieldError } from '../../api/api-error.ts';
import type { Pod, PodSpec, WireContainer } from '../../controllers/wire/pod.ts';
import { amountOf, writeAmount } from '../amounts.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../field-errors.ts';
import { labelFaults } from '../../api/verbs/name-rules.ts';
import { isSidecar, placedContainers } from './pod-containers.ts';
import { probeErrors, spreadErrors, tolerationErrors, variableErrors, volumeErrors } from './pod-part-rules.ts';

const ONE = 1_000_000_000n;

/** Rules for a pod's spec that its schema cannot express. @param root `spec`, or `spec.template.spec` of a workload */
export function podSpecErrors(spec: PodSpec, root = 'spec'): FieldError[] {
  const placed = placedContainers(spec);
  const errors: FieldError[] = [];
  if (spec.containers.length === 0) errors.push(required(`${root}.containers`));
  const names = new Set<string>();
  for (const { path, container, isInit } of placed) {
    const field = path.replace(/^spec/, root);
    if (names.has(container.name)) errors.push(duplicate(`${field}.name`, container.name));
    names.add(container.name);
    errors.push(...labelFaults(container.name).map((fault) => invalidValue(`${field}.name`, container.name, fault)));
    if ((container.image ?? '') === '') errors.push(required(`${field}.image`));
    errors.push(...variableErrors(container, field), ...probeErrors(container, field));
    if (isInit && container.restartPolicy !== undefined && !isSidecar(container)) {
      errors.push(notSupported(`${field}.restartPolicy`, container.restartPolicy, ['Always']));
    }
    errors.push(...resourceErrors(container, field), ...resizePolicyErrors(spec, container, field), ...mountErrors(spec, container, field));
  }
  errors.push(...volumeErrors(spec, root), ...tolerationErrors(spec, root), ...spreadErrors(spec, root));
  return errors;
}

/** Requests stay within limits; hugepages and extended resources cannot be overcommitted. */
export function resourceErrors(container: WireContainer, field: string): FieldError[] {
  const { requests = {}, limits = {} } = container.resources ?? {};
  const errors: FieldError[] = [];
  for (const [side, list] of [
    ['limits', limits],
    ['requests', requests],
  ] as const) {
    for (const [resource, text] of Object.entries(list)) {
      const amount = amountOf(list, resource);
      if (amount !== undefined && amount.nano < 0n) {
        errors.push(invalidValue(`${field}.resources.${side}[${resource}]`, text, 'must be greater than or equal to 0'));
      }
      if (amount !== undefined && isWhole(resource) && amount.nano % ONE !== 0n) {
        errors.push(invalidValue(`${field}.resources.${side}[${resource}]`, text, 'must be an integer'));
      }
    }
  }
  for (const [resource, text] of Object.entries(requests)) {
    const request = amountOf(requests, resource);
    const limit = amountOf(limits, resource);
    if (request === undefined || limit === undefined || request.nano <= limit.nano) continue;
    const why = `must be less than or equal to ${resource} limit of ${writeAmount(limit)}`;
    errors.push(invalidValue(`${field}.resources.requests`, text, why));
  }
  return errors;
}

function resizePolicyErrors(spec: PodSpec, container: WireContainer, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = `${field}.resizePolicy`;
  for (const policy of container.resizePolicy ?? []) {
    if (policy.resourceName !== 'cpu' && policy.resourceName !== 'memory') {
      errors.push(notSupported(at, policy.resourceName, ['cpu', 'memory']));
    }
    if (policy.restartPolicy === 'RestartContainer' && spec.restartPolicy === 'Never' && !isSidecar(container)) {
      // A container of a pod that never restarts could not be restarted by its resize.
      errors.push(invalidValue(at, policy.restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
  }
  return errors;
}

function mountErrors(spec: PodSpec, container: WireContainer, field: string): FieldError[] {
  const volumes = new Set((spec.volumes ?? []).map(({ name }) => name));
  return (container.volumeMounts ?? []).flatMap(({ name }, index) =>
    volumes.has(name)
      ? []
      : [
          {
            field: `${field}.volumeMounts[${String(index)}].name`,
            type: 'FieldValueNotFound' as const,
            message: `Not found: ${JSON.stringify(name)}`,
          },
        ],
  );
}

/** Annotations that the controllers read as numbers. */
export function podMetadataErrors(pod: Pod): FieldError[] {
  const cost = pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'];
  if (cost === undefined || /^-?\d{1,10}$/.test(cost)) return [];
  return [invalidValue('metadata.annotations[controller.kubernetes.io/pod-deletion-cost]', cost, 'must be a 32bit integer')];
}

/** On create: a pod with scheduling gates must not name a node. */
export function gateErrors(spec: PodSpec): FieldError[] {
  if ((spec.schedulingGates ?? []).length === 0 || (spec.nodeName ?? '') === '') return [];
  return [forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')];
}

/** Extended resources cannot be divided. */
function isWhole(resource: string): boolean {
  return resource.includes('/') && !resource.startsWith('kubernetes.io/');
}
