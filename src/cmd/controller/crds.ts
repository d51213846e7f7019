// Evenkeel's CRDs in the cluster: brought up to date at the start, and tried again for as long as one is not.

import { type CrdInstalled, type InstallCrdsDependencies, installCrds } from '../../adapters/kubernetes/crd-installer.ts';
import { pause } from '../../adapters/kubernetes/pause.ts';
import type { Wire } from '../../adapters/kubernetes/wire.ts';
import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import type { Logger } from '../../ports/logger.ts';

/** The API server is not there: nothing can go on without it. */
const REACH_AGAIN_MS: DurationMs = 2 * SECOND_MS;
/** A person has to mend it. */
const LOOK_AGAIN_MS: DurationMs = MINUTE_MS;

export interface CrdInstallerDependencies extends InstallCrdsDependencies {
  readonly manifests: readonly Wire[];
  readonly logger: Logger;
}

export class CrdInstaller {
  readonly #dependencies: CrdInstallerDependencies;
  readonly #reported = new Map<string, string | null>();
  #installed: readonly CrdInstalled[] = [];

  constructor(dependencies: CrdInstallerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves when each is there or has a problem that another try would not solve. Rejects when `signal` aborts. */
  async install(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#try(signal);
      if (!this.#installed.some(({ outcome }) => outcome === 'unreached')) return;
      await pause(this.#dependencies.timer, REACH_AGAIN_MS, signal);
    }
  }

  /** Tries again each minute while one has a problem. Resolves when none has, or when `signal` aborts. */
  async keep(signal: AbortSignal): Promise<void> {
    try {
      while (this.#installed.some(({ outcome }) => outcome !== 'applied' && outcome !== 'unchanged' && outcome !== 'kept-newer')) {
        await pause(this.#dependencies.timer, LOOK_AGAIN_MS, signal);
        await this.#try(signal);
      }
    } catch (err) {
      if (!signal.aborted) throw err;
    }
  }

  status(): { readonly status: 'ok' | 'degraded' | 'failed'; readonly message: string } {
    const problems = this.#installed.flatMap(({ problem }) => problem ?? []);
    if (problems.length === 0) return { status: 'ok', message: `${this.#installed.length} are as this Evenkeel needs them` };
    const failed = this.#installed.some(({ outcome }) => outcome === 'failed' || outcome === 'unreached');
    return { status: failed ? 'failed' : 'degraded', message: problems.join('; ') };
  }

  async #try(signal: AbortSignal): Promise<void> {
    const { manifests, logger } = this.#dependencies;
    this.#installed = await installCrds(manifests, this.#dependencies, signal);
    const outcomes = Object.fromEntries(this.#installed.map(({ name, outcome }) => [name, outcome]));
    let turned = false;
    // Said when it begins, changes or ends.
    for (const { name, outcome, problem } of this.#installed) {
      turned ||= this.#reported.get(name) !== problem;
      if (problem !== null && this.#reported.get(name) !== problem)
        logger.warn('A custom resource is not as it should be', { outcome, problem });
      this.#reported.set(name, problem);
    }
    if (turned && this.#installed.every(({ problem }) => problem === null))
      logger.info('Custom resources are established', { crds: outcomes });
  }
}
