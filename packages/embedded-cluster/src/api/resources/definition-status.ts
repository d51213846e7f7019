// Status of a CustomResourceDefinition: its accepted names, and whether it is served.

import { isObject } from '#kube/json';
import { readPath } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import type { ServedResource } from './served-resources.ts';

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

export interface NameConflict {
  readonly reason: 'PluralConflict' | 'SingularConflict' | 'KindConflict' | 'ListKindConflict' | 'ShortNamesConflict';
  readonly message: string;
}

interface Names {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
}

/** Whether a condition of a definition is True. */
export function hasTrueCondition(definition: KubeObject, type: string): boolean {
  return conditionsOf(definition).some((condition) => condition.type === type && condition.status === 'True');
}

/** The first name of a definition that another resource of its group already has. */
export function nameConflict(
  definition: KubeObject,
  definitions: readonly KubeObject[],
  served: Iterable<ServedResource>,
): NameConflict | null {
  const group = readPath(definition, ['spec', 'group']);
  const own = namesOf(definition);
  const others: Names[] = definitions
    .filter((other) => other.metadata.name !== definition.metadata.name && readPath(other, ['spec', 'group']) === group)
    .map(namesOf);
  for (const { descriptor, custom } of served) if (!custom && descriptor.group === group) others.push(descriptor);
  for (const other of others) {
    const words = [other.plural, other.singular, ...other.shortNames];
    const taken = (reason: NameConflict['reason'], name: string): NameConflict => ({
      reason,
      message: `${JSON.stringify(name)} is already in use`,
    });
    if (words.includes(own.plural)) return taken('PluralConflict', own.plural);
    if (words.includes(own.singular)) return taken('SingularConflict', own.singular);
    const short = own.shortNames.find((name) => words.includes(name));
    if (short !== undefined) return taken('ShortNamesConflict', short);
    const kinds = [other.kind, other.listKind];
    if (kinds.includes(own.kind)) return taken('KindConflict', own.kind);
    if (kinds.includes(own.listKind)) return taken('ListKindConflict', own.listKind);
  }
  return null;
}

/** Computed immediately: a definition without conflicts is established when it is stored. */
export function definitionStatus(definition: KubeObject, old: KubeObject | undefined, conflict: NameConflict | null, time: string): object {
  const before = old === undefined ? [] : conditionsOf(old);
  const condition = (type: string, isTrue: boolean, reason: string, message: string): Condition => {
    const status = isTrue ? 'True' : 'False';
    const same = before.find((earlier) => earlier.type === type && earlier.status === status);
    return { type, status, lastTransitionTime: same?.lastTransitionTime ?? time, reason, message };
  };
  const wasEstablished = before.some(({ type, status }) => type === 'Established' && status === 'True');
  const established = conflict === null || wasEstablished;
  return {
    conditions: [
      conflict === null
        ? condition('NamesAccepted', true, 'NoConflicts', 'no conflicts found')
        : condition('NamesAccepted', false, conflict.reason, conflict.message),
      established
        ? condition('Established', true, 'InitialNamesAccepted', 'the initial names have been accepted')
        : condition('Established', false, 'NotAccepted', 'not all names are accepted'),
    ],
    acceptedNames: conflict === null ? acceptedNames(definition) : (readPath(old, ['status', 'acceptedNames']) ?? { plural: '', kind: '' }),
    storedVersions: storedVersions(definition, old),
  };
}

function acceptedNames(definition: KubeObject): object {
  const { plural, singular, kind, listKind, shortNames } = namesOf(definition);
  const categories = readPath(definition, ['spec', 'names', 'categories']);
  return {
    plural,
    singular,
    kind,
    listKind,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(Array.isArray(categories) && categories.length > 0 ? { categories } : {}),
  };
}

/** Every version in which stored objects may be. */
function storedVersions(definition: KubeObject, old: KubeObject | undefined): readonly string[] {
  const before = readPath(old, ['status', 'storedVersions']);
  const versions = readPath(definition, ['spec', 'versions']);
  const now = (Array.isArray(versions) ? versions : []).filter(isObject).filter((version) => version['storage'] === true);
  return [...new Set([...(Array.isArray(before) ? before.map(String) : []), ...now.map((version) => String(version['name']))])];
}

function namesOf(definition: KubeObject): Names {
  const names = readPath(definition, ['spec', 'names']);
  const given = isObject(names) ? names : {};
  const text = (field: string): string => (typeof given[field] === 'string' ? given[field] : '');
  const kind = text('kind');
  return {
    plural: text('plural'),
    singular: text('singular') || kind.toLowerCase(),
    kind,
    listKind: text('listKind') || `${kind}List`,
    shortNames: Array.isArray(given['shortNames']) ? given['shortNames'].map(String) : [],
  };
}

function conditionsOf(definition: KubeObject): readonly Condition[] {
  const conditions = readPath(definition, ['status', 'conditions']);
  return Array.isArray(conditions) ? (conditions as readonly Condition[]) : [];
}
