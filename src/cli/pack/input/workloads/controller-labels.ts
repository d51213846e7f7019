import type { Labels } from '#kube/label-selector';

/** Labels with a value for each workload that its controller adds to its pods: rules name them in `matchLabelKeys`. */
const KEYS_OF_KIND: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['pod-template-hash'],
  StatefulSet: ['controller-revision-hash'],
  DaemonSet: ['controller-revision-hash'],
  Job: ['batch.kubernetes.io/controller-uid', 'controller-uid'],
};
const JOB_NAME_KEYS = ['batch.kubernetes.io/job-name', 'job-name'];

/**
 * Labels of the pods of a workload. What the controller computes, such as a hash, is replaced by a value that no other workload has.
 * @param id unique among the workloads
 */
export function podLabelsOf(
  { kind, id, name }: { readonly kind: string; readonly id: string; readonly name: string },
  stated: Labels,
): Labels {
  const keys = Object.hasOwn(KEYS_OF_KIND, kind) ? (KEYS_OF_KIND[kind] ?? []) : [];
  if (keys.length === 0) return stated;
  const names = kind === 'Job' ? JOB_NAME_KEYS.map((key) => [key, name] as const) : [];
  return { ...stated, ...Object.fromEntries([...keys.map((key) => [key, id] as const), ...names]) };
}
