// Whatever the writers do, whatever the user sets and wherever a process dies: the first owner's value is in force, no edit is lost, and
// the user's last value is back once all have left.

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readOriginalNote, writeOriginalNote } from './original-note.ts';
import { EMPTY_NOTE, leave, take, valueToWrite, type NoteField, type OriginalNote, type Owner } from './owners.ts';

/** The first wins: the order that is decided, said once more. */
const ORDER: readonly Owner[] = ['schedules', 'floor', 'idle', 'tuning', 'keep-replicas'];

/** An object as the API server stores it. Each call of `#write` is one request, and the process may die before it. */
class StoredObject {
  annotation: string | null = null;
  live: number;
  readonly #field: NoteField;
  #requestsLeft = Number.POSITIVE_INFINITY;
  #now = 0;

  constructor(field: NoteField, user: number) {
    this.#field = field;
    this.live = user;
  }

  get note(): OriginalNote {
    return this.annotation === null ? EMPTY_NOTE : readOriginalNote(this.annotation)!;
  }

  /** Level-triggered: what is wanted is compared with what is stored, until nothing is left to write. */
  reconcile(writer: Owner, wanted: number | null, requests: number): 'done' | 'died' {
    this.#requestsLeft = requests;
    // Each round writes; three are enough: the note, the value, and that the value is in force.
    for (let round = 0; round < 4; round++) {
      const { note, live } = this;
      const at = note.takenAt.get(writer) ?? (this.#now += 1000);
      const next = wanted === null ? leave(note, writer, () => live) : take(note, { writer, field: this.#field, value: wanted, live, at });
      const annotation = next.fields.size === 0 ? null : writeOriginalNote(next);
      const to = valueToWrite(note, next, this.#field, live);
      if (annotation === this.annotation && to === live) return 'done';
      if (this.#field === 'replicas') {
        if (annotation !== this.annotation ? !this.#write({ annotation }) : !this.#write({ live: to })) return 'died';
      } else if (!this.#write({ annotation, live: to })) return 'died';
    }
    throw new Error('it does not settle');
  }

  #write(change: { readonly annotation?: string | null; readonly live?: number }): boolean {
    if (this.#requestsLeft-- <= 0) return false;
    Object.assign(this, change);
    return true;
  }
}

type Action =
  | { readonly kind: 'wants'; readonly writer: Owner; readonly value: number | null; readonly requests: number }
  | { readonly kind: 'edit'; readonly value: number };

/** Users choose other values than writers: one who sets just what a writer has set cannot be distinguished from it. */
const ACTION: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wants' as const),
      writer: fc.constantFrom(...ORDER),
      value: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 3 }),
      requests: fc.constantFrom(0, 1, 2, 99, 99, 99),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit' as const), value: fc.integer({ min: 50, max: 53 }) }) },
);

describe.each<[string, NoteField]>([
  ['written with the note', 'minReplicas'],
  ['written apart from it', 'replicas'],
  ['of a target', 'cpu/main'],
])('a field %s', (_, field) => {
  test('is the first owner’s at every moment, and the user’s again once all have left', () => {
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 53 }), fc.array(ACTION, { maxLength: 30 }), (first, actions) => {
        const object = new StoredObject(field, first);
        let user = first;
        const active = new Map<Owner, number>();
        const inForce = (): number => ORDER.flatMap((owner) => active.get(owner) ?? [])[0] ?? user;
        for (const action of actions) {
          if (action.kind === 'edit') {
            if (action.value === object.live) continue;
            object.live = action.value;
            user = action.value;
            active.clear();
          } else {
            const { writer, value, requests } = action;
            if (value === null) active.delete(writer);
            else active.set(writer, value);
            // A process that died begins anew, and does all that is left.
            if (object.reconcile(writer, value, requests) === 'died') object.reconcile(writer, value, 99);
            expect(object.reconcile(writer, value, 0)).toBe('done');
          }
          expect(object.live).toBe(inForce());
        }
        for (const owner of ORDER) object.reconcile(owner, null, 99);
        expect([object.live, object.annotation]).toEqual([user, null]);
      }),
      { numRuns: 500 },
    );
  });

  test('keeps an edit that the user makes while a process is down between two writes', () => {
    fc.assert(
      fc.property(fc.array(ACTION, { maxLength: 30 }), fc.array(fc.integer({ min: 50, max: 53 })), (actions, edits) => {
        const object = new StoredObject(field, 49);
        let user = 49;
        const left = [...edits];
        for (const action of actions) {
          if (action.kind === 'edit' || object.reconcile(action.writer, action.value, action.requests) === 'done') continue;
          const edit = left.shift() ?? object.live;
          if (edit === object.live) continue;
          object.live = edit;
          user = edit;
        }
        for (const owner of ORDER) object.reconcile(owner, null, 99);
        expect([object.live, object.annotation]).toEqual([user, null]);
      }),
      { numRuns: 500 },
    );
  });
});
