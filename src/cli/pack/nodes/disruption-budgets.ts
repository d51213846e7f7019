import type { Labels } from '#kube/label-selector';
import { isLabelSelectorMatch } from '#kube/match-labels';
import { objectAt, optionalNumberAt, textsByKeyAt } from '#kube/wire';
import { Interner } from '../../../adapters/kubernetes/decode/interner.ts';
import { readDisruptionBudget } from '../../../adapters/kubernetes/decode/decode-rules.ts';
import type { DisruptionBudgetRecord } from '../../../core/model/cluster-records.ts';
import { canBeSatisfied } from '../../../core/model/disruption-budget.ts';
import type { ManifestObject } from '../../read-manifests.ts';

interface Budget extends DisruptionBudgetRecord {
  readonly allowsEviction: boolean;
}

/** PodDisruptionBudgets of the input. */
export class DisruptionBudgets {
  readonly #byNamespace: ReadonlyMap<string, readonly Budget[]>;

  /** @param objects of which budgets, and the pods that they select, are read. @throws WireError */
  constructor(objects: readonly ManifestObject[]) {
    const interner = new Interner();
    const pods = Map.groupBy(
      objects.filter(({ object }) => object.kind === 'Pod'),
      ({ object }) => object.metadata.namespace ?? 'default',
    );
    const budgets = objects
      .filter(({ object }) => object.kind === 'PodDisruptionBudget')
      .map(({ object }): Budget => {
        const read = readDisruptionBudget(object, interner);
        const record = { ...read, namespace: read.namespace === '' ? 'default' : read.namespace };
        const allowed = optionalNumberAt(objectAt(object, 'status'), 'disruptionsAllowed', 'status.disruptionsAllowed');
        if (allowed !== null) return { ...record, allowsEviction: allowed > 0 };
        // A manifest without a status: what it allows when every pod is available.
        const selected = (pods.get(record.namespace) ?? []).filter(({ object: pod }) =>
          selects(record, textsByKeyAt(objectAt(pod, 'metadata'), 'labels', 'metadata.labels')),
        );
        return { ...record, allowsEviction: canBeSatisfied(record, selected.length) };
      });
    this.#byNamespace = Map.groupBy(budgets, ({ namespace }) => namespace);
  }

  /** Why the eviction API refuses a pod; null: it does not. */
  whyBlocked(namespace: string, labels: Labels): string | null {
    const selecting = (this.#byNamespace.get(namespace) ?? []).filter((budget) => selects(budget, labels));
    if (selecting.length > 1) return 'it has several PodDisruptionBudgets';
    return selecting[0]?.allowsEviction === false ? 'its PodDisruptionBudget allows no eviction' : null;
  }
}

function selects({ selector }: DisruptionBudgetRecord, labels: Labels): boolean {
  return selector !== null && isLabelSelectorMatch(selector, labels);
}
