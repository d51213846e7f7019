import type { KubeObject } from '../kube-object.ts';

/**
 * Objects by key, read in key order (the order in which etcd lists). The list is kept until the next change, so that
 * components may list as often as they like.
 */
export class SortedObjects {
  readonly #byKey = new Map<string, KubeObject>();
  readonly #keys: string[] = [];
  #values: readonly KubeObject[] | null = null;

  get size(): number {
    return this.#keys.length;
  }

  get(key: string): KubeObject | undefined {
    return this.#byKey.get(key);
  }

  set(key: string, object: KubeObject): void {
    if (!this.#byKey.has(key)) this.#keys.splice(this.#position(key), 0, key);
    this.#byKey.set(key, object);
    this.#values = null;
  }

  delete(key: string): void {
    if (!this.#byKey.delete(key)) return;
    this.#keys.splice(this.#position(key), 1);
    this.#values = null;
  }

  /** In key order; never changed after it was handed out. */
  values(): readonly KubeObject[] {
    this.#values ??= this.#keys.map((key) => this.#byKey.get(key)).filter((object) => object !== undefined);
    return this.#values;
  }

  /** Index of the first key that is not less than `key`. */
  #position(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
