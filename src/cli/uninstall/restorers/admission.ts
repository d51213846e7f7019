// Removes the admission webhook: first its configuration, so that the API server never calls a missing server, then its certificate.

import { ADMISSION_SECRET } from '../../../adapters/admission/certificate-secret.ts';
import { WEBHOOK_CONFIGURATION } from '../../../adapters/admission/webhook-configuration.ts';
import type { Permission } from '../../../adapters/kubernetes/access/permissions.ts';
import { MUTATING_WEBHOOKS, SECRETS, type ApiResource } from '../../../adapters/kubernetes/resources.ts';
import { RECORD_KEY_SECRET } from '../../../adapters/kubernetes/write/record-key.ts';
import { nameOf, type ClusterAccess } from '../cluster-access.ts';
import { isAlwaysEnabled, type RestorerRegistration } from '../registration.ts';
import type { Finding, Restorer } from '../restorer.ts';

function admissionRestorer(cluster: ClusterAccess, namespace: string): Restorer {
  return {
    name: 'admission webhook removed',
    async *find(signal) {
      yield* found(cluster, MUTATING_WEBHOOKS, null, WEBHOOK_CONFIGURATION, signal);
      yield* found(cluster, SECRETS, namespace, ADMISSION_SECRET, signal);
    },
  };
}

/** The key is removed last, since records that it signed are read until then. */
function recordKeyRestorer(cluster: ClusterAccess, namespace: string): Restorer {
  return { name: 'record key removed', find: (signal) => found(cluster, SECRETS, namespace, RECORD_KEY_SECRET, signal) };
}

export async function* found(
  cluster: ClusterAccess,
  resource: ApiResource,
  namespace: string | null,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const head = await cluster.find(resource, namespace, name, signal);
  if (head === null || head.isBeingDeleted) return;
  yield { kind: 'change', object: nameOf(resource, head), change: 'deleted', carryOut: (until) => cluster.delete(resource, head, until) };
}

const SOURCE = 'src/cli/uninstall/restorers/admission.ts';

export const ADMISSION: RestorerRegistration = {
  name: 'admission',
  permissions: [
    {
      resource: MUTATING_WEBHOOKS,
      verbs: ['get', 'delete'],
      scope: 'cluster',
      names: [WEBHOOK_CONFIGURATION],
      when: 'always',
      why: 'deleting the configuration of the admission webhook, which no replica serves any longer',
      by: SOURCE,
    },
    secretDeleted(ADMISSION_SECRET, 'deleting its certificate'),
  ],
  isEnabled: isAlwaysEnabled,
  create: ({ cluster, namespace }) => admissionRestorer(cluster, namespace),
};

export const RECORD_KEY: RestorerRegistration = {
  name: 'record-key',
  permissions: [secretDeleted(RECORD_KEY_SECRET, 'deleting the record key, once everything that records describe is restored')],
  isEnabled: isAlwaysEnabled,
  removesRecords: true,
  create: ({ cluster, namespace }) => recordKeyRestorer(cluster, namespace),
};

function secretDeleted(name: string, why: string): Permission {
  return { resource: SECRETS, verbs: ['get', 'delete'], scope: 'own', names: [name], when: 'always', why, by: SOURCE };
}
