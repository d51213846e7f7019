import type { KubeObject } from '../../api/kube-object.ts';
import type { ControllerPorts } from '../controller-ports.ts';
import { shortHash } from './canonical.ts';
import { isEqualJson } from '../../api/json.ts';
import { controllerReference } from '../object-key.ts';
import type { PodTemplate } from '../wire/pod.ts';
import type { ControllerRevision } from '../wire/workload.ts';

const RESOURCE = 'controllerrevisions.apps';
export const REVISION_HASH = 'controller-revision-hash';
const DEFAULT_HISTORY_LIMIT = 10;

/** The fields of a StatefulSet or DaemonSet that revisions need. */
interface Revised extends KubeObject {
  spec: { template: PodTemplate; revisionHistoryLimit?: number };
}

/**
 * The ControllerRevision of the owner's current template: created, or renumbered as the newest after a rollback. `kubectl rollout history`
 * and `undo` read these.
 */
export function currentTemplateRevision(ports: ControllerPorts, owner: Revised): ControllerRevision {
  const { cluster, revisions } = ports;
  const known = byRevision(revisions.ownedBy(owner.metadata.uid));
  const newest = known.at(-1);
  const template = { ...owner.spec.template, $patch: 'replace' };
  const equal = known.find((revision) => isEqualJson(revision.data.spec.template, template));
  const number = (newest?.revision ?? 0) + 1;
  if (equal !== undefined) {
    if (equal === newest) return equal;
    const { namespace = '', name } = equal.metadata;
    const raised = cluster.modify(RESOURCE, namespace, name, (draft) => {
      (draft as ControllerRevision).revision = number;
    });
    return (raised ?? equal) as ControllerRevision;
  }
  const hash = shortHash(owner.spec.template);
  const created = cluster.create(RESOURCE, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${owner.metadata.name}-${hash}`,
      namespace: owner.metadata.namespace,
      labels: { ...owner.spec.template.metadata?.labels, [REVISION_HASH]: hash },
      ownerReferences: [controllerReference(owner)],
    },
    data: { spec: { template: structuredClone(template) } },
    revision: number,
  }) as ControllerRevision;
  revisions.note(created);
  return created;
}

/** Template of a revision; undefined when the revision was deleted. */
export function templateOf(ports: ControllerPorts, owner: Revised, revisionName: string): PodTemplate | undefined {
  const revision = ports.revisions.ownedBy(owner.metadata.uid).find(({ metadata }) => metadata.name === revisionName);
  if (revision === undefined) return undefined;
  const { $patch: _directive, ...template } = revision.data.spec.template;
  return template;
}

/** Deletes revisions that are neither in use nor within `revisionHistoryLimit`. */
export function trimRevisions(ports: ControllerPorts, owner: Revised, isInUse: (revision: ControllerRevision) => boolean): void {
  const idle = byRevision(ports.revisions.ownedBy(owner.metadata.uid)).filter((revision) => !isInUse(revision));
  const excess = idle.length - (owner.spec.revisionHistoryLimit ?? DEFAULT_HISTORY_LIMIT);
  for (const { metadata } of idle.slice(0, Math.max(0, excess))) {
    ports.cluster.delete(RESOURCE, metadata.namespace ?? '', metadata.name, { uid: metadata.uid });
  }
}

function byRevision(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  return [...revisions].sort((a, b) => a.revision - b.revision || (a.metadata.name < b.metadata.name ? -1 : 1));
}
