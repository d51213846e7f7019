/**
 * A set of fields in its wire form (`fieldsV1`): a tree whose keys are path elements (`f:name`, `k:{"name":"a"}`,
 * `v:"x"`). A node is a member of the set when it is empty or holds `.`; the root never is. The wire form is used directly,
 * immutable and with shared branches, since objects carry it and it is read on every write.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

const LEAF: FieldSet = Object.freeze({});

/** The set without members. */
export const NO_FIELDS: FieldSet = LEAF;

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether a node below the root is a member of the set, not only part of a path. */
export function isMember(node: FieldSet): boolean {
  return '.' in node || isEmptySet(node);
}

/** A node from its parts; undefined when it is empty. */
export function fieldNode(member: boolean, children: Readonly<Record<string, FieldSet>>): FieldSet | undefined {
  if (isEmptySet(children)) return member ? LEAF : undefined;
  return member ? { '.': LEAF, ...children } : children;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a)) return b;
  return isEmptySet(b) ? a : combine(a, b, (inA, inB) => inA || inB, true, true);
}

/** Members of `a` that are not in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) return a;
  return combine(a, b, (inA, inB) => inA && !inB, true, false);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && inB, false, false);
}

/** Removes each member of `b` with everything below it. */
export function withoutBranches(a: FieldSet, b: FieldSet): FieldSet {
  const kept: Record<string, FieldSet> = {};
  for (const element in a) {
    const mine = a[element];
    const theirs = b[element];
    if (mine === undefined || element === '.') continue;
    if (theirs === undefined) kept[element] = mine;
    else if (!isMember(theirs)) {
      const inner = fieldNode(isMember(mine), withoutBranches(mine, theirs));
      if (inner !== undefined) kept[element] = inner;
    }
  }
  return kept;
}

function combine(
  a: FieldSet,
  b: FieldSet,
  isKept: (inA: boolean, inB: boolean) => boolean,
  keepsOnlyA: boolean,
  keepsOnlyB: boolean,
): Record<string, FieldSet> {
  const result: Record<string, FieldSet> = {};
  for (const element in a) {
    if (element === '.') continue;
    const mine = a[element];
    const theirs = b[element];
    if (mine === undefined) continue;
    if (theirs === undefined) {
      if (keepsOnlyA) result[element] = mine;
      continue;
    }
    const children = combine(mine, theirs, isKept, keepsOnlyA, keepsOnlyB);
    const node = fieldNode(isKept(isMember(mine), isMember(theirs)), children);
    if (node !== undefined) result[element] = node;
  }
  if (!keepsOnlyB) return result;
  for (const element in b) {
    const theirs = b[element];
    if (element !== '.' && theirs !== undefined && !(element in a)) result[element] = theirs;
  }
  return result;
}

/** The same set with elements in the order in which Kubernetes prints them. */
export function sortedSet(set: FieldSet): FieldSet {
  const sorted: Record<string, FieldSet> = {};
  for (const element of Object.keys(set).sort()) {
    const inner = set[element];
    if (inner !== undefined) sorted[element] = sortedSet(inner);
  }
  return sorted;
}

export function isSameSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let count = 0;
  for (const element in a) {
    const mine = a[element];
    const theirs = b[element];
    if (mine === undefined || theirs === undefined || !isSameSet(mine, theirs)) return false;
    count++;
  }
  return count === Object.keys(b).length;
}

/** Paths of all members as Kubernetes prints them, `.spec.containers[name="a"].image`, sorted. */
export function pathsOf(set: FieldSet): string[] {
  const paths: string[] = [];
  collect(set, '');
  return paths.sort();

  function collect(node: FieldSet, path: string): void {
    for (const [element, inner] of Object.entries(node)) {
      if (element === '.') continue;
      const at = `${path}${printElement(element)}`;
      if (isMember(inner)) paths.push(at);
      collect(inner, at);
    }
  }
}

function printElement(element: string): string {
  const text = element.slice(2);
  if (element.startsWith('f:')) return `.${text}`;
  if (element.startsWith('v:')) return `[=${text}]`;
  if (element.startsWith('i:')) return `[${text}]`;
  return keyText(JSON.parse(text) as Record<string, unknown>);
}

/** An item by its keys, as Kubernetes prints it: `[name="a"]`. */
export function keyText(keys: Readonly<Record<string, unknown>>): string {
  return `[${Object.entries(keys)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',')}]`;
}
