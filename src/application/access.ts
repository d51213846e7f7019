import { requiredAccess, type Requirement } from '../core/access/requirement.ts';
import type { CommandName, QueryName } from './application.ts';
import { COMMANDS } from './commands.ts';
import { QUERIES } from './queries.ts';

/** The access that a call requires. */
export type Access = Requirement<never>['who'];

/** The required access of every query and command. */
export const ACCESS = Object.fromEntries(
  Object.entries({ ...QUERIES, ...COMMANDS }).map(([name, { requires }]) => [name, requiredAccess(name, requires)]),
) as Readonly<Record<QueryName | CommandName, Access>>;

/** Whether a query reads the command's object, so that a caller can make the command conditional on what was read. */
export function canCompare(name: string): boolean {
  return name in COMMANDS && 'current' in COMMANDS[name as CommandName];
}
