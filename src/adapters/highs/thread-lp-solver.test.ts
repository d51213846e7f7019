import { afterEach, expect, test } from '@jest/globals';
import { LinearProgramBuilder, type LinearProgram } from '../../core/packing/linear-program.ts';
import { ThreadLpSolver } from './thread-lp-solver.ts';

let solver = new ThreadLpSolver();
afterEach(async () => {
  await solver.close();
  solver = new ThreadLpSolver();
});

/** The least cost of two goods, of which together at least `amount` are needed, and of the cheaper at most 3. */
function aProgram(amount: number): LinearProgram {
  const builder = new LinearProgramBuilder();
  const together = builder.addRow(amount, Infinity);
  const most = builder.addRow(-Infinity, 3);
  builder.addColumn(1, [
    [together, 1],
    [most, 1],
  ]);
  builder.addColumn(2, [
    [together, 1],
    [most, 0],
  ]);
  return builder.build();
}

const never = new AbortController().signal;

test('solves programs one after the other, with their duals', async () => {
  const [first, second] = await Promise.all([solver.solve(aProgram(5), never), solver.solve(aProgram(2), never)]);
  expect([...first!.columnValues]).toEqual([3, 2]);
  expect([...first!.rowDuals]).toEqual([2, -1]);
  expect([...second!.columnValues]).toEqual([2, 0]);
});

test('has no solution for a program that none solves', async () => {
  const builder = new LinearProgramBuilder();
  builder.addColumn(1, [[builder.addRow(-Infinity, -1), 1]]);
  expect(await solver.solve(builder.build(), never)).toBeNull();
});

test('reports what the solver refuses, and goes on', async () => {
  const invalid = { ...aProgram(5), costs: new Float64Array([NaN, 1]) };
  await expect(solver.solve(invalid, never)).rejects.toThrow('the solver failed');
  expect((await solver.solve(aProgram(5), never))?.columnValues).toHaveLength(2);
});

test('ends with the reason of an abort, and begins again with the next program', async () => {
  const abort = new AbortController();
  const solution = solver.solve(aProgram(5), abort.signal);
  abort.abort(new Error('time is over'));
  await expect(solution).rejects.toThrow('time is over');
  expect((await solver.solve(aProgram(5), never))?.columnValues).toHaveLength(2);
});
