import type { Requirement } from '../core/access/requirement.ts';
import type { CommandName, QueryName } from './application.ts';
import { COMMANDS } from './commands.ts';
import { QUERIES } from './queries.ts';

/** Who may make a call, in one word. */
export type Access = Requirement<never>['who'];

/** Who may ask each query and give each command, derived from what each states. */
export const ACCESS = Object.fromEntries(
  Object.entries({ ...QUERIES, ...COMMANDS }).map(([name, { requires }]) => [name, requires.who]),
) as Readonly<Record<QueryName | CommandName, Access>>;

/** Commands whose object a query of its own reads, so that a caller can say what they have seen of it. */
export function canCompare(name: string): boolean {
  return name in COMMANDS && 'current' in COMMANDS[name as CommandName];
}
