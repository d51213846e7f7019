// A client of Prometheus that limits its load: few concurrent queries, a pause after a slow answer, and backoff while it is busy.

import type { DurationMs, Instant } from '#kube/units';
import { SECOND_MS } from '#kube/units';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { Random } from '../../../ports/random.ts';
import type { PrometheusConnection } from './connection.ts';
import { PrometheusFailure } from './failure.ts';
import { type HttpAnswer, HttpExchange } from './http-exchange.ts';
import { narrowQuery } from '../narrow-query.ts';
import { type LabelSet, readLabelNames, readMatrix, readSeries, readVector, type RangeSeries, type InstantSample } from './read-answer.ts';

/** Maximum concurrent queries of all callers. */
export const MAX_IN_FLIGHT = 2;
/** Prometheus ends a query before the client's timeout, so that no abandoned query runs on. */
const QUERY_TIMEOUT_MS: DurationMs = 30 * SECOND_MS;
const ANSWER_TIMEOUT_MS: DurationMs = 40 * SECOND_MS;
/** An answer this slow indicates an overloaded server. */
const SLOW_MS: DurationMs = 5 * SECOND_MS;
const MAX_PAUSE_MS: DurationMs = 30 * SECOND_MS;
const ATTEMPTS = 4;
const FIRST_BACK_OFF_MS: DurationMs = 2 * SECOND_MS;
const MAX_BACK_OFF_MS: DurationMs = 60 * SECOND_MS;

export interface PrometheusClientDependencies {
  readonly connection: PrometheusConnection;
  readonly timer: MachineTimer;
  readonly random: Random;
  /** Called for each warning of an answer: part of it is missing (Thanos, Mimir). */
  readonly onWarning?: (warning: string) => void;
}

interface QueryRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly form: URLSearchParams;
}

/** The query methods of PrometheusClient. */
export type PrometheusQueries = Pick<PrometheusClient, 'shown' | 'instant' | 'range' | 'labelNames' | 'labelValues' | 'series'>;

/** Queries Prometheus. The connection's matchers are added to every selector. */
export class PrometheusClient {
  readonly shown: string;
  readonly #dependencies: PrometheusClientDependencies;
  readonly #exchange: HttpExchange;
  readonly #waiting: (() => void)[] = [];
  readonly #closed = new AbortController();
  #inFlight = 0;
  #pauseUntilMs = 0;

  constructor(dependencies: PrometheusClientDependencies) {
    this.#dependencies = dependencies;
    this.shown = dependencies.connection.shown;
    this.#exchange = new HttpExchange(dependencies.connection, dependencies.timer, MAX_IN_FLIGHT);
  }

  /** Aborts all queries; nothing is retried. */
  close(): void {
    this.#closed.abort(new PrometheusFailure('unreachable', `${this.shown} is no longer queried`));
    this.#exchange.close();
  }

  /** Value of each series at a time. Rejects with PrometheusFailure. */
  async instant(query: string, at: Instant, signal: AbortSignal): Promise<readonly InstantSample[]> {
    const form = new URLSearchParams({ query: this.#narrow(query), time: seconds(at), timeout: `${QUERY_TIMEOUT_MS / SECOND_MS}s` });
    return readVector(await this.#send('/api/v1/query', form, signal));
  }

  /** Values of each series at `from`, `from + step`, … up to `to`. Rejects with PrometheusFailure. */
  async range(
    query: string,
    { from, to, stepSeconds }: { readonly from: Instant; readonly to: Instant; readonly stepSeconds: number },
    signal: AbortSignal,
  ): Promise<readonly RangeSeries[]> {
    const form = new URLSearchParams({
      query: this.#narrow(query),
      start: seconds(from),
      end: seconds(to),
      step: String(stepSeconds),
      timeout: `${QUERY_TIMEOUT_MS / SECOND_MS}s`,
    });
    return readMatrix(await this.#send('/api/v1/query_range', form, signal));
  }

  /** Label names of the series of a selector. Reads only the index. Rejects with PrometheusFailure. */
  async labelNames(match: string, from: Instant, to: Instant, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const form = new URLSearchParams({ 'match[]': this.#narrow(match), start: seconds(from), end: seconds(to) });
    return readLabelNames(await this.#send('/api/v1/labels', form, signal));
  }

  /** Values of a label over the series of a selector. Reads only the index. Rejects with PrometheusFailure. */
  async labelValues(label: string, match: string, from: Instant, to: Instant, signal: AbortSignal): Promise<readonly string[]> {
    const form = new URLSearchParams({ 'match[]': this.#narrow(match), start: seconds(from), end: seconds(to) });
    return [...readLabelNames(await this.#send(`/api/v1/label/${label}/values`, form, signal, 'GET'))];
  }

  /** Label sets of the series of a selector. Reads only the index. Rejects with PrometheusFailure. */
  async series(match: string, from: Instant, to: Instant, signal: AbortSignal): Promise<readonly LabelSet[]> {
    const form = new URLSearchParams({ 'match[]': this.#narrow(match), start: seconds(from), end: seconds(to) });
    return readSeries(await this.#send('/api/v1/series', form, signal));
  }

  #narrow(query: string): string {
    return narrowQuery(query, this.#dependencies.connection.matchers);
  }

  async #send(path: string, form: URLSearchParams, caller: AbortSignal, method: 'GET' | 'POST' = 'POST'): Promise<unknown> {
    const signal = AbortSignal.any([caller, this.#closed.signal]);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#sendOnce({ method, path, form }, signal);
      } catch (error) {
        const mayRetry = error instanceof PrometheusFailure && (error.kind === 'busy' || error.kind === 'unreachable');
        if (!mayRetry || attempt === ATTEMPTS || signal.aborted) throw error;
        const backOff =
          Math.min(FIRST_BACK_OFF_MS * Math.pow(2, attempt - 1), MAX_BACK_OFF_MS) * (0.75 + this.#dependencies.random.next() / 2);
        await this.#wait(Math.min(Math.max(backOff, error.retryAfterMs ?? 0), MAX_BACK_OFF_MS), signal);
      }
    }
  }

  async #sendOnce(request: QueryRequest, signal: AbortSignal): Promise<unknown> {
    await this.#acquireSlot(signal);
    const { timer } = this.#dependencies;
    const started = timer.nowMs();
    try {
      const answer = await this.#exchange.send(request, ANSWER_TIMEOUT_MS, signal);
      return this.#dataOf(answer);
    } finally {
      const took = timer.nowMs() - started;
      if (took > SLOW_MS) this.#pauseUntilMs = timer.nowMs() + Math.min(took, MAX_PAUSE_MS);
      this.#releaseSlot();
    }
  }

  #dataOf({ status, body, retryAfterMs }: HttpAnswer): unknown {
    if (status < 200 || status >= 300) throw failureOf(status, body, retryAfterMs, this.shown);
    let answer: { readonly status?: unknown; readonly data?: unknown; readonly warnings?: unknown } | null;
    try {
      answer = JSON.parse(body) as typeof answer;
    } catch (cause) {
      throw new PrometheusFailure('malformed', `${this.shown} did not answer with JSON: is it the address of Prometheus?`, { cause });
    }
    if (answer?.status !== 'success' || answer.data === undefined) {
      throw new PrometheusFailure('malformed', `${this.shown} answered unlike Prometheus: is it the address of Prometheus?`);
    }
    if (Array.isArray(answer.warnings))
      for (const warning of answer.warnings) this.#dependencies.onWarning?.(String(warning).slice(0, 300));
    return answer.data;
  }

  /** Waits for a free slot, and for the end of a pause. */
  async #acquireSlot(signal: AbortSignal): Promise<void> {
    if (this.#inFlight >= MAX_IN_FLIGHT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inFlight += 1;
    try {
      for (let left = this.#remainingPause(); left > 0; left = this.#remainingPause()) await this.#wait(left, signal);
      signal.throwIfAborted();
    } catch (error) {
      this.#releaseSlot();
      throw error;
    }
  }

  #remainingPause(): DurationMs {
    return this.#pauseUntilMs - this.#dependencies.timer.nowMs();
  }

  #releaseSlot(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#inFlight -= 1;
    else next();
  }

  #wait(ms: DurationMs, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        cancel();
        reject(signal.reason as Error);
      };
      const cancel = this.#dependencies.timer.setTimer(ms, () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

const BUSY = new Set([429, 502, 503, 504]);
const REMEDIES: Readonly<Record<number, string>> = {
  401: 'set credentials (a token file, a header, or user and password in the address)',
  403: 'the credentials do not permit queries',
  404: 'there is no query API under this address; check its path',
};

function failureOf(status: number, body: string, retryAfterMs: number | null, shown: string): PrometheusFailure {
  const error = errorIn(body);
  const message = `${shown} answered ${status}${error === '' ? '' : `: ${error}`}`;
  // 422 is an execution error, mostly too many samples. Some servers answer 413, or 400 with the name of the limit.
  if (status === 422 || status === 413 || (status === 400 && /exceed|too many|limit/i.test(error))) {
    return new PrometheusFailure('too-much', message);
  }
  if (BUSY.has(status)) return new PrometheusFailure('busy', message, { retryAfterMs });
  if (status >= 500) return new PrometheusFailure('busy', message, { retryAfterMs });
  const remedy = REMEDIES[status];
  return new PrometheusFailure('refused', remedy === undefined ? message : `${message}; ${remedy}`);
}

function errorIn(body: string): string {
  try {
    const { error } = JSON.parse(body) as { readonly error?: unknown };
    return typeof error === 'string' ? error.slice(0, 300) : '';
  } catch {
    return '';
  }
}

function seconds(at: Instant): string {
  return (at / SECOND_MS).toFixed(3);
}
