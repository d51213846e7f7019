import type { Authenticator } from './authentication.ts';
import { badRequest } from '../api-error.ts';
import { isRecord } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { toTimestamp } from '../timestamp.ts';

const DEFAULT_SECONDS = 3600;
const SHORTEST_SECONDS = 600;

/** Answers a TokenRequest. Throws ApiStatusError 400 for a lifetime under ten minutes. */
export function issueToken(authenticator: Authenticator, account: KubeObject, body: unknown): object {
  const spec = isRecord(body) && isRecord(body['spec']) ? body['spec'] : {};
  const seconds = spec['expirationSeconds'] ?? DEFAULT_SECONDS;
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < SHORTEST_SECONDS)
    throw badRequest(`spec.expirationSeconds: Invalid value: ${JSON.stringify(seconds)}: may not specify a duration less than 10 minutes`);
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
