import type { WorkloadRef } from '../../../apis/http/types.generated.ts';

export function workloadPath({ namespace, name }: WorkloadRef): string {
  return `/recommendations/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

export function detailPath(item: WorkloadRef): string {
  return `${workloadPath(item)}?kind=${encodeURIComponent(item.kind)}`;
}
