import { isObject, type JsonObject } from '#kube/json';

/** JSON merge patch (RFC 7386) from `before` to `after`: removed fields are null, lists are replaced. */
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
