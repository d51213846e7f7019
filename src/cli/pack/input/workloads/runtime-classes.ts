// RuntimeClasses of manifests, as the admission plugin of the API server applies them to a pod.

import { objectAt, objectsAt, textAt, textsByKeyAt, type Wire } from '#kube/wire';
import type { ManifestObject } from '../../../read-manifests.ts';

interface RuntimeClass {
  /** Empty: none. */
  readonly overhead: Wire;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Wire[];
}

export class RuntimeClasses {
  readonly #classes = new Map<string, RuntimeClass>();

  /** Adds an object; one of another kind changes nothing. @throws WireError */
  read(object: ManifestObject['object']): void {
    if (object.kind !== 'RuntimeClass') return;
    const scheduling = objectAt(object, 'scheduling');
    this.#classes.set(object.metadata.name ?? '', {
      overhead: objectAt(objectAt(object, 'overhead'), 'podFixed', 'overhead.podFixed'),
      nodeSelector: textsByKeyAt(scheduling, 'nodeSelector', 'scheduling.nodeSelector'),
      tolerations: objectsAt(scheduling, 'tolerations', 'scheduling.tolerations'),
    });
  }

  /** The pod spec with overhead, node selector and tolerations of its class, or why there is none. @throws WireError */
  applyTo(spec: Wire): { readonly spec: Wire } | { readonly problem: string } {
    const name = textAt(spec, 'runtimeClassName', 'spec.runtimeClassName');
    if (name === '') return { spec };
    const found = this.#classes.get(name);
    if (found === undefined) return { problem: `names the RuntimeClass ${name}, which is not in the file; add it` };
    const selector = textsByKeyAt(spec, 'nodeSelector', 'spec.nodeSelector');
    const conflict = Object.entries(found.nodeSelector).find(([key, value]) => Object.hasOwn(selector, key) && selector[key] !== value);
    if (conflict !== undefined) {
      return { problem: `has another node selector for ${conflict[0]} than its RuntimeClass ${name}; correct one of them` };
    }
    const hasOverhead = Object.keys(objectAt(spec, 'overhead', 'spec.overhead')).length > 0;
    return {
      spec: {
        ...spec,
        nodeSelector: { ...selector, ...found.nodeSelector },
        tolerations: [...objectsAt(spec, 'tolerations', 'spec.tolerations'), ...found.tolerations],
        ...(!hasOverhead && { overhead: found.overhead }),
      },
    };
  }
}
