import type { Answers, QuestionKind, Questions, Telling } from '../../core/recommender/recommender-service.ts';

/** One recommender, in this thread or another. Samples are taken in before questions that were sent after them. */
export interface Seat {
  tell(telling: Telling): void;
  /** Rejects while what was lost in a crash is being restored, after a dead line, and after `stop`. */
  ask<Kind extends QuestionKind>(kind: Kind, question: Questions[Kind]): Promise<Answers[Kind]>;
  stop(): Promise<void>;
}
