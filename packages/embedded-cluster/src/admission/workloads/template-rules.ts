// Rules for a workload and its pod template that the schema cannot express.

import type { LabelSelector } from '#kube/label-selector';
import type { FieldError } from '../../api/api-error.ts';
import { isEqualJson } from '../../api/json.ts';
import { isEmptySelector, isSelectorMatch } from '../../controllers/selectors.ts';
import { resolveCount } from '../../controllers/int-or-percent.ts';
import type { PodTemplate } from '../../controllers/wire/pod.ts';
import type { IntOrPercent, RollingUpdate } from '../../controllers/wire/workload.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../field-errors.ts';
import { labelErrors } from '../../api/verbs/name-rules.ts';
import { podSpecErrors } from '../pod/pod-validation.ts';

/** `templateErrors` reports a missing template. */
export function selectorErrors(
  selector: LabelSelector | undefined,
  template: Partial<PodTemplate> | undefined,
  workload = 'deployment',
): FieldError[] {
  const mismatch = invalidValue(
    'spec.template.metadata.labels',
    template?.metadata?.labels ?? {},
    '`selector` does not match template `labels`',
  );
  if (selector === undefined) return [required('spec.selector'), ...(template === undefined ? [] : [mismatch])];
  const operatorErrors = expressionErrors(selector);
  if (operatorErrors.length > 0) return [...operatorErrors, invalidValue('spec.selector', selector, 'invalid label selector')];
  if (isEmptySelector(selector)) return [invalidValue('spec.selector', selector, `empty selector is invalid for ${workload}`)];
  return template === undefined || isSelectorMatch(selector, template.metadata?.labels) ? [] : [mismatch];
}

const OPERATORS: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

function expressionErrors({ matchExpressions = [] }: LabelSelector): FieldError[] {
  return matchExpressions.flatMap(({ operator }, index) =>
    OPERATORS.has(operator)
      ? []
      : [invalidValue(`spec.selector.matchExpressions[${String(index)}].operator`, operator, 'not a valid selector operator')],
  );
}

export function immutableErrors(field: string, now: unknown, before: unknown): FieldError[] {
  return isEqualJson(now, before) ? [] : [invalidValue(field, now, 'field is immutable')];
}

/** @param restartPolicies policies that the workload supports */
export function templateErrors(
  template: Partial<PodTemplate> | undefined,
  restartPolicies: readonly string[],
  root = 'spec.template',
): FieldError[] {
  if (template?.spec === undefined) return [required(`${root}.spec.containers`)]; // the schema does not require a spec
  const policy = template.spec.restartPolicy ?? 'Always';
  const errors = [...labelErrors(`${root}.labels`, template.metadata?.labels), ...podSpecErrors(template.spec, `${root}.spec`)];
  if (!restartPolicies.includes(policy)) errors.push(restartPolicyError(`${root}.spec.restartPolicy`, policy, restartPolicies));
  if (template.spec.activeDeadlineSeconds !== undefined && restartPolicies.includes('Always')) {
    errors.push(forbiddenField(`${root}.spec.activeDeadlineSeconds`, 'activeDeadlineSeconds in ReplicaSet is not Supported'));
  }
  return errors;
}

/** Jobs have no default restart policy, so the general default counts as unset. */
function restartPolicyError(field: string, policy: string, choices: readonly string[]): FieldError {
  if (choices.includes('Always')) return notSupported(field, policy, choices);
  return required(field, `valid values: ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`);
}

export function countErrors(field: string, value: number | undefined, least = 0): FieldError[] {
  if (value === undefined || value >= least) return [];
  return [invalidValue(field, value, `must be greater than or equal to ${String(least)}`)];
}

/** `3` or `"30%"`. */
export function shareErrors(field: string, value: IntOrPercent | undefined): FieldError[] {
  if (value === undefined) return [];
  if (resolveCount(value, 100, 'up') === undefined) {
    const words =
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
    return [invalidValue(field, value, words)];
  }
  if (typeof value === 'number') return countErrors(field, value);
  return (resolveCount(value, 100, 'up') ?? 0) > 100 ? [invalidValue(field, value, 'must not be greater than 100%')] : [];
}

/** A rollout that may neither add nor remove a pod can never proceed. */
export function rollingUpdateErrors(settings: RollingUpdate | undefined, root: string): FieldError[] {
  if (settings === undefined) return [];
  // maxSurge may exceed 100 %; maxUnavailable may not.
  const { maxSurge, maxUnavailable } = settings;
  const errors = [...shareErrors(`${root}.maxUnavailable`, maxUnavailable)];
  if (maxSurge !== undefined && resolveCount(maxSurge, 100, 'up') === undefined) errors.push(...shareErrors(`${root}.maxSurge`, maxSurge));
  if (typeof maxSurge === 'number') errors.push(...countErrors(`${root}.maxSurge`, maxSurge));
  if (isNothing(maxSurge) && isNothing(maxUnavailable)) {
    errors.push(invalidValue(`${root}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  return errors;
}

function isNothing(value: IntOrPercent | undefined): boolean {
  return value !== undefined && resolveCount(value, 100, 'up') === 0;
}

export function requiredErrors(field: string, value: unknown): FieldError[] {
  return value === undefined || value === '' ? [required(field)] : [];
}
