import type { FieldError } from '../../api/api-error.ts';
import type { ResourceStrategy } from '../../api/strategy.ts';
import type { Autoscaler, MetricSpec, ScalingRules } from '../../controllers/wire/autoscaler.ts';
import { forbiddenField, invalidValue, required } from '../field-errors.ts';
import { countErrors } from '../workloads/template-rules.ts';

const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;

export const autoscalerStrategy: ResourceStrategy = {
  validate(object, _old, _context, subresource) {
    if (subresource === 'status') return [];
    if (object['spec'] === undefined) return [required('spec')];
    const { spec } = object as Autoscaler;
    const { minReplicas = 1, maxReplicas, scaleTargetRef, metrics = [], behavior } = spec;
    const errors: FieldError[] = [];
    if (scaleTargetRef.kind === '') errors.push(required('spec.scaleTargetRef.kind'));
    if (scaleTargetRef.name === '') errors.push(required('spec.scaleTargetRef.name'));
    errors.push(...countErrors('spec.minReplicas', minReplicas, 1));
    if (scaleTargetRef.name !== '' && (scaleTargetRef.apiVersion ?? '') === '')
      errors.push(invalidValue('spec.scaleTargetRef.apiVersion', '', 'apiVersion must specify API group'));
    if (maxReplicas < 1) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'));
    if (maxReplicas < minReplicas) {
      errors.push(invalidValue('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
    }
    errors.push(...metrics.flatMap((metric, index) => metricErrors(metric, `spec.metrics[${String(index)}]`)));
    errors.push(...rulesErrors(behavior?.scaleUp, 'spec.behavior.scaleUp'), ...rulesErrors(behavior?.scaleDown, 'spec.behavior.scaleDown'));
    return errors;
  },
};

function metricErrors(metric: MetricSpec, field: string): FieldError[] {
  const [key, source] =
    metric.type === 'ContainerResource'
      ? (['containerResource', metric.containerResource] as const)
      : (['resource', metric.resource] as const);
  if (metric.type !== 'Resource' && metric.type !== 'ContainerResource') return [];
  if (source === undefined) return [required(`${field}.${key}`, `must populate information for the given metric source`)];
  const at = `${field}.${key}`;
  const { averageUtilization, averageValue, type } = source.target;
  const errors: FieldError[] = [];
  if (type !== 'Utilization' && type !== 'AverageValue') {
    errors.push(invalidValue(`${at}.target.type`, type, 'must be either Utilization or AverageValue'));
  }
  if (averageUtilization === undefined && averageValue === undefined) {
    errors.push(required(`${at}.target.averageUtilization`, 'must set either a target raw value or a target utilization'));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    errors.push(forbiddenField(`${at}.target.averageValue`, 'may not set both a target raw value and a target utilization'));
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(invalidValue(`${at}.target.averageUtilization`, averageUtilization, 'must be greater than 0'));
  }
  return errors;
}

function rulesErrors(rules: ScalingRules | undefined, field: string): FieldError[] {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: window = 0, policies = [] } = rules;
  const errors: FieldError[] = [];
  if (window < 0 || window > MAX_WINDOW_SECONDS) {
    const why = window < 0 ? 'must be greater than or equal to zero' : `must be less than or equal to ${String(MAX_WINDOW_SECONDS)}`;
    errors.push(invalidValue(`${field}.stabilizationWindowSeconds`, window, why));
  }
  if (policies.length === 0) errors.push(required(`${field}.policies`, 'must specify at least one Policy'));
  for (const [index, { value, periodSeconds }] of policies.entries()) {
    const at = `${field}.policies[${String(index)}]`;
    if (value < 1) errors.push(invalidValue(`${at}.value`, value, 'must be greater than zero'));
    if (periodSeconds < 1 || periodSeconds > MAX_PERIOD_SECONDS) {
      errors.push(invalidValue(`${at}.periodSeconds`, periodSeconds, `must be between 1 and ${String(MAX_PERIOD_SECONDS)}`));
    }
  }
  return errors;
}
