import { describe, expect, test } from '@jest/globals';
import { ApiFault, type ApiFailure } from '../../adapters/kubernetes/status.ts';
import type { WriteOutcome } from '../../ports/cluster/writers.ts';
import type { Finding, Restorer } from './restorer.ts';
import { runRestorer, findRemaining } from './run-restorer.ts';

const DONE: WriteOutcome = { kind: 'done' };
const REFUSED: WriteOutcome = { kind: 'refused', status: 403, message: 'exceeded quota: tight' };
const MOVED: WriteOutcome = { kind: 'conflict', message: 'the test failed' };

/** Objects with the outcomes of their writes in order; each pass finds those that are not restored. */
class FakeRestorer implements Restorer {
  readonly name = 'things put back';
  readonly #outcomes: Map<string, WriteOutcome[]>;

  constructor(outcomes: Readonly<Record<string, readonly WriteOutcome[]>>) {
    this.#outcomes = new Map(Object.entries(outcomes).map(([name, list]) => [name, [...list]]));
  }

  async *find(): AsyncGenerator<Finding> {
    for (const [object, outcomes] of [...this.#outcomes]) {
      yield { kind: 'change', object, change: 'put back', carryOut: async () => this.#carryOut(object, outcomes) };
    }
    yield { kind: 'keep', object: 'foreign', why: 'of another writer' };
  }

  #carryOut(object: string, outcomes: WriteOutcome[]): WriteOutcome {
    const outcome = (outcomes.length > 1 ? outcomes.shift() : outcomes[0]) ?? DONE;
    if (outcome.kind === 'done' || outcome.kind === 'gone') this.#outcomes.delete(object);
    return outcome;
  }
}

function refusing(failure: Partial<ApiFailure>): Restorer {
  return {
    name: 'things put back',
    // eslint-disable-next-line require-yield -- it fails before it finds anything
    async *find() {
      throw new ApiFault('listing things', { status: 500, reason: '', message: 'no', causes: [], retryAfterMs: null, ...failure });
    },
  };
}

function running(dryRun = false): { readonly run: Parameters<typeof runRestorer>[1]; readonly printed: string[] } {
  const printed: string[] = [];
  return { printed, run: { dryRun, signal: new AbortController().signal, print: (line) => printed.push(line) } };
}

describe('a restorer', () => {
  test.each<[string, Readonly<Record<string, readonly WriteOutcome[]>>, number, readonly string[]]>([
    ['does everything and looks once more', { a: [DONE], b: [DONE] }, 2, []],
    ['tries again what a quota refused before the rest was put back', { a: [REFUSED, DONE], b: [DONE] }, 2, []],
    ['reports what stays refused, in the server’s words', { a: [REFUSED], b: [DONE] }, 1, ['refused: exceeded quota: tight']],
    ['looks again at what moved', { a: [MOVED, MOVED, DONE] }, 1, []],
    ['stops retrying an object that changes each time', { a: [MOVED] }, 0, ['it changed concurrently: the test failed']],
    ['counts what is gone as put back', { a: [{ kind: 'gone', message: 'no such pod' }] }, 1, []],
  ])('%s', async (_, outcomes, changed, left) => {
    const { run } = running();
    const result = await runRestorer(new FakeRestorer(outcomes), run);
    expect({ changed: result.changed, left: result.left.map(({ why }) => why) }).toEqual({ changed, left });
    expect(result.kept).toEqual([{ object: 'foreign', why: 'of another writer' }]);
  });

  test('in a dry run makes one pass and prints its changes', async () => {
    const { run, printed } = running(true);
    const result = await runRestorer(new FakeRestorer({ a: [{ kind: 'dry-run' }] }), run);
    expect(result).toMatchObject({ changed: 1, left: [] });
    expect(printed).toEqual(expect.arrayContaining(['would change a: put back', 'kept foreign: of another writer']));
  });

  test('does nothing for a kind that is not installed, and reports what it may not read', async () => {
    const missing = await runRestorer(refusing({ status: 404, reason: 'NotFound' }), running().run);
    expect(missing.left).toEqual([]);
    const forbidden = await runRestorer(refusing({ status: 403, reason: 'Forbidden' }), running().run);
    expect(forbidden.left).toEqual([
      { object: 'things put back', why: expect.stringMatching(/^listing things: no.*; grant the permission/) },
    ]);
  });

  test('reports what is not restored in the last pass', async () => {
    const left = await findRemaining(new FakeRestorer({ a: [DONE] }), new AbortController().signal);
    expect(left).toEqual([{ object: 'a', why: 'not done: put back' }]);
  });
});
