import { ApiStatusError } from '../../api/api-error.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { customResources } from './custom-resources.ts';
import { builtInResources } from './served-kinds.ts';
import { WorkList } from '../work-list.ts';

/** Kubelets end pods within their grace period; this is the interval between checks of a terminating namespace. */
const RECHECK_MS = 1000;
const CONTENT_FINALIZER = 'kubernetes';

/** Deletes the content of a terminating namespace, and removes its finalizer when it is empty. */
export function startNamespaces({ cluster, clock }: ControllerPorts): Stop {
  const work = new WorkList(clock, (name) => {
    const namespace = cluster.get('namespaces', null, name);
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    if (deleteContent(name) > 0) {
      work.addAt(name, clock.now() + RECHECK_MS);
      return;
    }
    cluster.modifySubresource('namespaces', null, name, 'finalize', (draft) => {
      const spec = (draft['spec'] ?? {}) as { finalizers?: string[] };
      draft['spec'] = { ...spec, finalizers: (spec.finalizers ?? []).filter((finalizer) => finalizer !== CONTENT_FINALIZER) };
    });
  });

  /** Number of remaining objects after everything was deleted. */
  function deleteContent(namespace: string): number {
    let left = 0;
    for (const resource of namespacedResources()) {
      for (const { metadata } of listIn(resource, namespace)) {
        if (metadata.deletionTimestamp === undefined) cluster.delete(resource, namespace, metadata.name, { uid: metadata.uid });
        if (cluster.get(resource, namespace, metadata.name)?.metadata.uid === metadata.uid) left += 1;
      }
    }
    return left;
  }

  /** Owners before their dependents, so that controllers do not create new ones. */
  function namespacedResources(): string[] {
    const custom = customResources(cluster).filter(({ namespaced }) => namespaced);
    const builtIn = builtInResources().filter(({ namespaced }) => namespaced);
    const all = [...custom, ...builtIn].map(({ resource }) => resource);
    return [...all.filter((resource) => resource !== 'pods' && resource !== 'events'), 'pods', 'events'];
  }

  function listIn(resource: string, namespace: string): readonly KubeObject[] {
    try {
      return [...cluster.list(resource, { namespace })];
    } catch (error) {
      if (error instanceof ApiStatusError && error.reason === 'NotFound') return []; // defined, not yet served
      throw error;
    }
  }

  const stop = cluster.onChange('namespaces', ({ type, object }) => {
    if (type !== 'DELETED' && object.metadata.deletionTimestamp !== undefined) work.add(object.metadata.name);
  });
  return () => {
    stop();
    work.stop();
  };
}
