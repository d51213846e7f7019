/**
 * Caches a value per object until one of its inputs is another object. Identity is enough, because the informers' records are immutable.
 * Values of objects that no longer exist are garbage-collected.
 */
export class RecordCache<Value> {
  readonly #entries = new WeakMap<object, { readonly inputs: readonly unknown[]; readonly value: Value }>();

  of(object: object, inputs: readonly unknown[], compute: () => Value): Value {
    const cached = this.#entries.get(object);
    if (cached !== undefined && isIdentical(cached.inputs, inputs)) return cached.value;
    const value = compute();
    this.#entries.set(object, { inputs, value });
    return value;
  }
}

/** Whether two lists of inputs have the same values, compared by identity. */
export function isIdentical(before: readonly unknown[], current: readonly unknown[]): boolean {
  if (before.length !== current.length) return false;
  for (let index = 0; index < current.length; index += 1) if (before[index] !== current[index]) return false;
  return true;
}
