// managedFields, which are a large part of real objects.

/** Creation time of what exists from the start. */
export const CREATED = '2026-01-01T00:00:00Z';

export function managed(
  manager: string,
  fieldsV1: object,
  options: { readonly subresource?: string; readonly apiVersion?: string } = {},
): object {
  const { subresource, apiVersion = 'v1' } = options;
  return {
    manager,
    operation: 'Update',
    apiVersion,
    time: CREATED,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

export function fieldsOf(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [`f:${name}`, { '.': {}, 'f:type': {}, 'f:status': {}, 'f:lastProbeTime': {} }]));
}

export function emptyFields(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
}
