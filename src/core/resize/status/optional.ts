/** An object with one property, or an empty one where the value is null: absent fields in a status are omitted. */
export function optional<K extends string, V>(key: K, value: V | null): Readonly<Partial<Record<K, V>>> {
  return (value === null ? {} : { [key]: value }) as Readonly<Partial<Record<K, V>>>;
}
