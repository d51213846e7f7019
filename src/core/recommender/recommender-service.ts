// The recommender as plain data in and plain data out, so that it works the same in this thread and in another.

import type { UsageSample, UsageSeries } from '#kube/records/usage';
import type { Bytes, Instant } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import type { ContainerAdvice, RecommenderRules } from './advice.ts';
import { Recommender, type BackfillResult, type RecommenderCheckpoint } from './recommender.ts';

/** Messages without an answer. */
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
      /** The last one before the death; null: not measured. */
      readonly workingSetBytes: Bytes | null;
    }
  | { readonly kind: 'change'; readonly workload: WorkloadKey; readonly at: Instant };

/** What is asked, by kind. */
export interface Questions {
  readonly advise: { readonly workload: WorkloadKey; readonly now: Instant; readonly rules: ReadonlyMap<string, RecommenderRules> };
  readonly backfill: { readonly series: readonly UsageSeries[] };
  readonly restore: { readonly checkpoints: readonly RecommenderCheckpoint[] };
  /** Keys of the containers that changed after a sequence number, and the current number. */
  readonly changed: { readonly since: number };
  readonly checkpoints: { readonly keys: readonly string[] };
  readonly forget: { readonly workload: WorkloadKey };
  readonly workloads: null;
}

/** What is answered, by kind of question. */
export interface Answers {
  readonly advise: readonly ContainerAdvice[];
  readonly backfill: BackfillResult;
  readonly restore: { readonly restored: number; readonly refused: number };
  readonly changed: { readonly sequence: number; readonly keys: readonly string[] };
  readonly checkpoints: readonly RecommenderCheckpoint[];
  readonly forget: readonly string[];
  readonly workloads: readonly WorkloadKey[];
}

export type QuestionKind = keyof Questions;

export class RecommenderService {
  readonly #recommender: Recommender;
  readonly #answer: { readonly [Kind in QuestionKind]: (question: Questions[Kind]) => Answers[Kind] };

  /** @param sequence where a predecessor's count ended: marks taken of it stay good */
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
      changed: ({ since }) => ({ sequence: recommender.sequence, keys: recommender.changedSince(since) }),
      checkpoints: ({ keys }) => keys.flatMap((key) => recommender.checkpointOf(key) ?? []),
      forget: ({ workload }) => recommender.forget(workload),
      workloads: () => [...recommender.workloads()],
    };
  }

  notify(update: RecommenderUpdate): void {
    switch (update.kind) {
      case 'sample':
        this.#recommender.observe(update.workload, update.container, update.pod, update.sample);
        return;
      case 'oom':
        this.#recommender.observeOom(update.workload, update.container, update.at, update.limitBytes, update.workingSetBytes);
        return;
      case 'change':
        this.#recommender.noteChange(update.workload, update.at);
        return;
    }
  }

  ask<Kind extends QuestionKind>(kind: Kind, question: Questions[Kind]): Answers[Kind] {
    return this.#answer[kind](question);
  }
}

/** Messages from the owner of the worker. */
export type WorkerRequest =
  | { readonly type: 'notify'; readonly batch: readonly RecommenderUpdate[] }
  | { readonly type: 'ask'; readonly id: number; readonly kind: QuestionKind; readonly question: Questions[QuestionKind] };

/** From the worker. */
export type WorkerReply =
  | { readonly type: 'received'; readonly count: number; readonly failed: number; readonly error: string | null }
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answers[QuestionKind] }
  | { readonly type: 'failure'; readonly id: number; readonly message: string };

/** One message handled: a mistake in one never stops the next. */
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
