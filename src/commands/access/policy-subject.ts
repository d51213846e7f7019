import { PLURALS } from '../../apis/v1alpha1/index.ts';
import type { EventSubject } from '../../ports/cluster/event-recorder.ts';
import type { CommandPorts } from '../context.ts';

const POLICY = { apiVersion: 'evenkeel.io/v1alpha1', kind: 'AccessPolicy', namespace: null, name: 'default' } as const;

/** The AccessPolicy as the subject of Events about access. */
export function policySubject({ cluster }: Pick<CommandPorts, 'cluster'>): EventSubject {
  for (const object of cluster.ownObjects(PLURALS.AccessPolicy)) {
    const { name, uid } = object['metadata'] as { readonly name: string; readonly uid?: string };
    if (name === POLICY.name) return { ...POLICY, uid: uid ?? '' };
  }
  return { ...POLICY, uid: '' };
}
