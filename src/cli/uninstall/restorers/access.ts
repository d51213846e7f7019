// Removes what sign-in needs: session keys, ended sessions, the local admin and API keys. The AccessPolicy is the user's, and stays.

import { ENDED_SESSIONS_SECRET, LOCAL_ADMIN_SECRET, SESSION_KEYS_SECRET } from '../../../adapters/kubernetes/credentials/access-secrets.ts';
import { isAllowed } from '../../../adapters/kubernetes/access/access-review.ts';
import { SECRETS } from '../../../adapters/kubernetes/resources.ts';
import { LABELS } from '../../../apis/annotations.ts';
import { nameOf, type ClusterAccess } from '../cluster-access.ts';
import { isAlwaysEnabled, type RestorerRegistration } from '../registration.ts';
import type { Restorer } from '../restorer.ts';
import { found } from './admission.ts';

const BY_HAND = `delete them by kubectl delete secret -l ${LABELS.apiKey}`;
const NAMES = [ENDED_SESSIONS_SECRET, LOCAL_ADMIN_SECRET, SESSION_KEYS_SECRET];

function accessRestorer(cluster: ClusterAccess, namespace: string): Restorer {
  return {
    name: 'sessions and API keys removed',
    async *find(signal) {
      let wasEnabled = false;
      for (const name of NAMES) {
        for await (const finding of found(cluster, SECRETS, namespace, name, signal)) {
          wasEnabled = true;
          yield finding;
        }
      }
      // Granted with auth.enabled alone. Keys that stay are hashes of an installation that is gone.
      const isListable = await isAllowed(cluster.transport, { verb: 'list', group: '', resource: SECRETS.plural, namespace }, signal);
      if (!isListable) {
        if (wasEnabled)
          yield { kind: 'keep', object: `API keys in ${namespace}`, why: `not permitted to list Secrets; ${BY_HAND} -n ${namespace}` };
        return;
      }
      for await (const head of cluster.list(SECRETS, signal, { namespace, labelSelector: LABELS.apiKey })) {
        if (head.isBeingDeleted) continue;
        yield {
          kind: 'change',
          object: nameOf(SECRETS, head),
          change: 'deleted',
          carryOut: (until) => cluster.delete(SECRETS, head, until),
        };
      }
    },
  };
}

const SOURCE = 'src/cli/uninstall/restorers/access.ts';

export const ACCESS: RestorerRegistration = {
  name: 'access',
  permissions: [
    {
      resource: SECRETS,
      verbs: ['get', 'delete'],
      scope: 'own',
      names: NAMES,
      when: 'always',
      why: 'deleting the keys of sessions and the password of the local admin',
      by: SOURCE,
    },
    {
      resource: SECRETS,
      verbs: ['list', 'delete'],
      scope: 'own',
      when: 'config.auth.enabled',
      why: 'deleting API keys, which have random names',
      by: SOURCE,
    },
  ],
  isEnabled: isAlwaysEnabled,
  create: ({ cluster, namespace }) => accessRestorer(cluster, namespace),
};
