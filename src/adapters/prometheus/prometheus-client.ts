// Queries to Prometheus, with care for it: few at a time, a rest after a slow answer, a longer one each time it is busy.

import type { DurationMs, Instant } from '#kube/units';
import { SECOND_MS } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { PrometheusConnection } from './connection.ts';
import { PrometheusFailure } from './failure.ts';
import { type HttpAnswer, HttpExchange } from './http-exchange.ts';
import { narrowed } from './narrow-query.ts';
import { type LabelSet, readLabelNames, readMatrix, readSeries, readVector, type RangeSeries, type InstantSample } from './read-answer.ts';

/** Concurrent queries, over all callers. */
export const MAX_IN_FLIGHT = 2;
/** Prometheus gives up on a query before we do, so that none goes on unheard. */
const QUERY_TIMEOUT_MS: DurationMs = 30 * SECOND_MS;
const ANSWER_TIMEOUT_MS: DurationMs = 40 * SECOND_MS;
/** An answer this slow says that it has enough to do. */
const SLOW_MS: DurationMs = 5 * SECOND_MS;
const MAX_PAUSE_MS: DurationMs = 30 * SECOND_MS;
const ATTEMPTS = 4;
const FIRST_BACK_OFF_MS: DurationMs = 2 * SECOND_MS;
const MAX_BACK_OFF_MS: DurationMs = 60 * SECOND_MS;

export interface PrometheusClientDependencies {
  readonly connection: PrometheusConnection;
  readonly timer: MachineTimer;
  readonly random: Random;
  /** An answer came with warnings: part of it is missing (Thanos, Mimir). */
  readonly onWarning?: (warning: string) => void;
}

interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly form: URLSearchParams;
}

/** What Prometheus is asked. */
export type PrometheusQueries = Pick<PrometheusClient, 'shown' | 'instant' | 'range' | 'labelNames' | 'labelValues' | 'series'>;

/** Every query and selector is narrowed by the matchers of the connection. */
export class PrometheusClient {
  readonly shown: string;
  readonly #dependencies: PrometheusClientDependencies;
  readonly #exchange: HttpExchange;
  readonly #waiting: (() => void)[] = [];
  readonly #closed = new AbortController();
  #inFlight = 0;
  #restUntilMs = 0;

  constructor(dependencies: PrometheusClientDependencies) {
    this.#dependencies = dependencies;
    this.shown = dependencies.connection.shown;
    this.#exchange = new HttpExchange(dependencies.connection, dependencies.timer, MAX_IN_FLIGHT);
  }

  /** Whatever is still asked for ends: nothing is tried again. */
  close(): void {
    this.#closed.abort(new PrometheusFailure('unreachable', `${this.shown} is not asked any more`));
    this.#exchange.close();
  }

  /** The value of each series at a moment. Throws PrometheusFailure. */
  async instant(query: string, at: Instant, signal: AbortSignal): Promise<readonly InstantSample[]> {
    const form = new URLSearchParams({ query: this.#ours(query), time: seconds(at), timeout: `${QUERY_TIMEOUT_MS / SECOND_MS}s` });
    return readVector(await this.#ask('/api/v1/query', form, signal));
  }

  /** Values of each series at `from`, `from + step`, … up to `to`. Throws PrometheusFailure. */
  async range(
    query: string,
    { from, to, stepSeconds }: { readonly from: Instant; readonly to: Instant; readonly stepSeconds: number },
    signal: AbortSignal,
  ): Promise<readonly RangeSeries[]> {
    const form = new URLSearchParams({
      query: this.#ours(query),
      start: seconds(from),
      end: seconds(to),
      step: String(stepSeconds),
      timeout: `${QUERY_TIMEOUT_MS / SECOND_MS}s`,
    });
    return readMatrix(await this.#ask('/api/v1/query_range', form, signal));
  }

  /** Names of the labels that series of a selector carry: the index alone is read. */
  async labelNames(match: string, from: Instant, to: Instant, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const form = new URLSearchParams({ 'match[]': this.#ours(match), start: seconds(from), end: seconds(to) });
    return readLabelNames(await this.#ask('/api/v1/labels', form, signal));
  }

  /** Values of one label over the series of a selector: the index alone is read. */
  async labelValues(label: string, match: string, from: Instant, to: Instant, signal: AbortSignal): Promise<readonly string[]> {
    const form = new URLSearchParams({ 'match[]': this.#ours(match), start: seconds(from), end: seconds(to) });
    return [...readLabelNames(await this.#ask(`/api/v1/label/${label}/values`, form, signal, 'GET'))];
  }

  /** Label sets of the series of a selector: the index alone is read. */
  async series(match: string, from: Instant, to: Instant, signal: AbortSignal): Promise<readonly LabelSet[]> {
    const form = new URLSearchParams({ 'match[]': this.#ours(match), start: seconds(from), end: seconds(to) });
    return readSeries(await this.#ask('/api/v1/series', form, signal));
  }

  #ours(query: string): string {
    return narrowed(query, this.#dependencies.connection.matchers);
  }

  async #ask(path: string, form: URLSearchParams, caller: AbortSignal, method: 'GET' | 'POST' = 'POST'): Promise<unknown> {
    const signal = AbortSignal.any([caller, this.#closed.signal]);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#askOnce({ method, path, form }, signal);
      } catch (error) {
        const mayRetry = error instanceof PrometheusFailure && (error.kind === 'busy' || error.kind === 'unreachable');
        if (!mayRetry || attempt === ATTEMPTS || signal.aborted) throw error;
        const backOff =
          Math.min(FIRST_BACK_OFF_MS * Math.pow(2, attempt - 1), MAX_BACK_OFF_MS) * (0.75 + this.#dependencies.random.next() / 2);
        await this.#wait(Math.min(Math.max(backOff, error.retryAfterMs ?? 0), MAX_BACK_OFF_MS), signal);
      }
    }
  }

  async #askOnce(question: Question, signal: AbortSignal): Promise<unknown> {
    await this.#take(signal);
    const { timer } = this.#dependencies;
    const started = timer.nowMs();
    try {
      const answer = await this.#exchange.send(question, ANSWER_TIMEOUT_MS, signal);
      return this.#dataOf(answer);
    } finally {
      const took = timer.nowMs() - started;
      if (took > SLOW_MS) this.#restUntilMs = timer.nowMs() + Math.min(took, MAX_PAUSE_MS);
      this.#giveBack();
    }
  }

  #dataOf({ status, body, retryAfterMs }: HttpAnswer): unknown {
    if (status < 200 || status >= 300) throw failureOf(status, body, retryAfterMs, this.shown);
    let answer: { readonly status?: unknown; readonly data?: unknown; readonly warnings?: unknown } | null;
    try {
      answer = JSON.parse(body) as typeof answer;
    } catch (cause) {
      throw new PrometheusFailure('malformed', `${this.shown} answered with what is no JSON: is it the address of Prometheus?`, { cause });
    }
    if (answer?.status !== 'success' || answer.data === undefined) {
      throw new PrometheusFailure('malformed', `${this.shown} answered with what Prometheus would not: is it its address?`);
    }
    if (Array.isArray(answer.warnings))
      for (const warning of answer.warnings) this.#dependencies.onWarning?.(String(warning).slice(0, 300));
    return answer.data;
  }

  /** Waits until one of the few may begin, and until a rest is over. */
  async #take(signal: AbortSignal): Promise<void> {
    if (this.#inFlight >= MAX_IN_FLIGHT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inFlight += 1;
    try {
      for (let left = this.#restLeft(); left > 0; left = this.#restLeft()) await this.#wait(left, signal);
      signal.throwIfAborted();
    } catch (error) {
      this.#giveBack();
      throw error;
    }
  }

  #restLeft(): DurationMs {
    return this.#restUntilMs - this.#dependencies.timer.nowMs();
  }

  #giveBack(): void {
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
  401: 'give it credentials (a token file, a header, or user and password in the address)',
  403: 'the credentials do not permit queries',
  404: 'there is no query API under this address; check its path',
};

function failureOf(status: number, body: string, retryAfterMs: number | null, shown: string): PrometheusFailure {
  const said = errorIn(body);
  const message = `${shown} answered ${status}${said === '' ? '' : `: ${said}`}`;
  // 422 is an execution error: mostly too many samples. Some answer 413, or 400 with the limit's name.
  if (status === 422 || status === 413 || (status === 400 && /exceed|too many|limit/i.test(said))) {
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
