import { type ApiStatusError, badRequest, conflict } from '../../api/api-error.ts';
import type { SubresourceAction } from '../../api/strategy.ts';
import { toTimestamp } from '../../api/timestamp.ts';
import type { Pod } from '../../actors/wire/pod.ts';

/** POST pods/{name}/binding: the scheduler's word, said once. */
export const bindPod: SubresourceAction = (target, body, { cluster, now, dryRun }) => {
  const pod = target as Pod;
  const { namespace = '', name } = pod.metadata;
  const node = nodeOf(body);
  const refuse = (why: string): ApiStatusError => conflict({ group: '', kind: 'Pod', plural: 'pods/binding', name }, why);
  if (pod.metadata.deletionTimestamp !== undefined) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if ((pod.spec.nodeName ?? '') !== '') throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  if ((pod.spec.schedulingGates ?? []).length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  if (!dryRun) {
    cluster.modifySubresource('pods', namespace, name, 'binding', (draft) => {
      (draft as Pod).spec.nodeName = node;
    });
    cluster.modifyStatus('pods', namespace, name, (draft) => {
      const { status } = draft as Pod;
      const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
      status.conditions = [...others, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: toTimestamp(now) }];
    });
  }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
};

function nodeOf(body: Record<string, unknown>): string {
  const target = body['target'] as { kind?: unknown; name?: unknown } | undefined;
  const kind = target?.kind ?? 'Node';
  if (kind !== 'Node' && kind !== '') throw badRequest('target.kind: a pod can be bound to a Node alone');
  const name = target?.name;
  if (typeof name !== 'string' || name === '') throw badRequest('target.name: Required value: name the node to bind to');
  return name;
}
