import { isObject } from '#kube/json';
import type { Authenticator } from './authentication.ts';
import { invalid } from '../api-error.ts';
import type { KubeObject } from '../kube-object.ts';
import { toTimestamp } from '../timestamp.ts';

const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;

function tooShort(seconds: unknown): Error {
  const message = `Invalid value: ${JSON.stringify(seconds)}: may not specify a duration less than 10 minutes`;
  const subject = { group: 'authentication.k8s.io', kind: 'TokenRequest', plural: 'tokenrequests', name: '' };
  return invalid(subject, [{ field: 'spec.expirationSeconds', type: 'FieldValueInvalid', message }]);
}

/** Answers a TokenRequest. Throws ApiStatusError 422 for a lifetime under ten minutes. */
export function issueToken(authenticator: Authenticator, account: KubeObject, body: unknown): object {
  const spec = isObject(body) && isObject(body['spec']) ? body['spec'] : {};
  const seconds = spec['expirationSeconds'] ?? DEFAULT_SECONDS;
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < MIN_SECONDS) throw tooShort(seconds);
  const audiences = Array.isArray(spec['audiences']) ? spec['audiences'].map(String) : [];
  const { token, expiresAt } = authenticator.issue(account, audiences, seconds);
  const { name, namespace } = account.metadata;
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace },
    spec: { ...spec, audiences, expirationSeconds: seconds },
    status: { token, expirationTimestamp: toTimestamp(expiresAt) },
  };
}
