import type { EffectWrite } from '../../core/effects/effect.ts';
import type { RefusalCode } from '#kube/records/refusal-code';

/** Outcome of a write. Expected refusals are values; a broken connection throws. */
export type WriteOutcome =
  | { readonly kind: 'done' }
  /** Validated by the API server, not persisted. `again`: the same effect was recorded within a day. */
  | { readonly kind: 'dry-run'; readonly repeated?: true }
  /** The object has changed or is gone: the caller reads it and decides again. */
  | { readonly kind: 'conflict'; readonly message: string }
  | { readonly kind: 'gone'; readonly message: string }
  /** 403 or 422: quota, LimitRange, admission, validation. `message` is the API server's; `code` is the reason of a refused resize. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string; readonly code?: RefusalCode }
  /** Blocked by the effect gate: not leader, paused, stale data, budget. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly message: string };

/** Writes changes to running workloads. Dry run replaces this writer alone. */
export interface EffectWriter {
  write(effect: EffectWrite, signal: AbortSignal): Promise<WriteOutcome>;
}

/** Reference to a custom resource of Evenkeel. */
export interface OwnObject {
  readonly plural: string;
  readonly namespace: string | null;
  readonly name: string;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  /**
   * The version that the written values were decided from, as a precondition. A request that a suspended leader sent may reach the API
   * server after its successor has written.
   */
  readonly resourceVersion?: string;
}

/** Writes Evenkeel's records and the requests of users. Dry run does not affect it. */
export interface RecordWriter {
  /** Server-side apply of a custom resource's metadata and spec; it creates the object where it is missing. */
  apply(
    object: OwnObject,
    body: object,
    options: ApplyOptions,
    signal?: AbortSignal,
  ): Promise<WriteOutcome & { readonly object?: unknown }>;
  /** Server-side apply of a custom resource's status. */
  applyStatus(
    object: OwnObject,
    status: object,
    options: ApplyOptions,
    signal?: AbortSignal,
  ): Promise<WriteOutcome & { readonly object?: unknown }>;
  /** Merge patch of a user's request on a custom resource's spec, with a precondition on resourceVersion where it is given. */
  patchIntent(
    object: OwnObject,
    patch: object,
    options: { readonly resourceVersion?: string; readonly dryRun?: boolean; readonly fieldManager: string },
    signal?: AbortSignal,
  ): Promise<WriteOutcome & { readonly object?: unknown }>;
  delete(
    object: OwnObject,
    signal?: AbortSignal,
    options?: { readonly resourceVersion?: string; readonly dryRun?: boolean },
  ): Promise<WriteOutcome>;
  /**
   * Sets annotations under `evenkeel.io/` on the object at the API path; null removes one. `fieldManager` separates user
   * requests from Evenkeel's records (the default); an uninstall removes the records.
   */
  annotate(
    path: string,
    annotations: Readonly<Record<string, string | null>>,
    options: { readonly resourceVersion?: string; readonly dryRun?: boolean; readonly fieldManager?: string },
    signal?: AbortSignal,
  ): Promise<WriteOutcome & { readonly object?: unknown }>;
}
