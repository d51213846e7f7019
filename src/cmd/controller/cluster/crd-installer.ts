// Installs Evenkeel's CRDs at start, and retries for as long as one is not up to date.

import { type CrdInstalled, type InstallCrdsDependencies, installCrds } from '../../../adapters/kubernetes/write/crd-installer.ts';
import { sleep } from '../../../adapters/kubernetes/sleep.ts';
import type { Wire } from '../../../adapters/kubernetes/wire.ts';
import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import type { Logger } from '../../../ports/logger.ts';

/** Retry interval while the API server cannot be reached, which blocks the start. */
const UNREACHED_RETRY_MS: DurationMs = 2 * SECOND_MS;
/** Retry interval while a problem needs an administrator. */
const PROBLEM_RETRY_MS: DurationMs = MINUTE_MS;

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

  /**
   * Resolves once each CRD is installed or has a problem that a retry does not solve.
   * @throws when `signal` aborts
   */
  async install(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#try(signal);
      if (!this.#installed.some(({ outcome }) => outcome === 'unreached')) return;
      await sleep(this.#dependencies.timer, UNREACHED_RETRY_MS, signal);
    }
  }

  /** Retries each minute while a CRD has a problem. Resolves when none has one, or when `signal` aborts. */
  async installRepeatedly(signal: AbortSignal): Promise<void> {
    try {
      while (this.#installed.some(({ outcome }) => outcome !== 'applied' && outcome !== 'unchanged' && outcome !== 'kept-newer')) {
        await sleep(this.#dependencies.timer, PROBLEM_RETRY_MS, signal);
        await this.#try(signal);
      }
    } catch (err) {
      if (!signal.aborted) throw err;
    }
  }

  status(): { readonly status: 'ok' | 'degraded' | 'failed'; readonly message: string } {
    const problems = this.#installed.flatMap(({ problem }) => problem ?? []);
    if (problems.length === 0) return { status: 'ok', message: `${this.#installed.length} CRDs are up to date` };
    const failed = this.#installed.some(({ outcome }) => outcome === 'failed' || outcome === 'unreached');
    return { status: failed ? 'failed' : 'degraded', message: problems.join('; ') };
  }

  async #try(signal: AbortSignal): Promise<void> {
    const { manifests, logger } = this.#dependencies;
    this.#installed = await installCrds(manifests, this.#dependencies, signal);
    const outcomes = Object.fromEntries(this.#installed.map(({ name, outcome }) => [name, outcome]));
    let hasChanged = false;
    // A problem is logged only when it appears or changes.
    for (const { name, outcome, problem } of this.#installed) {
      hasChanged ||= this.#reported.get(name) !== problem;
      if (problem !== null && this.#reported.get(name) !== problem) logger.warn('CRD is not up to date', { outcome, problem });
      this.#reported.set(name, problem);
    }
    if (hasChanged && this.#installed.every(({ problem }) => problem === null)) logger.info('CRDs are established', { crds: outcomes });
  }
}
