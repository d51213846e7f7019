// Permissions that the API server denied, logged once and kept until they are granted. All requests of Evenkeel pass
// through here.

import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { ApiRequest, ApiResponse, ApiStream, ApiTransport } from '#kube/api-transport';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Gauge, Metrics } from '../../ports/metrics.ts';
import { isByAuthorizer } from './refusal-message.ts';
import { nameOf } from './request-names.ts';
import { failureOf, isForbidden } from './status.ts';

/** A denied request is retried within five minutes; one that is not is no longer needed. */
const FORGET_AFTER_MS: DurationMs = 15 * MINUTE_MS;
/** Past this many only the metric counts on: a person reads the first ones. */
const MAX_KNOWN = 100;

/** One verb on one resource that we may not. */
export interface MissingPermission {
  readonly verb: string;
  /** `pods/resize`, `leases.coordination.k8s.io` */
  readonly resource: string;
  /** null: cluster-wide. */
  readonly namespace: string | null;
  /** The API server's words. */
  readonly message: string;
}

interface Known extends MissingPermission {
  refusedAtMs: number;
}

export interface PermissionWatchDependencies {
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export class PermissionWatch {
  readonly #dependencies: PermissionWatchDependencies;
  readonly #missing = new Map<string, Known>();
  readonly #gauge: Gauge;

  constructor(dependencies: PermissionWatchDependencies) {
    this.#dependencies = dependencies;
    this.#gauge = dependencies.metrics.gauge({
      name: 'evenkeel_missing_permissions',
      help: 'Verbs on resources that the API server has refused for want of a permission.',
    });
    this.#gauge.set(0);
  }

  /** The same transport; what comes back through it is listened to. */
  over(transport: ApiTransport): ApiTransport {
    const listen = <A extends ApiResponse | ApiStream>(request: ApiRequest, answer: A): A => {
      this.#observe(request, answer);
      return answer;
    };
    return {
      request: async (request) => listen(request, await transport.request(request)),
      stream: async (request) => listen(request, await transport.stream(request)),
    };
  }

  /** Those that are missing now, in order of resources. */
  missing(): readonly MissingPermission[] {
    const forgetBefore = this.#dependencies.timer.nowMs() - FORGET_AFTER_MS;
    for (const [key, { refusedAtMs }] of this.#missing) if (refusedAtMs < forgetBefore) this.#missing.delete(key);
    this.#gauge.set(this.#missing.size);
    return [...this.#missing.values()].sort((a, b) => (wordsOf(a) < wordsOf(b) ? -1 : 1));
  }

  #observe(request: ApiRequest, answer: ApiResponse | ApiStream): void {
    // Nearly always: nothing is missing and nothing was refused.
    if (this.#missing.size === 0 && answer.status !== 403) return;
    const { verb, resource } = nameOf(request);
    // The server authorizes an apply as a patch.
    const permission = { verb: verb === 'apply' ? 'patch' : verb, resource, namespace: namespaceOf(request.path) };
    const key = wordsOf(permission);
    const failure = failureOf(answer);
    if (failure === null) this.#given(key);
    else if (isForbidden(failure) && isByAuthorizer(failure.message)) this.#refused(key, { ...permission, message: failure.message });
  }

  #given(key: string): void {
    if (!this.#missing.delete(key)) return;
    this.#gauge.set(this.#missing.size);
    this.#dependencies.logger.info('A permission that was missing is given', { permission: key });
  }

  #refused(key: string, permission: MissingPermission): void {
    const refusedAtMs = this.#dependencies.timer.nowMs();
    const known = this.#missing.get(key);
    if (known !== undefined) {
      known.refusedAtMs = refusedAtMs;
      return;
    }
    if (this.#missing.size >= MAX_KNOWN) return;
    this.#missing.set(key, { ...permission, refusedAtMs });
    this.#gauge.set(this.#missing.size);
    const { verb, resource } = permission;
    const remedy = `grant ${verb} on ${resource} to Evenkeel's ServiceAccount; everything else goes on meanwhile`;
    this.#dependencies.logger.warn('A permission is missing', { permission: key, remedy, why: permission.message });
  }
}

/** `patch pods/resize in namespace shop` */
export function wordsOf({ verb, resource, namespace }: Omit<MissingPermission, 'message'>): string {
  return `${verb} ${resource}${namespace === null ? '' : ` in namespace ${namespace}`}`;
}

function namespaceOf(path: string): string | null {
  return /\/namespaces\/([^/]+)\/./.exec(path)?.[1] ?? null;
}
