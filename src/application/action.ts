import type { Refusal } from '../core/access/refusal.ts';
import type { Scope } from '../core/access/scope.ts';
import type { Command } from '../commands/command.ts';
import type { CommandRefusal } from '../commands/outcome.ts';
import type { Found } from '../queries/outcome.ts';
import type { ReadModels } from '../queries/read-models.ts';

/** A command with the reads before and after it. */
export interface Action<Input, Change, Answer> extends Command<Input, Change> {
  /**
   * The object as its query returns it, to be compared with what the caller has read. Absent where no query reads the object, so that the
   * command cannot be conditional.
   */
  readonly current?: (models: ReadModels, scope: Scope, input: Input) => Found<unknown> | Refusal | Promise<Found<unknown> | Refusal>;
  /** The changed object as its query returns it, derived from the change because the informers may lag. */
  answer(models: ReadModels, change: Change): Answered<Answer> | CommandRefusal;
}

/** The response of a command. */
export interface Answered<Answer> {
  readonly kind: 'answer';
  readonly data: Answer;
}

/** Combines a command with its reads. */
export function actionOf<Input, Change, Answer>(
  command: Command<Input, Change>,
  reading: Pick<Action<Input, Change, Answer>, 'current' | 'answer'>,
): Action<Input, Change, Answer> {
  return { requires: command.requires, run: (ports, caller, input) => command.run(ports, caller, input), ...reading };
}

export function answered<Answer>(data: Answer): Answered<Answer> {
  return { kind: 'answer', data };
}
