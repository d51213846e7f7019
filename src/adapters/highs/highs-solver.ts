import highsModule from 'highs';
import type { LinearProgram, LinearSolution } from '../../core/packing/linear-program.ts';

// Its types describe the CommonJS build, whose default export is a property; this is the default export of the ES module.
const loadHighs = highsModule as unknown as typeof highsModule.default;

/** Solves a program and blocks its thread. Null: there is no optimal solution. */
export type BlockingSolver = (program: LinearProgram) => LinearSolution | null;

/** Loads HiGHS, compiled to WebAssembly. */
export async function loadHighsSolver(): Promise<BlockingSolver> {
  const highs = await loadHighs();
  return ({ costs, rowLower, rowUpper, starts, rows, values }) => {
    const model = highs.createModel();
    try {
      model.options.set({ output_flag: false });
      model.passModel({
        numCols: costs.length,
        numRows: rowLower.length,
        colCost: costs,
        colLower: new Float64Array(costs.length),
        colUpper: new Float64Array(costs.length).fill(Infinity),
        rowLower,
        rowUpper,
        matrix: { format: 'csc', numCols: costs.length, numRows: rowLower.length, starts, indices: rows, values },
      });
      model.run();
      if (model.getModelStatus() !== highs.constants.modelStatus.optimal) return null;
      const { colValue, rowDual } = model.getSolution();
      return { columnValues: colValue, rowDuals: rowDual };
    } finally {
      model.dispose();
    }
  };
}
