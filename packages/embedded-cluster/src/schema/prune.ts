import { isObject } from '#kube/json';
import type { SchemaResolver, StructuralSchema } from './structural-schema.ts';
import { dereference, fieldSchema, isPreservingUnknownFields } from './structural-schema.ts';

/**
 * Prunes undeclared fields, in place, and returns their paths (`spec.foo`), which strict field validation turns into errors and `Warn` into
 * warnings. Metadata of an embedded resource is kept whole.
 */
export function prune(schema: StructuralSchema, value: unknown, resolve: SchemaResolver): string[] {
  const dropped: string[] = [];
  visit(schema, value, '', true);
  return dropped;

  function visit(reference: StructuralSchema, at: unknown, path: string, root: boolean): void {
    const node = dereference(reference, resolve);
    if (Array.isArray(at)) {
      if (node.items === undefined) return;
      for (let index = 0; index < at.length; index++) visit(node.items, at[index], `${path}[${index}]`, false);
      return;
    }
    if (isObject(at)) visitObject(node, at, path, root);
  }

  function visitObject(node: StructuralSchema, at: Record<string, unknown>, path: string, root: boolean): void {
    const keepsUnknown = isPreservingUnknownFields(node);
    const isResource = root || node['x-kubernetes-embedded-resource'] === true;
    for (const name of Object.keys(at)) {
      const field = fieldSchema(node, name);
      const fieldPath = path === '' ? name : `${path}.${name}`;
      if (field !== undefined) {
        // A custom resource's schema has `metadata: {type: object}`; the server defines its fields.
        if (isResource && name === 'metadata' && field.$ref === undefined) continue;
        visit(field, at[name], fieldPath, false);
      } else if (!keepsUnknown && !(isResource && RESOURCE_FIELDS.has(name))) {
        dropped.push(fieldPath);
        // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- pruning is deleting
        delete at[name];
      }
    }
  }
}

const RESOURCE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
