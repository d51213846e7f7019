/**
 * What was made of some object and is made anew only where something that it is made of is another object than before. The
 * informers' records are never changed in place, so identity tells. What the object is no longer, nobody keeps.
 */
export class RecordCache<Value> {
  readonly #kept = new WeakMap<object, { readonly inputs: readonly unknown[]; readonly value: Value }>();

  of(object: object, inputs: readonly unknown[], make: () => Value): Value {
    const kept = this.#kept.get(object);
    if (kept !== undefined && same(kept.inputs, inputs)) return kept.value;
    const value = make();
    this.#kept.set(object, { inputs, value });
    return value;
  }
}

function same(before: readonly unknown[], now: readonly unknown[]): boolean {
  if (before.length !== now.length) return false;
  for (let index = 0; index < now.length; index += 1) if (before[index] !== now[index]) return false;
  return true;
}
