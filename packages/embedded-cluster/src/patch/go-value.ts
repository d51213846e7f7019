/** A JSON value in Go's notation, which errors of patches use. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${fields.map(([name, inner]) => `${name}:${goValue(inner)}`).join(' ')}]`;
}
