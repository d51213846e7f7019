// What keeps an informer from its work, in words that say what mends it.

import type { ApiFailure } from './status.ts';

export function unknownCredentials({ message }: ApiFailure): string {
  return `the API server does not know us (${message}): is the token expired? It is read again until it is renewed`;
}

/** @param namespace undefined: the kind is watched in all of them */
export function missingPermission(resource: string, namespace: string | undefined, { message }: ApiFailure): string {
  const where = namespace === undefined ? 'in a ClusterRole' : `in a Role of namespace ${namespace}`;
  return `not permitted to list and watch ${resource}: grant the verbs list and watch ${where} (${message})`;
}

export function notServed(resource: string): string {
  return `${resource} is not served: its CRD is not installed (yet)`;
}
