import type { Answers, QuestionKind, Questions, RecommenderUpdate } from '../../core/recommender/recommender-service.ts';

/** One recommender in the main thread or a worker thread. Samples are processed before questions that were sent after them. */
export interface RecommenderWorker {
  notify(update: RecommenderUpdate): void;
  /**
   * Waits while the state lost in a crash is being restored. Rejects while the thread is being replaced (`restore` only), when the thread
   * is lost before the answer, after the deadline, and after `stop`.
   */
  ask<Kind extends QuestionKind>(kind: Kind, question: Questions[Kind]): Promise<Answers[Kind]>;
  stop(): Promise<void>;
}
