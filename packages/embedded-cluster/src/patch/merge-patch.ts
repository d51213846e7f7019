import { isJsonObject } from '../schema/structural-schema.ts';

/**
 * RFC 7386. Neither argument is changed; parts that the patch does not touch are shared with `current`.
 */
export function mergePatch(current: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged: Record<string, unknown> = isJsonObject(current) ? { ...current } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) {
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- null deletes
      delete merged[name];
    } else {
      merged[name] = mergePatch(merged[name], change);
    }
  }
  return merged;
}
