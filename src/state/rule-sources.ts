import type { PodResizePolicySpec } from '../apis/v1alpha1/index.ts';
import { isGlobMatch, parseGlob } from '../core/model/names/glob.ts';
import { defaultsFrom, effectiveValues, schemaFieldDefaults } from '../core/policies/effective-values.ts';
import { valueOfField, type PolicyOverride } from '../core/policies/policy-overrides.ts';
import type { RuleSources } from '../core/resize/policy/container-rules.ts';
import { podResizeDefaults } from '../core/resize/policy/pod-resize-defaults.ts';

/** Sources without a policy: every value is a default. */
export const ALL_DEFAULTS: RuleSources = { of: () => 'default' };

/** Sources of a policy's values, equal to those in `/policies`. */
export function ruleSources(spec: PodResizePolicySpec, overrides: readonly PolicyOverride[]): RuleSources {
  const defaults = { ...schemaFieldDefaults('PodResizePolicy'), ...defaultsFrom('default', podResizeDefaults()) };
  const effective = effectiveValues({ ...spec }, overrides, defaults);
  const sourceOf = (field: string) => effective[field]?.source ?? 'default';
  return {
    of: (container, ...fields) => {
      const entry = spec.containers?.find(({ name }) => isNamed(name, container));
      for (const field of fields) {
        const source = entry !== undefined && valueOfField(entry, field) !== null ? sourceOf('containers') : sourceOf(field);
        if (source !== 'default') return source;
      }
      return 'default';
    },
  };
}

function isNamed(glob: string, container: string): boolean {
  const name = parseGlob(glob);
  return name.ok && isGlobMatch(name.value, container);
}
