/** Numbers for values: equal content, equal number. A value that was seen before is found by identity, without reading it. */
export class Interner {
  readonly #byObject = new WeakMap<object, number>();
  readonly #byText = new Map<string, number>();

  get size(): number {
    return this.#byText.size;
  }

  /** @param value plain data, or a map; the order of its parts counts */
  idOf(value: object): number {
    const known = this.#byObject.get(value);
    if (known !== undefined) return known;
    const id = this.idOfText(JSON.stringify(value instanceof Map ? [...(value as ReadonlyMap<unknown, unknown>)] : value));
    this.#byObject.set(value, id);
    return id;
  }

  idOfText(text: string): number {
    let id = this.#byText.get(text);
    if (id === undefined) this.#byText.set(text, (id = this.#byText.size));
    return id;
  }
}
