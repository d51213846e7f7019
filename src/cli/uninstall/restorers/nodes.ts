// Frees nodes that Evenkeel was draining: only its own taint, cordon and annotations.

import { NODES } from '../../../adapters/kubernetes/resources.ts';
import { booleanAt, objectAt, objectsAt, textAt } from '../../../adapters/kubernetes/wire.ts';
import { NODE_ANNOTATIONS, PREFIX } from '../../../apis/annotations.ts';
import { isEvenkeelManager, judgeAnnotation } from '../../../core/model/field-managers.ts';
import { ownersOfSpecField } from '../../../core/model/field-owners.ts';
import type { JsonPatchOperation } from '../../../core/model/encoding/json-patch.ts';
import { nameOf, withoutAnnotations, type ClusterAccess, type ObjectHead } from '../cluster-access.ts';
import { isAlwaysEnabled, granted, type RestorerRegistration } from '../registration.ts';
import type { Restorer } from '../restorer.ts';

function nodesRestorer(cluster: ClusterAccess): Restorer {
  return {
    name: 'nodes freed',
    async *find(signal) {
      for await (const head of cluster.list(NODES, signal)) {
        const { operations, changes } = untaintPatch(head);
        if (operations.length === 0) continue;
        yield {
          kind: 'change',
          object: nameOf(NODES, head),
          change: changes.join(', '),
          carryOut: (stop) => cluster.patch(NODES, head, operations, stop),
        };
      }
    },
  };
}

function untaintPatch(head: ObjectHead): { readonly operations: readonly JsonPatchOperation[]; readonly changes: readonly string[] } {
  const spec = objectAt(head.wire, 'spec');
  const taints = objectsAt(spec, 'taints');
  const others = taints.filter((taint) => !textAt(taint, 'key').startsWith(PREFIX));
  const operations: JsonPatchOperation[] = [];
  const changes: string[] = [];
  if (others.length < taints.length) {
    // An atomic list, which is replaced as a whole, so it must be unchanged.
    operations.push({ op: 'test', path: '/spec/taints', value: taints });
    operations.push(others.length === 0 ? { op: 'remove', path: '/spec/taints' } : { op: 'replace', path: '/spec/taints', value: others });
    changes.push('taint removed');
  }
  // A cordon has no owner: it is Evenkeel's where Evenkeel's draining annotation exists and its field manager set it.
  const cordonIsOurs = ownersOfSpecField(head.managedFields, 'unschedulable').some(({ manager }) => isEvenkeelManager(manager));
  if (booleanAt(spec, 'unschedulable') && cordonIsOurs && head.annotations[NODE_ANNOTATIONS.drainingBy] !== undefined) {
    operations.push({ op: 'test', path: '/spec/unschedulable', value: true }, { op: 'remove', path: '/spec/unschedulable' });
    changes.push('uncordoned');
  }
  const notes = Object.keys(head.annotations).filter((key) => judgeAnnotation(key, head.managedFields).kind === 'remove');
  if (notes.length > 0) changes.push(`annotations ${notes.join(', ')} removed`);
  return { operations: [...operations, ...withoutAnnotations(head, notes)], changes };
}

const SOURCE = 'src/cli/uninstall/restorers/nodes.ts';

export const NODE_TRACES: RestorerRegistration = {
  name: 'nodes',
  permissions: [granted(['list', 'patch'], NODES, SOURCE, "removing Evenkeel's taints, cordons and annotations")],
  isEnabled: isAlwaysEnabled,
  create: ({ cluster }) => nodesRestorer(cluster),
};
