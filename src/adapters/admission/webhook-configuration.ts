// The MutatingWebhookConfiguration for pods. The leader applies it, and removes it when admission is disabled.

import type { ApiTransport } from '#kube/api-transport';
import { objectPath, MUTATING_WEBHOOKS } from '../kubernetes/resources.ts';
import { ApiFault, failureOf, isNotFound } from '../kubernetes/status.ts';

export const WEBHOOK_CONFIGURATION = 'evenkeel-admission';
const FIELD_MANAGER = 'evenkeel';
/** A longer timeout would delay every pod creation of the cluster while Evenkeel is unavailable. */
const TIMEOUT_SECONDS = 2;

export interface WebhookTarget {
  /** A Service, or a URL where Evenkeel runs outside the cluster. */
  readonly clientConfig: { readonly url: string } | { readonly service: { name: string; namespace: string; path: string; port: number } };
  readonly ownNamespace: string;
}

/**
 * The configuration that directs pod creations to `clientConfig`, except those in kube-system and Evenkeel's namespace. @param authorities
 * PEM
 */
export function webhookConfiguration({ clientConfig, ownNamespace }: WebhookTarget, authorities: string): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: WEBHOOK_CONFIGURATION, labels: { 'app.kubernetes.io/part-of': 'evenkeel' } },
    webhooks: [
      {
        name: 'size-at-creation.evenkeel.io',
        admissionReviewVersions: ['v1'],
        clientConfig: { ...clientConfig, caBundle: Buffer.from(authorities).toString('base64') },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced' }],
        // A pod with its template's size is better than no pod.
        failurePolicy: 'Ignore',
        timeoutSeconds: TIMEOUT_SECONDS,
        sideEffects: 'None',
        matchPolicy: 'Equivalent',
        // Another webhook may set the requests first. A pod that is already sized is not changed again.
        reinvocationPolicy: 'IfNeeded',
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [...new Set(['kube-system', ownNamespace])] },
          ],
        },
      },
    ],
  };
}

/** Server-side apply, so that changes by other managers are reverted. @throws ApiFault */
export async function applyWebhookConfiguration(transport: ApiTransport, body: object, signal: AbortSignal): Promise<void> {
  const response = await transport.request({
    method: 'PATCH',
    path: objectPath(MUTATING_WEBHOOKS, null, WEBHOOK_CONFIGURATION),
    query: { fieldManager: FIELD_MANAGER, force: true },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body,
    signal,
  });
  const failure = failureOf(response);
  if (failure !== null) throw new ApiFault(`applying MutatingWebhookConfiguration ${WEBHOOK_CONFIGURATION}`, failure);
}

/** Returns whether a configuration existed. @throws ApiFault */
export async function removeWebhookConfiguration(transport: ApiTransport, signal: AbortSignal): Promise<boolean> {
  const path = objectPath(MUTATING_WEBHOOKS, null, WEBHOOK_CONFIGURATION);
  const failure = failureOf(await transport.request({ method: 'DELETE', path, signal }));
  if (failure === null) return true;
  if (isNotFound(failure)) return false;
  throw new ApiFault(`removing MutatingWebhookConfiguration ${WEBHOOK_CONFIGURATION}`, failure);
}
