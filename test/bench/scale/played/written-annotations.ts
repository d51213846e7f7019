/** Annotations after a merge patch: null removes one. */
export function replacedAnnotations(
  before: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> {
  const after: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...before, ...changes })) if (value !== null) after[name] = value;
  return after;
}
