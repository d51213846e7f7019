// Compares the CustomResourceDefinitions of two versions: what an upgrade would refuse or lose, and what a rollback would meet.

import { type Difference, findChangedDefaults, findRefusals, type Schema } from './schema-differences.ts';

/** The fields of a CRD that determine which objects are served, and their format. */
export interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly scope: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly DefinedVersion[];
  };
}

interface DefinedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources?: Readonly<Record<string, unknown>>;
  readonly schema: { readonly openAPIV3Schema: Schema };
}

/** Objects that the previous version wrote and that this one refuses, prunes or interprets differently. */
export function findUpgradeDifferences(previous: readonly Definition[], present: readonly Definition[]): readonly string[] {
  return previous.flatMap((before) => {
    const kind = before.spec.names.kind;
    const now = present.find(({ metadata }) => metadata.name === before.metadata.name);
    if (now === undefined) return [`${kind}: ${before.metadata.name} is not defined`];
    return [
      ...(before.spec.scope === now.spec.scope ? [] : [`${kind}: scope ${now.spec.scope} instead of ${before.spec.scope}`]),
      ...(now.spec.names.kind === kind ? [] : [`${kind}: kind ${now.spec.names.kind} instead`]),
      ...before.spec.versions.filter(({ served }) => served).flatMap((version) => versionDifferences(kind, version, now)),
    ];
  });
}

/** Objects of this version that the previous one does not expect; fields that are new are allowed. */
export function findRollbackDifferences(previous: readonly Definition[], present: readonly Definition[]): readonly string[] {
  return previous.flatMap((before) => {
    const now = present.find(({ metadata }) => metadata.name === before.metadata.name);
    return before.spec.versions.flatMap(({ name, schema }) => {
      const presentVersion = now?.spec.versions.find((version) => version.name === name);
      if (presentVersion === undefined) return [];
      return lines(before.spec.names.kind, name, findRefusals(presentVersion.schema.openAPIV3Schema, schema.openAPIV3Schema, 'ignored'));
    });
  });
}

function versionDifferences(kind: string, before: DefinedVersion, { spec }: Definition): readonly string[] {
  const { name } = before;
  const now = spec.versions.find((version) => version.name === name);
  if (now?.served !== true) return [`${kind} ${name}: is not served`];
  const lost = Object.keys(before.subresources ?? {}).filter((subresource) => !Object.hasOwn(now.subresources ?? {}, subresource));
  return [
    // The previous version would read and write objects that are stored in a version unknown to it.
    ...(before.storage && !now.storage ? [`${kind} ${name}: is not the stored version`] : []),
    ...lost.map((subresource) => `${kind} ${name}: has no subresource ${subresource}`),
    ...lines(kind, name, findRefusals(before.schema.openAPIV3Schema, now.schema.openAPIV3Schema, 'lost')),
    ...lines(kind, name, findChangedDefaults(before.schema.openAPIV3Schema, now.schema.openAPIV3Schema)),
  ];
}

function lines(kind: string, version: string, differences: readonly Difference[]): readonly string[] {
  return differences.map(({ path, message }) => `${kind} ${version}${path === '' ? '' : ` ${path}`}: ${message}`);
}
