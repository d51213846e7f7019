import type { KubeObject } from '../kube-object.ts';
import type { ResourceStrategy } from '../strategy.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';
const CONTENT_FINALIZER = 'kubernetes';

/** A namespace is Active from the start, has its name as a label, and a finalizer until it is empty. */
export const namespaceStrategy: ResourceStrategy = {
  prepareForCreate(draft) {
    label(draft);
    draft['status'] = { phase: 'Active' };
    const spec = (draft['spec'] ?? {}) as { finalizers?: string[] };
    const finalizers = spec.finalizers ?? [];
    draft['spec'] = { ...spec, finalizers: finalizers.includes(CONTENT_FINALIZER) ? finalizers : [...finalizers, CONTENT_FINALIZER] };
  },
  prepareForUpdate(draft, old, _context, subresource) {
    if (subresource !== '') return;
    label(draft);
    draft['spec'] = old['spec'];
  },
};

function label(draft: KubeObject): void {
  draft.metadata.labels = { ...draft.metadata.labels, [NAME_LABEL]: draft.metadata.name };
}
