import type { DurationMs, Instant } from '#kube/units';
import { SECOND_MS } from '#kube/units';
import { ApiStatusError } from '../../api/api-error.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ControllerPorts } from '../controller-ports.ts';
import type { PodDraft } from './pod-from-template.ts';
import type { Pod } from '../wire/pod.ts';

/** Number of tries for an unused name; with 27⁵ names a second collision is very unlikely. */
const NAME_DRAWS = 5;
/**
 * Burst size, as in the real controllers: more pods of one owner wait, so that a mistyped number of replicas does not starve other owners.
 */
const BURST = 500;
/** Pause between bursts, in domain time. */
export const BURST_PAUSE_MS: DurationMs = SECOND_MS;

/** Creates and deletes the pods of one kind of controller, and emits Events. */
export class PodControl {
  readonly #ports: ControllerPorts;
  readonly #component: string;
  /** Number of pods created at the current time, by owner UID. */
  #burst: { readonly at: Instant; readonly created: Map<string, number> } = { at: 0, created: new Map() };

  constructor(ports: ControllerPorts, component: string) {
    this.#ports = ports;
    this.#component = component;
  }

  /** Number of the missing pods that may be created now; the rest follows after `BURST_PAUSE_MS`. */
  limitBurst(owner: KubeObject, missing: number): number {
    return Math.min(missing, BURST - (this.#createdNow().get(owner.metadata.uid) ?? 0));
  }

  /** Creates a pod with a generated name. Throws ApiStatusError after an Event with the error (quota, limit range). */
  createNamed(owner: KubeObject, base: string, draft: (name: string) => PodDraft): Pod {
    for (let draw = 1; ; draw += 1) {
      const pod = draft(this.#ports.names.next(base));
      pod.metadata.generateName = base;
      try {
        return this.#create(pod, owner);
      } catch (error) {
        const taken = error instanceof ApiStatusError && error.reason === 'AlreadyExists';
        if (!taken || draw === NAME_DRAWS) throw this.#reported(error, owner, pod.metadata.name);
      }
    }
  }

  /** Creates a pod with the name of the draft. Throws like `createNamed`. */
  create(owner: KubeObject, draft: PodDraft): Pod {
    try {
      return this.#create(draft, owner);
    } catch (error) {
      throw this.#reported(error, owner, draft.metadata.name);
    }
  }

  delete(owner: KubeObject, pod: Pod): void {
    const { namespace, name, uid } = pod.metadata;
    this.#ports.cluster.delete('pods', namespace ?? '', name, { uid });
    this.#ports.events.emit(owner, this.#component, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
  }

  #create(draft: PodDraft, owner: KubeObject): Pod {
    const pod = this.#ports.cluster.create('pods', draft) as Pod;
    this.#ports.pods.note(pod);
    const created = this.#createdNow();
    created.set(owner.metadata.uid, (created.get(owner.metadata.uid) ?? 0) + 1);
    this.#ports.events.emit(owner, this.#component, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
    return pod;
  }

  #createdNow(): Map<string, number> {
    const at = this.#ports.clock.now();
    if (this.#burst.at !== at) this.#burst = { at, created: new Map() };
    return this.#burst.created;
  }

  #reported(error: unknown, owner: KubeObject, name: string): unknown {
    if (error instanceof ApiStatusError) {
      // Without the generated name, so that repeated errors are aggregated in one Event.
      const words = error.message.replaceAll(`"${name}"`, 'the pod');
      this.#ports.events.emit(owner, this.#component, 'Warning', 'FailedCreate', `Error creating: ${words}`);
    }
    return error;
  }
}
