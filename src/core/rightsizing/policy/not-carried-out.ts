import type { PodResizePolicySpec } from '../../../apis/v1alpha1/index.ts';

/**
 * Fields that a policy sets and that this version only stores: who wrote them must not believe that they act. Each goes
 * from this list when what carries it out comes.
 */
export function notCarriedOut(spec: PodResizePolicySpec): readonly string[] {
  const fields: readonly (readonly [string, boolean])[] = [
    ['spec.hpa: Tune (acts as Preserve)', spec.hpa === 'Tune'],
    ['limit.rule: None (acts as Keep)', limitRules(spec).includes('None')],
  ];
  return fields.flatMap(([field, isSet]) => (isSet ? [field] : []));
}

function limitRules(spec: PodResizePolicySpec): readonly (string | undefined)[] {
  return [spec, ...(spec.containers ?? [])].flatMap(({ cpu, memory }) => [cpu?.limit?.rule, memory?.limit?.rule]);
}
