// For any sequence of owners, user edits and crashes: the value of the first owner is in force, no edit is lost, and the user's
// last value is restored after all owners have left.

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readOriginalValues, writeOriginalValues } from './original-values.ts';
import { NO_ORIGINAL_VALUES, leave, take, valueToWrite, type OwnedFieldName, type OriginalValues, type Owner } from './owners.ts';

/** Expected priority of owners, highest first. */
const ORDER: readonly Owner[] = ['schedules', 'floor', 'idle', 'tuning', 'keep-replicas'];

/** An object in the API server. Each call of `#write` is one request, and the process may crash before it. */
class StoredObject {
  annotation: string | null = null;
  live: number;
  readonly #field: OwnedFieldName;
  #requestsLeft = Number.POSITIVE_INFINITY;
  #now = 0;

  constructor(field: OwnedFieldName, user: number) {
    this.#field = field;
    this.live = user;
  }

  get originals(): OriginalValues {
    return this.annotation === null ? NO_ORIGINAL_VALUES : readOriginalValues(this.annotation)!;
  }

  /** Level-triggered: compares the wanted value with the stored one until there is nothing to write. */
  reconcile(writer: Owner, wanted: number | null, requests: number): 'done' | 'crashed' {
    this.#requestsLeft = requests;
    // Three rounds of writes are enough: the originals, the value, and the originals without `from`.
    for (let round = 0; round < 4; round++) {
      const { originals, live } = this;
      const at = originals.takenAt.get(writer) ?? (this.#now += 1000);
      const next =
        wanted === null ? leave(originals, writer, () => live) : take(originals, { writer, field: this.#field, value: wanted, live, at });
      const annotation = next.fields.size === 0 ? null : writeOriginalValues(next);
      const to = valueToWrite(originals, next, this.#field, live);
      if (annotation === this.annotation && to === live) return 'done';
      if (this.#field === 'replicas') {
        if (annotation !== this.annotation ? !this.#write({ annotation }) : !this.#write({ live: to })) return 'crashed';
      } else if (!this.#write({ annotation, live: to })) return 'crashed';
    }
    throw new Error('reconciling does not converge');
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

/** User values differ from those of owners: an edit to the value of an owner could not be distinguished from it. */
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

describe.each<[string, OwnedFieldName]>([
  ['that is written with the originals', 'minReplicas'],
  ['that is written after the originals', 'replicas'],
  ['for a target', 'cpu/main'],
])('a field %s', (_, field) => {
  test('has the first owner’s value at any time, and the user’s after all have left', () => {
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
            // After a crash a new process finishes the writes.
            if (object.reconcile(writer, value, requests) === 'crashed') object.reconcile(writer, value, 99);
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

  test('keeps a user edit between a crash and the next write', () => {
    fc.assert(
      fc.property(fc.array(ACTION, { maxLength: 30 }), fc.array(fc.integer({ min: 50, max: 53 })), (actions, edits) => {
        const object = new StoredObject(field, 49);
        let user = 49;
        const remaining = [...edits];
        for (const action of actions) {
          if (action.kind === 'edit' || object.reconcile(action.writer, action.value, action.requests) === 'done') continue;
          const edit = remaining.shift() ?? object.live;
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
