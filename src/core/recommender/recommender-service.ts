// Message interface of the recommender: plain data in and out, the same for this thread and a worker thread.

import type { UsageSample, UsageSeries } from '#kube/records/usage';
import type { Bytes, Instant } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import type { ContainerAdvice, RecommenderRules } from './advice.ts';
import { Recommender, type BackfillResult, type RecommenderCheckpoint } from './recommender.ts';

/** Observations, which have no answer. */
export type RecommenderUpdate =
  | {
      readonly kind: 'sample';
      readonly workload: WorkloadKey;
      readonly container: string;
      readonly pod: string;
      readonly sample: UsageSample;
    }
  | {
      readonly kind: 'oom';
      readonly workload: WorkloadKey;
      readonly container: string;
      readonly at: Instant;
      readonly limitBytes: Bytes | null;
      /** The last one before the kill; null: not measured. */
      readonly workingSetBytes: Bytes | null;
    }
  | { readonly kind: 'version'; readonly workload: WorkloadKey; readonly version: number; readonly at: Instant };

/** Input of each request, by kind. */
export interface Questions {
  readonly advise: { readonly workload: WorkloadKey; readonly now: Instant; readonly rules: ReadonlyMap<string, RecommenderRules> };
  readonly backfill: { readonly series: readonly UsageSeries[] };
  readonly restore: { readonly checkpoints: readonly RecommenderCheckpoint[] };
  /** Keys of the containers that changed after a sequence number, and the current number. */
  readonly changedSince: { readonly since: number };
  readonly checkpoints: { readonly keys: readonly string[] };
  readonly forget: { readonly workload: WorkloadKey };
  readonly workloads: null;
}

/** Answer of each request, by kind. */
export interface Answers {
  readonly advise: readonly ContainerAdvice[];
  readonly backfill: BackfillResult;
  readonly restore: { readonly restored: number; readonly refused: number };
  readonly changedSince: { readonly sequence: number; readonly keys: readonly string[] };
  readonly checkpoints: readonly RecommenderCheckpoint[];
  readonly forget: readonly string[];
  readonly workloads: readonly WorkloadKey[];
}

/** Kind of a request. */
export type QuestionKind = keyof Questions;

/** Dispatches messages to one `Recommender`. */
export class RecommenderService {
  readonly #recommender: Recommender;
  readonly #answer: { readonly [Kind in QuestionKind]: (question: Questions[Kind]) => Answers[Kind] };

  /** @param sequence last sequence number of the worker before it: earlier numbers stay valid for `changedSince` */
  constructor(sequence = 0) {
    const recommender = new Recommender(sequence);
    this.#recommender = recommender;
    this.#answer = {
      advise: ({ workload, now, rules }) => recommender.advise(workload, now, (container) => rules.get(container)),
      backfill: ({ series }) => recommender.backfill(series),
      restore: ({ checkpoints }) => {
        const restored = checkpoints.filter((checkpoint) => recommender.restore(checkpoint)).length;
        return { restored, refused: checkpoints.length - restored };
      },
      changedSince: ({ since }) => ({ sequence: recommender.sequence, keys: recommender.changedSince(since) }),
      checkpoints: ({ keys }) => keys.flatMap((key) => recommender.checkpointOf(key) ?? []),
      forget: ({ workload }) => recommender.forget(workload),
      workloads: () => [...recommender.workloads()],
    };
  }

  /** Applies an observation. */
  notify(update: RecommenderUpdate): void {
    switch (update.kind) {
      case 'sample':
        this.#recommender.observe(update.workload, update.container, update.pod, update.sample);
        return;
      case 'oom':
        this.#recommender.observeOom(update.workload, update.container, update.at, update.limitBytes, update.workingSetBytes);
        return;
      case 'version':
        this.#recommender.observeVersion(update.workload, update.version, update.at);
        return;
    }
  }

  /** Answers a request; throws if the recommender does. */
  ask<Kind extends QuestionKind>(kind: Kind, question: Questions[Kind]): Answers[Kind] {
    return this.#answer[kind](question);
  }
}

/** Messages to the worker. */
export type WorkerRequest =
  | { readonly type: 'notify'; readonly batch: readonly RecommenderUpdate[] }
  | { readonly type: 'ask'; readonly id: number; readonly kind: QuestionKind; readonly question: Questions[QuestionKind] };

/** Messages from the worker. */
export type WorkerReply =
  | { readonly type: 'received'; readonly count: number; readonly failed: number; readonly error: string | null }
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answers[QuestionKind] }
  | { readonly type: 'failure'; readonly id: number; readonly message: string };

/** Handles one message. An exception becomes part of the reply, so that it does not stop later messages. */
export function handleRequest(service: RecommenderService, request: WorkerRequest): WorkerReply {
  if (request.type === 'ask') {
    try {
      return { type: 'answer', id: request.id, answer: service.ask(request.kind, request.question) };
    } catch (error) {
      return { type: 'failure', id: request.id, message: messageOf(error) };
    }
  }
  let failed = 0;
  let first: string | null = null;
  for (const update of request.batch) {
    try {
      service.notify(update);
    } catch (error) {
      failed += 1;
      first ??= messageOf(error);
    }
  }
  return { type: 'received', count: request.batch.length, failed, error: first };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
