import {
  RecommenderService,
  type Answers,
  type QuestionKind,
  type Questions,
  type Telling,
} from '../../core/recommender/recommender-service.ts';
import type { Seat } from './seat.ts';

/** In this thread: where the same seed must give the same end, and where there is too little to learn for a thread. */
export class InlineSeat implements Seat {
  readonly #service = new RecommenderService();

  tell(telling: Telling): void {
    this.#service.tell(telling);
  }

  async ask<Kind extends QuestionKind>(kind: Kind, question: Questions[Kind]): Promise<Answers[Kind]> {
    return this.#service.ask(kind, question);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
