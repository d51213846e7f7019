import { isObject, type JsonObject } from '#kube/json';

/** The merge patch that makes one object of the other: what is gone is null, lists are replaced as a whole. */
export function mergePatchFrom(before: JsonObject, after: JsonObject): JsonObject {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
  for (const [key, value] of Object.entries(after)) {
    const was = before[key];
    if (isObject(was) && isObject(value)) {
      const inside = mergePatchFrom(was, value);
      if (Object.keys(inside).length > 0) patch[key] = inside;
    } else if (JSON.stringify(was) !== JSON.stringify(value)) patch[key] = value;
  }
  return patch;
}
