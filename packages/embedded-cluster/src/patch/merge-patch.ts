import { isObject } from '#kube/json';

/**
 * RFC 7386. Neither argument is changed; parts that the patch does not touch are shared with `current`.
 */
export function mergePatch(current: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(current) ? { ...current } : {};
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
