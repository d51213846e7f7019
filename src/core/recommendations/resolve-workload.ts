import type { WorkloadRecord } from '#kube/records/workload';
import { notAuthorized, type Refusal } from '../access/refusal.ts';
import type { Scope } from '../access/scope.ts';

/** A workload in an API path; `kind`, in any case, is needed only if several kinds have the name. */
export interface WorkloadTarget {
  readonly namespace: string;
  readonly name: string;
  readonly kind?: string | undefined;
}

/**
 * Finds the workload of a path. A namespace outside the scope is refused before the look-up, so that the refusal does not reveal
 * what exists.
 */
export function resolveWorkload(
  cluster: { findWorkloadsNamed(namespace: string, name: string): readonly WorkloadRecord[] },
  scope: Scope,
  { namespace, name, kind }: WorkloadTarget,
): { readonly kind: 'workload'; readonly workload: WorkloadRecord } | Refusal {
  if (!scope.canView(namespace)) return notAuthorized(namespace);
  const named = cluster
    .findWorkloadsNamed(namespace, name)
    .filter((workload) => kind === undefined || workload.kind.toLowerCase() === kind.toLowerCase());
  const [first, ...others] = named;
  if (first === undefined) {
    return { kind: 'not-found', message: `There is no ${kind ?? 'workload'} ${name} in namespace ${namespace}.` };
  }
  if (others.length > 0) {
    const kinds = named.map((workload) => workload.kind).sort();
    return { kind: 'ambiguous', message: `${kinds.join(' and ')} share the name ${name} in ${namespace}. Choose one with kind.`, kinds };
  }
  return { kind: 'workload', workload: first };
}
