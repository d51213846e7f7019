// Problems of an informer: a code for control flow, and a message with the remedy.

import type { ApiFailure } from '../status.ts';

export interface InformerProblem {
  readonly code: 'unauthorized' | 'forbidden' | 'not-served' | 'failed';
  readonly message: string;
}

export function failed(message: string): InformerProblem {
  return { code: 'failed', message };
}

export function rejectedCredentials({ message }: ApiFailure): InformerProblem {
  return {
    code: 'unauthorized',
    message: `the API server rejects the credentials (${message}): is the token expired? It is reread until it is renewed`,
  };
}

/**
 * An API server refuses requests until it has read its roles, too.
 * @param namespace undefined: the kind is watched in all of them
 */
export function missingPermission(resource: string, namespace: string | undefined, { message }: ApiFailure): InformerProblem {
  const where = namespace === undefined ? 'in a ClusterRole' : `in a Role of namespace ${namespace}`;
  return {
    code: 'forbidden',
    message: `not permitted to list and watch ${resource}: grant the verbs list and watch ${where}, unless the API server has just started and not read its roles yet (${message})`,
  };
}

export function notServed(resource: string): InformerProblem {
  return { code: 'not-served', message: `${resource} is not served: its CRD is not installed (yet)` };
}
