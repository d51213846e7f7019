import type { Changes } from '../../ports/changes.ts';
import type { ReadSources } from '../sources.ts';

/** Every item has changed, or may have. */
export const ALL = Symbol('all items');

/** The items that a change affects; null: none. */
type Affected = string | typeof ALL | null;

/**
 * Beyond this number all items are evaluated. More than change while that takes: of 150,000 pods, which takes 8 s, 20,000 report usage meanwhile,
 * and evaluating all of them again would never end.
 */
export const MAX_KEYS = 50_000;

/** The keys of items that have changed since they were last taken. */
export class ChangedKeys {
  #keys = new Set<string>();
  #isAll = true;
  readonly #sources: Source[] = [];

  /** Takes note of the changes of a source from the first `take` on. */
  follow<Change>(changes: Changes<Change>, affected: (change: Change) => Affected): void {
    const source: Source = {
      revision: () => changes.revision(),
      subscribe: () =>
        changes.subscribe((change) => {
          source.reported += 1;
          this.#add(affected(change));
        }),
      cancel: null,
      reported: 0,
    };
    this.#sources.push(source);
  }

  /** Returns the keys and begins again. ALL at first, and where a source has changed without a report. */
  take(): Set<string> | typeof ALL {
    let isAll = this.#isAll;
    for (const source of this.#sources) {
      source.cancel ??= source.subscribe();
      const revision = source.revision();
      if (revision !== source.reported) isAll = true;
      source.reported = revision;
    }
    const keys = this.#keys;
    this.#keys = new Set();
    this.#isAll = false;
    return isAll ? ALL : keys;
  }

  /** Ends the subscriptions; `take` begins them again, with ALL. */
  close(): void {
    this.#keys.clear();
    this.#isAll = true;
    for (const source of this.#sources) {
      source.cancel?.();
      source.cancel = null;
    }
  }

  #add(affected: Affected): void {
    if (affected === ALL || this.#keys.size > MAX_KEYS) {
      // Until the next `take`, further changes add nothing.
      this.close();
    } else if (affected !== null) this.#keys.add(affected);
  }
}

/** Workloads whose record, Recommendation or decision has changed. */
export function changedDecisions({ cluster, decisions }: Pick<ReadSources, 'cluster' | 'decisions'>): ChangedKeys {
  const changed = new ChangedKeys();
  changed.follow(cluster, (change) => {
    if (change.kind === 'recommendation') return change.workload;
    return change.kind === 'workload' ? change.key : null;
  });
  changed.follow(decisions.changes, (workload) => workload);
  return changed;
}

interface Source {
  revision(): number;
  subscribe(): () => void;
  /** null while there is no subscription. */
  cancel: (() => void) | null;
  /** The revision that follows from the reported changes. */
  reported: number;
}
