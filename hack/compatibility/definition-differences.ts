// CustomResourceDefinitions of two versions of Evenkeel: what an upgrade would refuse or lose, and what a rollback would meet.

import { type Difference, findChangedDefaults, findRefusals, type Schema } from './schema-differences.ts';

/** As far as it decides which objects are served, and how they look. */
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

/** Where an object that the previous version stored or writes is refused by this one, loses a field, or means something else. */
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

/** Where an object of this version is not what the previous one expects of its kind; fields that are new to it are none. */
export function findRollbackDifferences(previous: readonly Definition[], present: readonly Definition[]): readonly string[] {
  return previous.flatMap((before) => {
    const now = present.find(({ metadata }) => metadata.name === before.metadata.name);
    return before.spec.versions.flatMap(({ name, schema }) => {
      const written = now?.spec.versions.find((version) => version.name === name);
      if (written === undefined) return [];
      return lines(before.spec.names.kind, name, findRefusals(written.schema.openAPIV3Schema, schema.openAPIV3Schema, 'ignored'));
    });
  });
}

function versionDifferences(kind: string, before: DefinedVersion, { spec }: Definition): readonly string[] {
  const { name } = before;
  const now = spec.versions.find((version) => version.name === name);
  if (now?.served !== true) return [`${kind} ${name}: is not served`];
  const lost = Object.keys(before.subresources ?? {}).filter((each) => !Object.hasOwn(now.subresources ?? {}, each));
  return [
    // The previous version would read and write what is stored in a version that it does not know.
    ...(before.storage && !now.storage ? [`${kind} ${name}: is not the stored version`] : []),
    ...lost.map((each) => `${kind} ${name}: has no subresource ${each}`),
    ...lines(kind, name, findRefusals(before.schema.openAPIV3Schema, now.schema.openAPIV3Schema, 'lost')),
    ...lines(kind, name, findChangedDefaults(before.schema.openAPIV3Schema, now.schema.openAPIV3Schema)),
  ];
}

function lines(kind: string, version: string, differences: readonly Difference[]): readonly string[] {
  return differences.map(({ path, message }) => `${kind} ${version}${path === '' ? '' : ` ${path}`}: ${message}`);
}
