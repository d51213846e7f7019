import type { WorkloadRecord } from '#kube/records/workload';

/**
 * The package that installed a workload, from the metadata of installers, the most specific first: Helm's release, Argo CD's application,
 * Flux's Kustomization, the part-of label. null where it has none of them.
 */
export function packageOf({ annotations, labels }: Pick<WorkloadRecord, 'annotations' | 'labels'>): string | null {
  const helmRelease = annotations['meta.helm.sh/release-name'];
  if (helmRelease !== undefined) return helmRelease;
  const instance = labels['app.kubernetes.io/instance'];
  if (labels['app.kubernetes.io/managed-by'] === 'Helm' && instance !== undefined) return instance;
  return (
    // `<app>:<group>/<kind>:<namespace>/<name>`
    annotations['argocd.argoproj.io/tracking-id']?.split(':')[0] ??
    labels['argocd.argoproj.io/instance'] ??
    labels['kustomize.toolkit.fluxcd.io/name'] ??
    labels['app.kubernetes.io/part-of'] ??
    null
  );
}
