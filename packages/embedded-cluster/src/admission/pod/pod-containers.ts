import type { PodSpec, WireContainer } from '../../controllers/wire/pod.ts';

/** A container with its path for field errors: `spec.containers[0]`. */
export interface PlacedContainer {
  readonly path: string;
  readonly container: WireContainer;
  readonly isInit: boolean;
}

/** Containers and init containers. Tolerates a spec that its schema has not yet seen. */
export function placedContainers(spec: PodSpec | undefined): PlacedContainer[] {
  const list = (field: 'containers' | 'initContainers', isInit: boolean): PlacedContainer[] => {
    const containers: unknown = spec?.[field];
    if (!Array.isArray(containers)) return [];
    return (containers as unknown[]).flatMap((container, index) =>
      typeof container === 'object' && container !== null
        ? [{ path: `spec.${field}[${String(index)}]`, container: container as WireContainer, isInit }]
        : [],
    );
  };
  return [...list('containers', false), ...list('initContainers', true)];
}

/** An init container that keeps running beside the main ones. */
export function isSidecar(container: WireContainer): boolean {
  return container.restartPolicy === 'Always';
}
