// What of Kubernetes' OpenAPI documents the embedded API server needs.

/** Schemas as Kubernetes publishes them, by name. */
export type PublishedSchemas = Readonly<Record<string, object>>;

/** The named schemas and all that they refer to, sorted by name. Throws for a name that no document has. */
export function extractSchemas(documents: PublishedSchemas, names: readonly string[]): PublishedSchemas {
  const extract = new Map<string, object>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (extract.has(name)) continue;
    const schema = documents[name];
    if (schema === undefined) throw new Error(`no schema ${name} in the OpenAPI documents`);
    extract.set(name, schema);
    waiting.push(...referencesOf(schema));
  }
  return Object.fromEntries([...extract].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function referencesOf(schema: object): string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1] ?? '');
}
