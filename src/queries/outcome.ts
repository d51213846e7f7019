import type { Warning } from '../apis/http/types.generated.ts';
import type { Instant } from '#kube/units';

/** One page of a list. */
export interface Page<Item, Summary = undefined> {
  readonly kind: 'page';
  readonly items: readonly Item[];
  /** How many matched before paging. */
  readonly total: number;
  /** Continues the list; null on the last page. */
  readonly nextCursor: string | null;
  readonly summary?: Summary;
  readonly cachedAt?: Instant;
  readonly warnings?: readonly Warning[];
}

/** One object. */
export interface Found<Item, Summary = undefined> {
  readonly kind: 'found';
  readonly item: Item;
  readonly summary?: Summary;
  readonly cachedAt?: Instant;
  readonly warnings?: readonly Warning[];
}

export function found<Item>(item: Item, warnings: readonly Warning[] = []): Found<Item> {
  return warnings.length === 0 ? { kind: 'found', item } : { kind: 'found', item, warnings };
}
