// What a node costs whose kubelet is not its own any more: pages as large as they may be for a node of 110 pods, of pods that it does
// not run and of containers that it invents for its own, ever new ones. Goals: the heap stays flat, and a page holds the event loop no
// longer than 150 ms. An honest page of the same node is measured beside.
//
//   make bench BENCH=usage-flood
//   node test/bench/usage-flood.bench.ts [--record]

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { NodeCounters } from '../../src/adapters/kubelet/node-counters.ts';
import { maxPageBytes } from '../../src/adapters/kubelet/page-bounds.ts';
import { textMetrics } from '../../src/adapters/kubelet/text-pages.ts';
import type { ReportFault } from '../../src/core/model/pod.ts';
import { MINUTE_MS } from '../../src/core/model/units.ts';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';

const PODS = 110;
const PAGES = 60;
const MiB = 2 ** 20;
const MOST_GROWTH = 16 * MiB;
const MOST_MS = 150;
const MAX_BYTES = maxPageBytes('metrics', Array.from({ length: PODS }));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Of containers with ever new names; of a fixed page where `round` is 0. */
function pageOf(round: number, pod: (at: number) => string, maxBytes: number): string {
  const lines: string[] = [];
  for (let bytes = 0, at = 0; bytes < maxBytes; at++) {
    const labels = `container="c${round}-${at}",namespace="shop",pod="${pod(at)}"`;
    const line = `container_memory_working_set_bytes{${labels}} 1000000 ${round * MINUTE_MS + 1}\n`;
    bytes += line.length;
    lines.push(line);
  }
  // As from the network: flat, and of nothing else.
  return Buffer.from(lines.join('')).toString();
}

interface Flood {
  readonly growth: number;
  readonly mostMs: number;
  readonly refusedPages: number;
}

function flood(fault: ReportFault | null, maxBytes: number, isHonest: boolean): Flood {
  const counters = new NodeCounters('n1', 3 * MINUTE_MS, () => fault);
  const before = heap();
  let [mostMs, refusedPages] = [0, 0];
  for (let round = 1; round <= PAGES; round++) {
    const text = pageOf(isHonest ? 0 : round, (at) => `web-${at % PODS}`, maxBytes);
    const startedMs = performance.now();
    try {
      counters.read(textMetrics(text), round * MINUTE_MS);
    } catch {
      refusedPages += 1;
    }
    // The first pages are read by code that is not compiled yet.
    if (round > PAGES / 4) mostMs = Math.max(mostMs, performance.now() - startedMs);
  }
  return { growth: heap() - before, mostMs, refusedPages };
}

const input = `${PAGES} pages of ${MAX_BYTES} bytes, ${PODS} pods`;
const floods = { foreign: flood('foreign-pod', MAX_BYTES, false), invented: flood(null, MAX_BYTES, false) };
const honest = flood(null, 300_000, true);
const measured: Figure[] = Object.entries(floods).map(([name, { mostMs }]) => {
  return { id: `usage-flood/${name}/longestPage`, value: Math.round(mostMs), unit: 'milliseconds', input };
});
for (const [name, of] of Object.entries({ ...floods, honest })) console.log(JSON.stringify({ figure: `usage-flood/${name}`, ...of }));
const { regressions, compared, notCompared } = compareFigures(measured, readRecordedFigures());
console.log(JSON.stringify({ figure: 'usage-flood: regression-check', compared, notCompared, regressions }));
const isOver = Object.values(floods).some(({ growth, mostMs }) => growth > MOST_GROWTH || mostMs > MOST_MS);
if (regressions.length > 0 || isOver) process.exitCode = 1;
if (process.argv.includes('--record')) recordFigures(measured);
