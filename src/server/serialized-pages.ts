import { entityTagOf } from './etag.ts';

/** The JSON of data, and its ETag. */
export interface Serialized {
  readonly json: string;
  readonly tag: string;
}

interface Page extends Serialized {
  readonly data: readonly unknown[];
  readonly total: number;
}

const MAX_PAGES = 64;
/** Longer pages are serialized for each read. */
const MAX_CHARACTERS = 200_000;

/**
 * The last pages with their JSON and ETags. Records are immutable, and the same objects for as long as they are unchanged: a page of the
 * same records is neither serialized nor hashed again.
 */
export class SerializedPages {
  /** By request and scope; the least recently read first. */
  readonly #pages = new Map<string, Page>();

  /** @param request identifies operation, parameters and form of the request */
  of(request: string, data: unknown, total: number, scopeKey: string, form: 'json' | 'csv'): Serialized {
    const key = JSON.stringify([request, scopeKey, form]);
    const known = this.#pages.get(key);
    this.#pages.delete(key);
    if (known?.total === total && Array.isArray(data) && isSame(data, known.data)) {
      this.#pages.set(key, known);
      return known;
    }
    const json = JSON.stringify(data);
    const tag = entityTagOf(json, total, scopeKey, form);
    if (!Array.isArray(data) || json.length > MAX_CHARACTERS) return { json, tag };
    const page: Page = { json, tag, data, total };
    this.#keep(key, page);
    return page;
  }

  #keep(key: string, page: Page): void {
    this.#pages.set(key, page);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) return;
      this.#pages.delete(oldest);
    }
  }
}

function isSame(data: readonly unknown[], known: readonly unknown[]): boolean {
  return data.length === known.length && data.every((record, index) => record === known[index] && typeof record === 'object');
}
