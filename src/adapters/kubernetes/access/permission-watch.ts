// Permissions that the API server denied. One is reported once an access review confirms it, until it is granted or has not been
// denied for 15 minutes. All requests of Evenkeel pass through here.

import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { ApiRequest, ApiResponse, ApiStream, ApiTransport } from '#kube/api-transport';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Gauge, Metrics } from '../../../ports/metrics.ts';
import { type AccessAttributes, accessAttributesOf, isAllowed } from './access-review.ts';
import { refusedVerb } from '../refusal-message.ts';
import { ApiFault, failureOf, isBehindAuthorizer, isForbidden } from '../status.ts';

/** Denied requests are retried within five minutes, so a permission that is not denied for longer is no longer needed. */
const FORGET_AFTER_MS: DurationMs = 15 * MINUTE_MS;
/** Bounds the reviews: each denied permission costs one every 30 s. */
const MAX_KNOWN = 100;
/** Reviews requests together that are denied together. By then, most API servers that have just started have read their roles. */
const FIRST_REVIEW_AFTER_MS: DurationMs = 2 * SECOND_MS;
const REVIEW_PERIOD_MS: DurationMs = 30 * SECOND_MS;

/** A verb on a resource that Evenkeel lacks the permission for. */
export interface MissingPermission {
  readonly verb: string;
  /** `pods/resize`, `leases.coordination.k8s.io` */
  readonly resource: string;
  /** null: cluster-wide. */
  readonly namespace: string | null;
  /** Message of the API server. */
  readonly message: string;
}

/** A refused permission. Only a reported one counts as missing: an API server refuses requests until it has read its roles. */
interface Refused extends MissingPermission {
  readonly access: AccessAttributes;
  readonly firstRefusedAtMs: Instant;
  refusedAtMs: Instant;
  isReported: boolean;
  /** Since the last review, or before the first. */
  isRefusedAgain: boolean;
}

/** `refused`: the review itself is forbidden. `failed`: the server answered with another error. `unanswered`: no answer came. */
type Verdict = 'allowed' | 'denied' | 'refused' | 'failed' | 'unanswered';

export interface PermissionWatchDependencies {
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** For access reviews. */
  readonly transport: ApiTransport;
  /** Aborts when the process stops, and with it the reviews. */
  readonly signal: AbortSignal;
}

export class PermissionWatch {
  readonly #dependencies: PermissionWatchDependencies;
  readonly #refused = new Map<string, Refused>();
  readonly #gauge: Gauge;
  /** The scheduled reviews; null: none are scheduled, or they run now. */
  #next: { readonly atMs: Instant; readonly cancel: () => void } | null = null;
  #isReviewing = false;

  constructor(dependencies: PermissionWatchDependencies) {
    this.#dependencies = dependencies;
    this.#gauge = dependencies.metrics.gauge({
      name: 'evenkeel_missing_permissions',
      help: 'Verbs on resources that the API server has refused for want of a permission.',
    });
    this.#gauge.set(0);
    dependencies.signal.addEventListener('abort', () => this.#next?.cancel(), { once: true });
  }

  /** Wraps a transport: each answer begins, confirms or ends a report. */
  over(transport: ApiTransport): ApiTransport {
    const listen = <A extends ApiResponse | ApiStream>(request: ApiRequest, answer: A): A => {
      this.observe(request, answer);
      return answer;
    };
    return {
      request: async (request) => listen(request, await transport.request(request)),
      stream: async (request) => listen(request, await transport.stream(request)),
    };
  }

  /** The reported permissions, sorted by their text. */
  missing(): readonly MissingPermission[] {
    this.#forgetOld();
    return this.#reported().sort((a, b) => (wordsOf(a) < wordsOf(b) ? -1 : 1));
  }

  /** Counts an answer of another thread, too. */
  observe(request: ApiRequest, answer: ApiResponse | ApiStream): void {
    // The common case first: this runs for every answer.
    if (this.#refused.size === 0 && answer.status !== 403) return;
    const access = accessAttributesOf(request);
    if (access === undefined) return;
    const failure = failureOf(answer);
    if (isBehindAuthorizer(failure)) this.#end(wordsOf(permissionOf(access)));
    else if (failure !== null && isForbidden(failure)) {
      const verb = refusedVerb(failure.message);
      if (verb !== undefined) this.#refuse({ ...access, verb }, failure.message);
    }
  }

  #refuse(access: AccessAttributes, message: string): void {
    const permission = permissionOf(access);
    const key = wordsOf(permission);
    const refusedAtMs = this.#dependencies.timer.nowMs();
    const known = this.#refused.get(key);
    if (known !== undefined) {
      known.refusedAtMs = refusedAtMs;
      known.isRefusedAgain = true;
      return;
    }
    if (this.#refused.size >= MAX_KNOWN) return;
    const times = { firstRefusedAtMs: refusedAtMs, refusedAtMs };
    this.#refused.set(key, { ...permission, message, access, ...times, isReported: false, isRefusedAgain: true });
    this.#reviewIn(FIRST_REVIEW_AFTER_MS);
  }

  #end(key: string): void {
    const known = this.#refused.get(key);
    this.#refused.delete(key);
    if (known?.isReported !== true) return;
    this.#gauge.set(this.#reported().length);
    this.#dependencies.logger.info('A missing permission was granted', { permission: key });
  }

  #report(refused: Refused, remedy: string): void {
    if (refused.isReported) return;
    refused.isReported = true;
    this.#gauge.set(this.#reported().length);
    this.#dependencies.logger.warn('A permission is missing', { permission: wordsOf(refused), remedy, why: refused.message });
  }

  #reported(): Refused[] {
    return [...this.#refused.values()].filter(({ isReported }) => isReported);
  }

  #forgetOld(): void {
    const forgetBefore = this.#dependencies.timer.nowMs() - FORGET_AFTER_MS;
    for (const [key, { refusedAtMs, isReported }] of this.#refused) {
      if (refusedAtMs >= forgetBefore) continue;
      this.#refused.delete(key);
      if (isReported) this.#dependencies.logger.info('A missing permission was not denied for 15 minutes', { permission: key });
    }
    this.#gauge.set(this.#reported().length);
  }

  #reviewIn(afterMs: DurationMs): void {
    const { timer, signal } = this.#dependencies;
    const atMs = timer.nowMs() + afterMs;
    if (signal.aborted || this.#isReviewing || (this.#next !== null && this.#next.atMs <= atMs)) return;
    this.#next?.cancel();
    this.#next = { atMs, cancel: timer.setTimer(afterMs, () => void this.#reviewAll()) };
  }

  async #reviewAll(): Promise<void> {
    this.#next = null;
    this.#isReviewing = true;
    this.#forgetOld();
    // Sequential, because reviews share the rate limit of requests. An unanswered review ends the round.
    for (const [key, refused] of [...this.#refused]) {
      const verdict = await this.#review(refused);
      if (verdict === 'unanswered') break;
      // Another answer may have ended the report during the review.
      if (this.#refused.get(key) === refused) this.#settle(key, refused, verdict);
    }
    this.#isReviewing = false;
    if (this.#refused.size > 0) this.#reviewIn(REVIEW_PERIOD_MS);
  }

  #settle(key: string, refused: Refused, verdict: Exclude<Verdict, 'unanswered'>): void {
    const { isReported, isRefusedAgain, verb, resource, firstRefusedAtMs } = refused;
    refused.isRefusedAgain = false;
    const grant = `grant ${verb} on ${resource} to Evenkeel's ServiceAccount`;
    switch (verdict) {
      case 'allowed':
        // An unreported one is kept for another period: a request that is denied although its review allows it costs one review in 30 s.
        if (isReported || !isRefusedAgain) this.#end(key);
        break;
      case 'denied':
        this.#report(refused, `${grant}; other requests are not affected`);
        break;
      case 'refused':
        if (this.#dependencies.timer.nowMs() - firstRefusedAtMs < REVIEW_PERIOD_MS) break;
        this.#report(
          refused,
          `an API server that has just started may not have read its roles yet, which ends without an action; else ${grant}`,
        );
        break;
      case 'failed':
        break;
    }
  }

  async #review({ access }: Refused): Promise<Verdict> {
    const { transport, signal, logger } = this.#dependencies;
    try {
      return (await isAllowed(transport, access, signal)) ? 'allowed' : 'denied';
    } catch (err) {
      if (err instanceof ApiFault && isForbidden(err.failure)) return 'refused';
      logger.debug('An access review failed; the next one is in 30 s', { err });
      return err instanceof ApiFault ? 'failed' : 'unanswered';
    }
  }
}

/** `patch pods/resize in namespace shop` */
export function wordsOf({ verb, resource, namespace }: Omit<MissingPermission, 'message'>): string {
  return `${verb} ${resource}${namespace === null ? '' : ` in namespace ${namespace}`}`;
}

function permissionOf({ verb, group, resource, subresource, namespace }: AccessAttributes): Omit<MissingPermission, 'message'> {
  const base = group === undefined ? resource : `${resource}.${group}`;
  return { verb, resource: subresource === undefined ? base : `${base}/${subresource}`, namespace: namespace ?? null };
}
