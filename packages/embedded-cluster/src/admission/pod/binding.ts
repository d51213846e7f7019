import { type ApiStatusError, badRequest, conflict, fault } from '../../api/api-error.ts';
import type { ClusterAccess } from '../../api/cluster-access.ts';
import type { SubresourceAction } from '../../api/strategy.ts';
import { toTimestamp } from '../../api/timestamp.ts';
import type { Pod } from '../../controllers/wire/pod.ts';

/** POST pods/{name}/binding: the scheduler's assignment, which cannot change. */
export const bindPod: SubresourceAction = (target, body, { cluster, now, dryRun }) => {
  const pod = target as Pod;
  const { namespace = '', name } = pod.metadata;
  const { name: asked, annotations } = (body['metadata'] ?? {}) as { name?: unknown; annotations?: Record<string, string> };
  if (asked !== name) throw badRequest('name in URL does not match name in Binding object');
  const node = nodeOf(body);
  const refuse = (why: string): ApiStatusError => conflict({ group: '', kind: 'Pod', plural: 'pods/binding', name }, why);
  if (pod.metadata.deletionTimestamp !== undefined) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if ((pod.spec.nodeName ?? '') !== '') throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  if ((pod.spec.schedulingGates ?? []).length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  if (!dryRun) {
    cluster.modifySubresource('pods', namespace, name, 'binding', (draft) => {
      (draft as Pod).spec.nodeName = node;
    });
    if (annotations !== undefined) annotate(cluster, namespace, name, annotations);
    cluster.modifyStatus('pods', namespace, name, (draft) => {
      const { status } = draft as Pod;
      const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
      status.conditions = [...others, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: toTimestamp(now) }];
    });
  }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
};

/** Conditions and annotations that the scheduler sets together with the node. */
function annotate(cluster: ClusterAccess, namespace: string, name: string, annotations: Readonly<Record<string, string>>): void {
  cluster.modify('pods', namespace, name, ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, ...annotations };
  });
}

function nodeOf(body: Record<string, unknown>): string {
  const target = body['target'] as { kind?: unknown; name?: unknown } | undefined;
  const kind = target?.kind ?? 'Node';
  if (kind !== 'Node' && kind !== '')
    throw fault(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`);
  const name = target?.name;
  if (typeof name !== 'string' || name === '') throw fault('target.name: Required value');
  return name;
}
