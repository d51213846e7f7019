import {
  RecommenderService,
  type Answers,
  type QuestionKind,
  type Questions,
  type RecommenderUpdate,
} from '../../core/recommender/recommender-service.ts';
import type { RecommenderWorker } from './recommender-worker.ts';

/** In this thread: where the same seed must give the same end, and where there is too little to learn for a thread. */
export class InlineWorker implements RecommenderWorker {
  readonly #service = new RecommenderService();

  notify(update: RecommenderUpdate): void {
    this.#service.notify(update);
  }

  async ask<Kind extends QuestionKind>(kind: Kind, question: Questions[Kind]): Promise<Answers[Kind]> {
    return this.#service.ask(kind, question);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
