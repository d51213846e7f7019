/** A property that is left out where there is nothing to say: absent, never null. */
export function optional<K extends string, V>(key: K, value: V | null): Readonly<Partial<Record<K, V>>> {
  return (value === null ? {} : { [key]: value }) as Readonly<Partial<Record<K, V>>>;
}
