// What may change in what runs, as data. Each kind is one member of the union, with one function that writes it
// (adapters/kubernetes/effect-writer.ts), its permissions (adapters/kubernetes/permissions.ts) and its messages
// (runtime/effect-messages.ts). Nothing here is a method: what is asked for can be compared, recorded and shown.

import type { JsonPatchOperation } from '../model/json-patch.ts';
import type { NamespacedRef, ObjectRef } from '../model/object-ref.ts';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { SourceName } from '../model/stale-source.ts';

/** A resize of a pod in place. */
export interface PodResize {
  readonly kind: 'resize';
  readonly target: NamespacedRef;
  readonly uid: string;
  /** Only containers that change. `from` is what was decided from and is tested by the server. */
  readonly containers: readonly { readonly name: string; readonly from: RequestsAndLimits; readonly to: RequestsAndLimits }[];
}

/** An eviction through the eviction API, which keeps disruption budgets. */
export interface PodEviction {
  readonly kind: 'evict';
  readonly target: NamespacedRef;
  readonly uid: string;
}

/** A narrow JSON patch of an autoscaler's fields, guarded by its resourceVersion. */
export interface HpaPatch {
  readonly kind: 'patchHpa';
  readonly target: NamespacedRef;
  readonly resourceVersion: string;
  readonly patch: readonly JsonPatchOperation[];
}

/** Other replicas of a workload, by its subresource `scale`. */
export interface WorkloadScale {
  readonly kind: 'scale';
  readonly target: NamespacedRef;
  /** What was decided from; the server compares. */
  readonly from: number;
  readonly to: number;
  readonly resourceVersion: string;
}

/** A restart of a workload's pods, by `kubectl.kubernetes.io/restartedAt` on its template alone. */
export interface WorkloadRestart {
  readonly kind: 'restart';
  readonly target: NamespacedRef;
  /** What was decided from: the server compares, so that one request restarts once. */
  readonly resourceVersion: string;
  /** RFC 3339. */
  readonly restartedAt: string;
  /** Of the workload itself, under `evenkeel.io/`, in the same write; null removes. */
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** What is sent to the API server. */
export type EffectWrite = PodResize | PodEviction | HpaPatch | WorkloadScale | WorkloadRestart;

export type EffectKind = EffectWrite['kind'];

/** The write of one kind. */
export type EffectWriteOf<K extends EffectKind> = Extract<EffectWrite, { readonly kind: K }>;

/**
 * What an effect is for: to end or avert harm, to follow a schedule, to act before a node is taken away, to do what a user asked for
 * on this object, or to save. Budgets and warm-up are per lane, and only reductions of `optimize` wait for the other lanes.
 */
export const LANES = ['safety', 'schedule', 'interruption', 'optimize', 'user'] as const;
export type Lane = (typeof LANES)[number];

/** Why an effect is asked for, and what the gate goes by. */
export interface EffectIntent {
  /** The object that the effect is for, of any kind: of a pod that is resized, the workload that owns it. */
  readonly owner: ObjectRef;
  readonly lane: Lane;
  /** What it was decided from: only that can hold it back when it is stale. */
  readonly reliesOn: readonly SourceName[];
  /** `reduce` takes something away (a smaller request, a replica, a running pod); `neutral` changes no amount. */
  readonly direction: 'increase' | 'reduce' | 'neutral';
  /** What changes: `main: cpu 500m → 120m`. */
  readonly change: string;
  readonly reason: string;
  /** The policy's own dry run. */
  readonly dryRun: boolean;
  /** The user who asked for it; absent: Evenkeel decided it. */
  readonly actor?: string;
  /** The caller writes the entry of the timeline, because it knows more than the gate: containers, costs. */
  readonly recordedByCaller?: true;
}

export type Effect = EffectWrite & EffectIntent;

type Urgency = Pick<EffectIntent, 'lane' | 'reliesOn' | 'direction'>;

/** Of smaller sizes and fewer replicas: the usage that they were decided from has to be current. */
export const REDUCTION: Urgency = { lane: 'optimize', reliesOn: ['informers', 'usage'], direction: 'reduce' };

/** Of larger sizes and more replicas: they follow from the status of pods, OOM kills included, and current usage could only ask for more. */
export const INCREASE: Urgency = { lane: 'safety', reliesOn: ['informers'], direction: 'increase' };

/** Of a change that is taken back: it waits for nothing, also where it lowers a value. */
export const REDUCING_ROLL_BACK: Urgency = { lane: 'safety', reliesOn: ['informers'], direction: 'reduce' };
