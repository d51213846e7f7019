import { PLURALS } from '../../apis/v1alpha1/index.ts';

/** A kind of policy. Watches, permissions, `/policies`, `/policy-overrides` and their descriptions derive from `POLICY_KINDS`. */
export interface PolicyKindRegistration {
  readonly kind: keyof typeof PLURALS;
  /** The name in API paths. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Whether fields of the spec can be overridden. Only for cluster-scoped kinds, because an override has no namespace. */
  readonly overridable: boolean;
  /** Whether effects depend on it: they wait until its watch is fresh, so that no change of an object or override is missed. */
  readonly gatesEffects: boolean;
}

/** All kinds of policies. */
export const POLICY_KINDS = [
  {
    kind: 'NodeScalingPolicy',
    plural: PLURALS.NodeScalingPolicy,
    namespaced: false,
    overridable: true,
    gatesEffects: false,
  },
  {
    kind: 'PodResizePolicy',
    plural: PLURALS.PodResizePolicy,
    namespaced: false,
    overridable: true,
    gatesEffects: true,
  },
  {
    kind: 'RebalancePolicy',
    plural: PLURALS.RebalancePolicy,
    namespaced: false,
    overridable: true,
    gatesEffects: false,
  },
  {
    kind: 'ScheduledScalePolicy',
    plural: PLURALS.ScheduledScalePolicy,
    namespaced: true,
    overridable: false,
    gatesEffects: false,
  },
] as const satisfies readonly PolicyKindRegistration[];

/** Kinds whose fields can be overridden. */
export const OVERRIDABLE_KINDS = POLICY_KINDS.filter((registration) => registration.overridable).map(({ kind }) => kind);
/** One of `OVERRIDABLE_KINDS`. */
export type OverridableKind = Extract<(typeof POLICY_KINDS)[number], { readonly overridable: true }>['kind'];
