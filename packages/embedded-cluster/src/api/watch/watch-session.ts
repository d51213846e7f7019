// One watch: the initial objects or past changes, then every change as it is committed.

import { ApiStatusError, type FieldError } from '../api-error.ts';
import type { KubeObject } from '../kube-object.ts';
import { forbidden, optionsInvalid, unsupported } from '../requests/option-errors.ts';
import { notAVersion, parseResourceVersion, tooLargeResourceVersion } from '../verbs/object-lister.ts';
import type { ObjectStore, StoredChange } from '../store/object-store.ts';
import type { Selection } from '../verbs/selection/selection.ts';

export interface WatchQuery {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks: boolean;
}

/** Wire form; `object` is already in the representation that the client asked for. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

/** Representation of a session's objects: served version, table, metadata only. */
export interface WatchView {
  object(stored: KubeObject): unknown;
  bookmark(resourceVersion: string, isInitialEnd: boolean): unknown;
}

/** Throws ApiStatusError: 422 for contradictory parameters, 500 (as a real server) for an invalid version. */
export function checkWatchQuery(query: WatchQuery): void {
  const { sendInitialEvents, resourceVersionMatch: match = '' } = query;
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan')
    errors.push(forbidden(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (sendInitialEvents === undefined && match !== '')
    errors.push(forbidden(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  if (match !== '' && match !== 'NotOlderThan') errors.push(unsupported(field, match, ['NotOlderThan']));
  if (errors.length > 0) throw optionsInvalid('ListOptions', errors);
  const { resourceVersion: version = '' } = query;
  if (version !== '' && parseResourceVersion(version) === undefined) throw new ApiStatusError(500, '', notAVersion(version));
}

export class WatchSession {
  readonly #store: ObjectStore;
  readonly #selection: Selection;
  readonly #view: WatchView;
  readonly #push: (event: WatchEvent) => void;
  #stop: (() => void) | null = null;

  /** `push` is called inside commits: it must only queue. */
  constructor(store: ObjectStore, selection: Selection, view: WatchView, push: (event: WatchEvent) => void) {
    this.#store = store;
    this.#selection = selection;
    this.#view = view;
    this.#push = push;
  }

  /**
   * Sends the initial events of the query and then follows changes. false when the history does not reach back that far: an ERROR event was
   * sent and the stream must end. Throws ApiStatusError for a future version.
   */
  start(query: WatchQuery): boolean {
    const table = this.#store.table(this.#selection.resource.storageId);
    const text = query.resourceVersion ?? '';
    const since = text === '' ? 0 : (parseResourceVersion(text) ?? 0);
    if (since > this.#store.revision) throw tooLargeResourceVersion(since, this.#store.revision);
    const wantsInitial = query.sendInitialEvents ?? since === 0;
    if (wantsInitial) {
      for (const object of this.#selection.candidates(table)) {
        if (this.#selection.isSelected(object)) this.#push({ type: 'ADDED', object: this.#view.object(object) });
      }
      if (query.sendInitialEvents === true && query.allowWatchBookmarks) this.bookmark(true);
    } else if (since !== 0) {
      const missed = table.changesSince(since);
      if (missed === null) {
        this.#push({ type: 'ERROR', object: expiredStatus(since, this.#store.revision) });
        return false;
      }
      for (const change of missed) this.#onChange(change);
    }
    this.#stop = table.onCommit((change) => this.#onChange(change));
    return true;
  }

  /** Sends a bookmark with the version up to which all events were sent. */
  bookmark(isInitialEnd = false): void {
    this.#push({ type: 'BOOKMARK', object: this.#view.bookmark(String(this.#store.revision), isInitialEnd) });
  }

  stop(): void {
    this.#stop?.();
    this.#stop = null;
  }

  /** An object that starts to match is ADDED and one that stops is DELETED, whatever the change of the object. */
  #onChange(change: StoredChange): void {
    const { object, previous, type } = change;
    const was = previous !== undefined && this.#selection.isSelected(previous);
    const is = type !== 'DELETED' && this.#selection.isSelected(object);
    if (is) this.#push({ type: was ? 'MODIFIED' : 'ADDED', object: this.#view.object(object) });
    else if (was) this.#push({ type: 'DELETED', object: this.#view.object(lastSelected(change, previous)) });
  }
}

/** The last state that the client has seen, with the version of the change after which the object no longer matches. */
function lastSelected(change: StoredChange, previous: KubeObject): KubeObject {
  if (change.type === 'DELETED') return change.object;
  return { ...previous, metadata: { ...previous.metadata, resourceVersion: String(change.revision) } };
}

function expiredStatus(since: number, current: number): Record<string, unknown> {
  return new ApiStatusError(410, 'Expired', `too old resource version: ${since} (${current})`).toStatus();
}
