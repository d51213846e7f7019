import { createHash } from 'node:crypto';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Scope } from '../../core/access/scope.ts';

/** What a cursor continues: one list of one caller. */
export interface CursorOwner {
  readonly scope: Pick<Scope, 'actor' | 'key'>;
  readonly tool: string;
  /** The arguments that select the items. */
  readonly filters: object;
}

/** A cursor with a digest of its owner. A forged digest gives nothing: each call is filtered by its caller's scope. */
export function bindCursor(cursor: string, owner: CursorOwner): string {
  return `${digestOf(owner)}.${cursor}`;
}

/** The cursor of a query; refused where another caller, tool or filter got it. */
export function readBoundCursor(bound: string, owner: CursorOwner): string | Extract<Refusal, { kind: 'invalid' }> {
  const [digest, cursor = ''] = bound.split('.', 2);
  if (digest === digestOf(owner)) return cursor;
  const message = 'belongs to another caller, tool or filter; start again without it';
  return { kind: 'invalid', details: [{ path: '/cursor', message }] };
}

function digestOf({ scope, tool, filters }: CursorOwner): string {
  const text = JSON.stringify([scope.actor, scope.key, tool, Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
