import { SECOND_MS, type DurationMs } from '#kube/units';
import { hashText } from '../../../clock/seeded-hash.ts';
import type { ContainerRuntime, Termination } from '../container-runtime.ts';
import type { PodHost } from './pod-host.ts';
import type { PodRuntime } from './pod-runtime.ts';
import { gracePeriodMs } from './pod-spec.ts';
import { firstSuccessMs } from './probe-timing.ts';
import { goDuration } from './restart-backoff.ts';

/** Exit code of a container that the kernel or the kubelet killed (128 + SIGKILL). */
export const KILLED_EXIT_CODE = 137;

/** Lifecycle of pods from binding to deletion: sandbox, init containers in order, main containers, readiness, restarts, stop. */
export class PodLifecycle {
  readonly #host: PodHost;

  constructor(host: PodHost) {
    this.#host = host;
  }

  /** A pod was bound to the node and admitted. */
  begin(pod: PodRuntime): void {
    pod.startTime = this.#host.now();
    this.#host.publish(pod);
    const { activeDeadlineSeconds } = pod.object.spec;
    if (activeDeadlineSeconds !== undefined) {
      const message = 'Pod was active on the node longer than the specified deadline';
      pod.after(activeDeadlineSeconds * SECOND_MS, () => this.fail(pod, 'DeadlineExceeded', message));
    }
    pod.after(this.#host.draw(`sandbox/${pod.name}`, 300, 900), () => {
      pod.podIp = pod.object.spec.hostNetwork === true ? '127.0.0.1' : podIp(pod);
      this.#startInit(pod, 0);
    });
  }

  /** The pod's object is being deleted: containers get their grace period, then the object is removed. */
  beginDeletion(pod: PodRuntime): void {
    if (pod.terminating) return;
    pod.terminating = true;
    pod.cancelAll();
    const graceMs = gracePeriodMs(pod.object);
    let lastMs = 0;
    for (const container of pod.containers) {
      if (!container.isRunning) continue;
      this.#host.event(pod, { type: 'Normal', reason: 'Killing', message: `Stopping container ${container.name}` }, container);
      const needsMs = this.#host.draw(`stop/${pod.name}/${container.name}`, 300, 4000);
      const stopMs = Math.min(graceMs, needsMs);
      lastMs = Math.max(lastMs, stopMs);
      pod.after(stopMs, () =>
        this.#stop(pod, container, needsMs > graceMs ? KILLED_EXIT_CODE : 0, needsMs > graceMs ? 'Error' : 'Completed'),
      );
    }
    if (lastMs === 0) {
      this.#host.finishDeletion(pod);
      return;
    }
    this.#host.publish(pod);
    pod.after(lastMs + 200, () => {
      this.#end(pod);
      this.#host.publish(pod);
      this.#host.finishDeletion(pod);
    });
  }

  /** The kubelet ends the pod permanently: an eviction, or a pod that the node cannot admit. */
  fail(pod: PodRuntime, reason: string, message: string): void {
    pod.cancelAll();
    for (const container of pod.containers) if (container.isRunning) this.#stop(pod, container, KILLED_EXIT_CODE, 'Error');
    pod.failure = { reason, message };
    this.#end(pod);
    this.#host.publish(pod);
    this.#host.retryDeferredResizes();
    if (pod.object.metadata.deletionTimestamp !== undefined) this.#host.finishDeletion(pod);
  }

  /** A container's process ended or was killed; the restart policy decides what follows. */
  containerEnded(pod: PodRuntime, container: ContainerRuntime, exitCode: number, reason: string): void {
    if (!container.isRunning) return;
    this.#stop(pod, container, exitCode, reason);
    if (pod.terminating) return;
    if (container.spec.role === 'init' && exitCode === 0) {
      this.#host.publish(pod);
      this.#startInit(pod, pod.initContainers().indexOf(container) + 1);
    } else if (this.#isRestartRequired(pod, container, exitCode)) this.#planRestart(pod, container);
    else this.#afterFinal(pod);
    this.#host.readinessChanged(pod);
  }

  /** Restarts a container with its allocation, without back-off, for a resize that requires it. */
  restartForResize(pod: PodRuntime, container: ContainerRuntime): void {
    this.#host.event(pod, { type: 'Normal', reason: 'Killing', message: `Container ${container.name} resize requires restart` }, container);
    this.#stop(pod, container, 0, 'Completed');
    this.#host.readinessChanged(pod);
    this.#host.publish(pod);
    pod.after(this.#host.draw(`resize-restart/${pod.name}/${container.restartCount}`, 500, 1500), () => this.#restart(pod, container));
  }

  #startInit(pod: PodRuntime, index: number): void {
    const container = pod.initContainers()[index];
    if (container === undefined) {
      pod.initialized = true;
      for (const main of pod.mainContainers()) main.state = { kind: 'waiting', reason: 'ContainerCreating', message: null };
      this.#host.publish(pod);
      for (const main of pod.mainContainers()) this.#pullAndStart(pod, main);
      return;
    }
    this.#host.publish(pod);
    this.#pullAndStart(pod, container);
  }

  #pullAndStart(pod: PodRuntime, container: ContainerRuntime): void {
    const { image, pullsAlways } = container.spec;
    const pullMs = this.#host.pullMs(image, pullsAlways);
    if (pullMs > 0) this.#host.event(pod, { type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"` }, container);
    pod.after(pullMs + this.#host.draw(`create/${pod.name}/${container.name}`, 150, 700), () => {
      const pulled =
        pullMs > 0
          ? `Successfully pulled image "${image}" in ${(pullMs / SECOND_MS).toFixed(3)}s`
          : `Container image "${image}" already present on machine`;
      this.#host.event(pod, { type: 'Normal', reason: 'Pulled', message: pulled }, container);
      this.#start(pod, container);
    });
  }

  #start(pod: PodRuntime, container: ContainerRuntime): void {
    const now = this.#host.now();
    container.state = { kind: 'running', startedAt: now };
    container.containerId = containerId(pod, container);
    container.actual = container.allocated;
    container.started = container.spec.startup === null;
    container.ready = false;
    this.#host.event(pod, { type: 'Normal', reason: 'Created', message: `Container created: ${container.name}` }, container);
    this.#host.event(pod, { type: 'Normal', reason: 'Started', message: `Container started: ${container.name}` }, container);
    this.#host.containerStarted(pod, container);
    this.#planProbes(pod, container);
    this.#planEnd(pod, container);
    this.#host.readinessChanged(pod);
    this.#host.publish(pod);
  }

  #planProbes(pod: PodRuntime, container: ContainerRuntime): void {
    const { readiness, startup, role } = container.spec;
    if (role === 'init') return;
    const attempt = container.containerId;
    const answersMs = this.#host.draw(`answers/${pod.load.ref.name}/${container.name}`, 1200, 6000);
    const startedMs = startup === null ? 0 : firstSuccessMs(startup, answersMs);
    const readyMs = Math.max(startedMs, readiness === null ? startedMs : firstSuccessMs(readiness, answersMs));
    const becomesStarted = (): void => {
      container.started = true;
      if (role === 'sidecar' && !pod.initialized) this.#startInit(pod, pod.initContainers().indexOf(container) + 1);
    };
    const becomesReady = (): void => {
      container.ready = true;
      this.#host.readinessChanged(pod);
      this.#host.publish(pod);
    };
    const ifStillRuns = (task: () => void) => () => {
      if (container.containerId === attempt && container.isRunning && !pod.ended) task();
    };
    if (startup !== null && readyMs > startedMs) {
      pod.after(
        startedMs,
        ifStillRuns(() => {
          becomesStarted();
          this.#host.publish(pod);
        }),
      );
    } else if (startedMs === 0 && role === 'sidecar') pod.after(100, ifStillRuns(becomesStarted));
    if (readyMs === 0) becomesReady();
    else {
      pod.after(
        readyMs,
        ifStillRuns(() => {
          if (!container.started) becomesStarted();
          becomesReady();
        }),
      );
    }
  }

  #planEnd(pod: PodRuntime, container: ContainerRuntime): void {
    const { script, role } = container.spec;
    const drawnMs = role === 'init' ? this.#host.draw(`init/${pod.load.ref.name}/${container.name}`, 800, 5000) : container.runMs;
    const runMs = script?.runMs ?? drawnMs;
    if (runMs === null || role === 'sidecar') return;
    const exitCode = script?.exitCode ?? 0;
    const attempt = container.containerId;
    pod.after(runMs, () => {
      if (container.containerId === attempt) this.containerEnded(pod, container, exitCode, exitCode === 0 ? 'Completed' : 'Error');
    });
  }

  #stop(pod: PodRuntime, container: ContainerRuntime, exitCode: number, reason: string): void {
    if (container.state.kind !== 'running') return;
    const termination: Termination = {
      exitCode,
      reason,
      startedAt: container.state.startedAt,
      finishedAt: this.#host.now(),
      containerId: container.containerId,
    };
    this.#host.containerStopped(pod, container, termination);
    container.state = { kind: 'terminated', termination };
    container.ready = false;
    container.started = false;
  }

  #isRestartRequired(pod: PodRuntime, container: ContainerRuntime, exitCode: number): boolean {
    if (container.spec.role === 'sidecar') return true;
    const policy = pod.object.spec.restartPolicy ?? 'Always';
    // A failed init container is restarted under Always and OnFailure; a succeeded one never is.
    return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
  }

  #planRestart(pod: PodRuntime, container: ContainerRuntime): void {
    if (container.state.kind !== 'terminated') return;
    const { termination } = container.state;
    const waitMs = container.backoff.next(termination.startedAt, termination.finishedAt);
    if (waitMs > 0) {
      const where = `${pod.name}_${pod.namespace}(${pod.uid})`;
      const message = `back-off ${goDuration(waitMs)} restarting failed container=${container.name} pod=${where}`;
      container.lastTermination = termination;
      container.state = { kind: 'waiting', reason: 'CrashLoopBackOff', message };
      this.#host.event(
        pod,
        { type: 'Warning', reason: 'BackOff', message: `Back-off restarting failed container ${container.name} in pod ${where}` },
        container,
      );
    }
    this.#host.publish(pod);
    pod.after(Math.max(waitMs, SECOND_MS), () => this.#restart(pod, container));
  }

  #restart(pod: PodRuntime, container: ContainerRuntime): void {
    if (container.isRunning || pod.ended) return;
    if (container.state.kind === 'terminated') container.lastTermination = container.state.termination;
    container.restartCount++;
    this.#start(pod, container);
  }

  /** A container ended permanently: the pod ends when no main container is left and no init container failed permanently. */
  #afterFinal(pod: PodRuntime): void {
    const failedInit = pod
      .initContainers()
      .some(({ spec, state }) => spec.role === 'init' && state.kind === 'terminated' && state.termination.exitCode !== 0);
    if (failedInit || pod.mainContainers().every(({ state }) => state.kind === 'terminated')) {
      for (const sidecar of pod.containers) if (sidecar.isRunning) this.#stop(pod, sidecar, 0, 'Completed');
      pod.cancelAll();
      this.#end(pod);
      this.#host.retryDeferredResizes();
    }
    this.#host.publish(pod);
  }

  #end(pod: PodRuntime): void {
    pod.ended = true;
    pod.resizePending = null;
    pod.resizeInProgress = null;
    this.#host.readinessChanged(pod);
  }
}

function containerId(pod: PodRuntime, container: ContainerRuntime): string {
  let id = '';
  for (let part = 0; part < 8; part++)
    id += hashText(part, `${pod.uid}/${container.name}/${container.restartCount}`).toString(16).padStart(8, '0');
  return `containerd://${id}`;
}

/** Inside 10.0.0.0/9, from the pod's identity. */
function podIp(pod: PodRuntime): string {
  const hash = hashText(1, pod.uid);
  return `10.${(hash >>> 16) & 127}.${(hash >>> 8) & 255}.${1 + ((hash & 255) % 254)}`;
}

/** Duration of a start's CPU demand. */
export function startupBoostMs(host: Pick<PodHost, 'draw'>, pod: PodRuntime, container: ContainerRuntime): DurationMs {
  return host.draw(`boost/${pod.load.ref.name}/${container.name}`, 20, 75) * SECOND_MS;
}
