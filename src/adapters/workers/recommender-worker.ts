import type { Answers, QuestionKind, Questions, RecommenderUpdate } from '../../core/recommender/recommender-service.ts';

/** One recommender, in this thread or another. Samples are taken in before questions that were sent after them. */
export interface RecommenderWorker {
  notify(update: RecommenderUpdate): void;
  /** Rejects while what was lost in a crash is being restored, after a dead line, and after `stop`. */
  ask<Kind extends QuestionKind>(kind: Kind, question: Questions[Kind]): Promise<Answers[Kind]>;
  stop(): Promise<void>;
}
