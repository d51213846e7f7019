import type { PodResizePolicySpec } from '../../../apis/v1alpha1/index.ts';

/**
 * Fields of a policy that have no effect in this version or installation. They are reported, so that users do not rely on them.
 */
export function listIneffectiveFields(spec: PodResizePolicySpec, { admission }: { readonly admission: boolean }): readonly string[] {
  const fields: readonly (readonly [string, boolean])[] = [
    ['spec.hpa: Tune (acts as Preserve)', spec.hpa === 'Tune'],
    ['limit.rule: None (acts as Keep without controller.admission.enabled)', !admission && limitRules(spec).includes('None')],
  ];
  return fields.flatMap(([field, isSet]) => (isSet ? [field] : []));
}

function limitRules(spec: PodResizePolicySpec): readonly (string | undefined)[] {
  return [spec, ...(spec.containers ?? [])].flatMap(({ cpu, memory }) => [cpu?.limit?.rule, memory?.limit?.rule]);
}
