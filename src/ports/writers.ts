import type { EffectWrite } from '../core/effects/effect.ts';
import type { RefusalCode } from '#kube/records/refusal-code';

/** What came of a write. Expected refusals are values; a broken connection is thrown. */
export type WriteOutcome =
  | { readonly kind: 'done' }
  /** Dry-run: validated by the server, not carried out. `again`: the same as was told within a day. */
  | { readonly kind: 'dry-run'; readonly again?: true }
  /** The object moved on or is gone: look again. */
  | { readonly kind: 'conflict'; readonly message: string }
  | { readonly kind: 'gone'; readonly message: string }
  /** 403 or 422: quota, LimitRange, admission, validation. `message` carries the server's words, `code` of a resize why. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string; readonly code?: RefusalCode }
  /** The gate said no: not leader, paused, stale, budget. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly message: string };

/** Writes what changes what runs: one function for all kinds of effects. Dry-run wraps this alone. */
export interface EffectWriter {
  write(effect: EffectWrite, signal: AbortSignal): Promise<WriteOutcome>;
}

/** A kind of ours, by its plural. */
export interface OwnObject {
  readonly plural: string;
  readonly namespace: string | null;
  readonly name: string;
}

/** Writes what Evenkeel keeps for itself or what a person states as intent. Dry-run does not touch it. */
export interface RecordWriter {
  /** Server-side apply of an own object's metadata and spec. */
  apply(object: OwnObject, body: object, fieldManager: string, signal?: AbortSignal): Promise<WriteOutcome & { readonly object?: unknown }>;
  /** Server-side apply of an own object's status. */
  applyStatus(object: OwnObject, status: object, fieldManager: string, signal?: AbortSignal): Promise<WriteOutcome>;
  /** Merge patch of a person's intent on an own object's spec, optionally guarded by resourceVersion. */
  patchIntent(
    object: OwnObject,
    patch: object,
    options: { readonly resourceVersion?: string; readonly dryRun?: boolean; readonly fieldManager: string },
    signal?: AbortSignal,
  ): Promise<WriteOutcome & { readonly object?: unknown }>;
  delete(object: OwnObject, signal?: AbortSignal, options?: { readonly dryRun?: boolean }): Promise<WriteOutcome>;
  /**
   * Sets (or with null removes) annotations under `evenkeel.io/` on any object. `path` is its API path. `fieldManager`
   * tells what a person asked for from what Evenkeel notes for itself (the default): an uninstall removes the latter.
   */
  annotate(
    path: string,
    annotations: Readonly<Record<string, string | null>>,
    options: { readonly resourceVersion?: string; readonly dryRun?: boolean; readonly fieldManager?: string },
    signal?: AbortSignal,
  ): Promise<WriteOutcome & { readonly object?: unknown }>;
}
