import type { Instant } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import { badRequest } from '../../api/api-error.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { LogLine, LogProvider } from '../../api/providers.ts';
import type { ContainerLogs } from './container-logs.ts';

/** pods/log from the simulated kubelets. */
export class ContainerLogProvider implements LogProvider {
  readonly #logs: ContainerLogs;
  readonly #clock: Clock;

  constructor(logs: ContainerLogs, clock: Clock) {
    this.#logs = logs;
    this.#clock = clock;
  }

  lines(pod: KubeObject, container: string, previous: boolean): readonly LogLine[] {
    const lines = this.#logs.read(pod.metadata.uid, container, previous, this.#clock.now());
    if (lines !== undefined) return lines;
    if (previous) throw badRequest(`previous terminated container "${container}" in pod "${pod.metadata.name}" not found`);
    throw badRequest(`container "${container}" in pod "${pod.metadata.name}" is waiting to start: ${waitingReason(pod, container)}`);
  }

  follow(pod: KubeObject, container: string, onLine: (line: LogLine) => void, onEnd: () => void): () => void {
    const { uid } = pod.metadata;
    if (!this.#logs.isOpen(uid, container)) {
      return this.#clock.schedule(this.#clock.now(), onEnd);
    }
    let cancelRoutine = (): void => undefined;
    const planRoutine = (after: Instant): void => {
      const line = this.#logs.nextRoutine(uid, container, after);
      if (line === undefined) return;
      cancelRoutine = this.#clock.schedule(line.at, () => {
        if (!this.#logs.isOpen(uid, container)) return;
        onLine(line);
        planRoutine(line.at);
      });
    };
    planRoutine(this.#clock.now());
    const stop = this.#logs.follow(uid, container, {
      onLine,
      onEnd: () => {
        cancelRoutine();
        onEnd();
      },
    });
    return () => {
      cancelRoutine();
      stop();
    };
  }
}

interface WireStatuses {
  readonly status?: {
    readonly containerStatuses?: readonly { readonly name: string; readonly state?: { readonly waiting?: { readonly reason?: string } } }[];
  };
}

function waitingReason(pod: KubeObject, container: string): string {
  const { status } = pod as unknown as WireStatuses;
  const found = status?.containerStatuses?.find(({ name }) => name === container);
  return found?.state?.waiting?.reason ?? 'ContainerCreating';
}
