// Changes to running workloads, as data, so that they can be compared, recorded and shown. Each kind is a member of the union
// with a function that writes it (adapters/kubernetes/write/effect-writer.ts), permissions (adapters/kubernetes/access/permissions.ts)
// and messages (runtime/effects/effect-messages.ts).

import type { JsonPatchOperation } from '../model/encoding/json-patch.ts';
import type { NamespacedRef, ObjectRef } from '../model/object-ref.ts';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { SourceName } from '../model/stale-source.ts';

/** In-place resize of a pod. */
export interface PodResize {
  readonly kind: 'resize';
  readonly target: NamespacedRef;
  readonly uid: string;
  /** Containers that change. The API server tests `from`, the values of the decision, as a precondition. */
  readonly containers: readonly { readonly name: string; readonly from: RequestsAndLimits; readonly to: RequestsAndLimits }[];
}

/** Eviction by the eviction API, which respects disruption budgets. */
export interface PodEviction {
  readonly kind: 'evict';
  readonly target: NamespacedRef;
  readonly uid: string;
}

/** JSON patch of single fields of a HorizontalPodAutoscaler, with its resourceVersion as a precondition. */
export interface HpaPatch {
  readonly kind: 'patchHpa';
  readonly target: NamespacedRef;
  readonly resourceVersion: string;
  readonly patch: readonly JsonPatchOperation[];
}

/** Change of a workload's replicas by the subresource `scale`. */
export interface WorkloadScale {
  readonly kind: 'scale';
  readonly target: NamespacedRef;
  /** Replicas at the decision; the API server tests the resourceVersion. */
  readonly from: number;
  readonly to: number;
  readonly resourceVersion: string;
}

/** Restart of a workload's pods by `kubectl.kubernetes.io/restartedAt` on its template. */
export interface WorkloadRestart {
  readonly kind: 'restart';
  readonly target: NamespacedRef;
  /** Precondition, so that one request restarts once. */
  readonly resourceVersion: string;
  /** RFC 3339. */
  readonly restartedAt: string;
  /** Annotations of the workload under `evenkeel.io/` in the same write; null removes one. */
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** A write to the API server. */
export type EffectWrite = PodResize | PodEviction | HpaPatch | WorkloadScale | WorkloadRestart;

/** Discriminator of `EffectWrite`. */
export type EffectKind = EffectWrite['kind'];

/** The write of one kind. */
export type EffectWriteOf<K extends EffectKind> = Extract<EffectWrite, { readonly kind: K }>;

/**
 * Purposes of effects: `safety` ends or prevents failures, `schedule` follows a schedule, `interruption` precedes the loss of a
 * node, `user` carries out a user request, `optimize` saves cost. Budgets and warm-up are per lane; only reductions of
 * `optimize` wait for the other lanes.
 */
export const LANES = ['safety', 'schedule', 'interruption', 'optimize', 'user'] as const;
/** One of `LANES`. */
export type Lane = (typeof LANES)[number];

/** Reason of an effect, and the inputs of the gate. */
export interface EffectIntent {
  /** The object that the effect is for; for the resize of a pod the workload that owns it. */
  readonly owner: ObjectRef;
  readonly lane: Lane;
  /** Sources of the decision: the effect is blocked while one of them is stale. */
  readonly reliesOn: readonly SourceName[];
  /** `reduce` lowers a request, or removes a replica or a running pod; `neutral` changes no amount. */
  readonly direction: 'increase' | 'reduce' | 'neutral';
  /** Summary of the change: `main: cpu 500m → 120m`. */
  readonly change: string;
  readonly reason: string;
  /** Whether the policy is in dry run. */
  readonly dryRun: boolean;
  /** The user who requested it; absent: Evenkeel decided it. */
  readonly actor?: string;
  /** Further fields of the log line, such as the usage and the policy. */
  readonly logFields?: Readonly<Record<string, string>>;
  /** The caller writes the entry of the timeline with containers and costs, which the gate does not have. */
  readonly recordedByCaller?: true;
}

/** A write with its reason. */
export type Effect = EffectWrite & EffectIntent;

type Urgency = Pick<EffectIntent, 'lane' | 'reliesOn' | 'direction'>;

/** Smaller sizes and fewer replicas: they need current usage. */
export const REDUCTION: Urgency = { lane: 'optimize', reliesOn: ['informers', 'usage'], direction: 'reduce' };

/** Larger sizes and more replicas: they follow from the status of pods, including OOM kills; current usage could only raise them. */
export const INCREASE: Urgency = { lane: 'safety', reliesOn: ['informers'], direction: 'increase' };

/** Roll-back of an increase: it waits for nothing although it lowers a value. */
export const REDUCING_ROLL_BACK: Urgency = { lane: 'safety', reliesOn: ['informers'], direction: 'reduce' };
