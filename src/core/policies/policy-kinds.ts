import { PLURALS } from '../../apis/v1alpha1/index.ts';

/** One kind of policy. Watches, permissions, `/policies`, `/policy-overrides` and their descriptions derive from the list of these. */
export interface PolicyKindRegistration {
  readonly kind: keyof typeof PLURALS;
  /** The name in API paths. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Fields of the spec may be overridden for a while. Of cluster-scoped kinds alone: an override names its policy without a namespace. */
  readonly overridable: boolean;
  /** Effects follow it: none is carried out before its watch is fresh, so that an object or an override that was changed meanwhile is not missed. */
  readonly gatesEffects: boolean;
}

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

/** Kinds whose fields may be overridden. */
export const OVERRIDABLE_KINDS = POLICY_KINDS.filter((each) => each.overridable).map(({ kind }) => kind);
export type OverridableKind = Extract<(typeof POLICY_KINDS)[number], { readonly overridable: true }>['kind'];
