import type { PodResizePolicySpec } from '../apis/v1alpha1/index.ts';
import { matchesGlob, parseGlob } from '../core/model/glob.ts';
import { defaultsFrom, effectiveValues, schemaFieldDefaults } from '../core/policies/effective-values.ts';
import { valueOfField, type PolicyOverride } from '../core/policies/policy-overrides.ts';
import type { RuleSources } from '../core/resize/policy/container-rules.ts';
import { podResizeDefaults } from '../core/resize/policy/pod-resize-defaults.ts';

/** No policy is in force: every value is a default. */
export const ALL_DEFAULTS: RuleSources = { of: () => 'default' };

/** Where the values of a policy come from, by the same rule as `/policies` states them. */
export function ruleSources(spec: PodResizePolicySpec, overrides: readonly PolicyOverride[]): RuleSources {
  const defaults = { ...schemaFieldDefaults('PodResizePolicy'), ...defaultsFrom('default', podResizeDefaults()) };
  const effective = effectiveValues({ ...spec }, overrides, defaults);
  const sourceOf = (field: string) => effective[field]?.source ?? 'default';
  return {
    of: (container, ...fields) => {
      const own = spec.containers?.find(({ name }) => isNamed(name, container));
      for (const field of fields) {
        const source = own !== undefined && valueOfField(own, field) !== null ? sourceOf('containers') : sourceOf(field);
        if (source !== 'default') return source;
      }
      return 'default';
    },
  };
}

function isNamed(glob: string, container: string): boolean {
  const name = parseGlob(glob);
  return name.ok && matchesGlob(name.value, container);
}
