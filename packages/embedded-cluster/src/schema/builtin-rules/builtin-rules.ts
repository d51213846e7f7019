import { CORE_RULES } from './core-rules.ts';
import { GROUP_RULES } from './group-rules.ts';
import { POD_RULES } from './pod-rules.ts';
import type { RulesByType, TypeRules } from './type-rules.ts';
import { WORKLOAD_RULES } from './workload-rules.ts';

/** Rules of built-in types, by package and type (`core.v1.Pod`). */
export const BUILTIN_RULES: RulesByType = { ...CORE_RULES, ...POD_RULES, ...WORKLOAD_RULES, ...GROUP_RULES };

/** Of a schema by its name (`io.k8s.api.core.v1.Pod`); undefined where Kubernetes' code adds nothing to it. */
export function findRules(schemaName: string): TypeRules | undefined {
  const [type, version, group] = schemaName.split('.').reverse();
  return BUILTIN_RULES[`${group}.${version}.${type}`];
}
