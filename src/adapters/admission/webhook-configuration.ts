// The MutatingWebhookConfiguration by which the API server asks us about pods: kept true by the leader, and taken away when
// admission is switched off.

import type { ApiTransport } from '#kube/api-transport';
import { objectPath, MUTATING_WEBHOOKS } from '../kubernetes/resources.ts';
import { ApiFault, failureOf, isNotFound } from '../kubernetes/status.ts';

export const WEBHOOK_CONFIGURATION = 'evenkeel-admission';
const FIELD_MANAGER = 'evenkeel';
/** Longer would hold up every pod of the cluster when we are away. */
const TIMEOUT_SECONDS = 2;

export interface WebhookTarget {
  /** Where the API server reaches us: a Service, or (from outside of the cluster) an address. */
  readonly clientConfig: { readonly url: string } | { readonly service: { name: string; namespace: string; path: string; port: number } };
  readonly ownNamespace: string;
}

/** @param authorities PEM */
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
        // A pod of the wrong size is better than none.
        failurePolicy: 'Ignore',
        timeoutSeconds: TIMEOUT_SECONDS,
        sideEffects: 'None',
        matchPolicy: 'Equivalent',
        // Where another webhook first gives a pod its requests. A pod that was sized is left alone.
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

/** Server-side apply: written again after each change by another manager. */
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

/** Whether there was one. */
export async function removeWebhookConfiguration(transport: ApiTransport, signal: AbortSignal): Promise<boolean> {
  const path = objectPath(MUTATING_WEBHOOKS, null, WEBHOOK_CONFIGURATION);
  const failure = failureOf(await transport.request({ method: 'DELETE', path, signal }));
  if (failure === null) return true;
  if (isNotFound(failure)) return false;
  throw new ApiFault(`removing MutatingWebhookConfiguration ${WEBHOOK_CONFIGURATION}`, failure);
}
