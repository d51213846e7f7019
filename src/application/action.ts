import type { Refusal } from '../core/access/refusal.ts';
import type { Scope } from '../core/access/scope.ts';
import type { Command } from '../commands/command.ts';
import type { CommandRefusal } from '../commands/outcome.ts';
import type { Found } from '../queries/outcome.ts';
import type { ReadModels } from '../queries/read-models.ts';

/** A command with what its caller reads before and after it. */
export interface Action<Input, Change, Answer> extends Command<Input, Change> {
  /**
   * The object as its own query answers it: what a caller has seen and wants unchanged is compared with it. Left out: no query
   * reads the object by itself, so nothing can be compared.
   */
  readonly current?: (models: ReadModels, scope: Scope, input: Input) => Found<unknown> | Refusal | Promise<Found<unknown> | Refusal>;
  /** The changed object as its query answers it, from the change and not from the informers, which may be a moment behind. */
  answer(models: ReadModels, change: Change): Answered<Answer> | CommandRefusal;
}

/** What a command answers. */
export interface Answered<Answer> {
  readonly kind: 'answer';
  readonly data: Answer;
}

/** Joins a command with what is read around it. */
export function actionOf<Input, Change, Answer>(
  command: Command<Input, Change>,
  reading: Pick<Action<Input, Change, Answer>, 'current' | 'answer'>,
): Action<Input, Change, Answer> {
  return { requires: command.requires, run: (ports, caller, input) => command.run(ports, caller, input), ...reading };
}

export function answered<Answer>(data: Answer): Answered<Answer> {
  return { kind: 'answer', data };
}
