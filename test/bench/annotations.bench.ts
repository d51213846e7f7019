// Memory of annotations that any client with patch on its own workloads can write: 100,000 different values, short and long, one
// after another on one Deployment, decoded as from its watch. Once the tables of shared texts are full the heap stays flat, because
// only the last record is kept.
//
//   make bench BENCH=annotations
//   node test/bench/annotations.bench.ts [--record]

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { workloadReader } from '../../src/adapters/kubernetes/decode/decode-workload.ts';
import { Interner } from '../../src/adapters/kubernetes/decode/interner.ts';
import { DEPLOYMENTS } from '../../src/adapters/kubernetes/resources.ts';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';

const VALUES = 100_000;
/** Characters: a time, a floor of many containers, the longest that is kept, and one that is left out. */
const LENGTHS = [25, 200, 2_000, 16_000, 20_000] as const;
const MiB = 2 ** 20;
const TABLE_FILL = 400_000;
/** Of the heap over all values, once the tables are full. */
const MAX_GROWTH = 4 * MiB;
/** Figures are whole steps: the heap of two runs differs by less. */
const STEP = 4 * MiB;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const interner = new Interner();
const read = workloadReader(DEPLOYMENTS);
let last: unknown = null;

function patch(number: number): void {
  const value = String(number).padEnd(LENGTHS[number % LENGTHS.length] ?? 0, 'x');
  const annotations = { 'evenkeel.io/held-until': value, 'evenkeel.io/floor': value, 'evenkeel.io/of-no-meaning': value };
  const event = JSON.stringify({ metadata: { name: 'web', namespace: 'shop', uid: 'u', annotations }, spec: { template: {} }, status: {} });
  last = read(JSON.parse(event) as Record<string, unknown>, interner);
}

const empty = heap();
// Label maps and short annotations, all different: the tables are as full as they get.
for (let number = 0; number < TABLE_FILL; number++) interner.map({ 'evenkeel.io/trigger': `full-${number}` });
const before = heap();
for (let number = 0; number < VALUES; number++) patch(number);
const growth = heap() - before;
if (last === null) throw new Error('nothing was decoded');

const input = `${VALUES} values of ${LENGTHS.join(', ')} characters in three annotations`;
const stepsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / STEP)) * STEP;
const measured: Figure[] = [
  { id: 'annotations/tables', value: stepsOf(before - empty), unit: 'bytes', input: `${TABLE_FILL} different maps` },
  { id: 'annotations/growth', value: stepsOf(growth), unit: 'bytes', input },
];
for (const { id, value, unit, input: of } of measured) console.log(JSON.stringify({ figure: id, value, unit, input: of }));
console.log(JSON.stringify({ figure: 'annotations', tables: before - empty, growth, mostGrowth: MAX_GROWTH }));
const { regressions, compared, notCompared } = compareFigures(measured, readRecordedFigures());
console.log(JSON.stringify({ figure: 'annotations: regression-check', compared, notCompared, regressions }));
if (regressions.length > 0 || growth > MAX_GROWTH) process.exitCode = 1;
if (process.argv.includes('--record')) recordFigures(measured);
