// Live bytes of what the controller keeps, by kind: objects as the informers and the state keep them, listed from texts of an API server, and
// the usage of containers after minutes, a day and eight days. Objects include their keys, indices and their part of shared values.
//
//   make bench BENCH=memory
//   node test/bench/memory.bench.ts [--record]

import { DAY_MS, MINUTE_MS, type DurationMs } from '#kube/units';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';
import { ListedCluster } from './memory/listed-cluster.ts';
import { LISTED_KINDS, listedObjects } from './memory/listed-objects.ts';
import { liveBytes } from './memory/live-bytes.ts';
import { podUsageBytes } from './memory/pod-usage.ts';
import { modelBytes, ringBytes } from './memory/usage-state.ts';

const NODES = 200;
const WARM_UP_NODES = 20;
/** Kinds of which the cluster has too few to measure. */
const NOT_MEASURED: ReadonlySet<string> = new Set(['namespaces', 'daemonsets']);
const SPANS: Readonly<Record<string, { readonly spanMs: DurationMs; readonly containers: number }>> = {
  minutes: { spanMs: 10 * MINUTE_MS, containers: 1_000 },
  day: { spanMs: DAY_MS, containers: 300 },
  eightDays: { spanMs: 8 * DAY_MS, containers: 200 },
};

/** Bytes per object by kind; `usage/pod`: of the usage of a pod. */
async function bytesByKind(nodes: number): Promise<Readonly<Record<string, number>>> {
  const cluster = new ListedCluster(listedObjects(nodes));
  const bytes: Record<string, number> = {};
  let before = await liveBytes();
  for (const kind of LISTED_KINDS) {
    const count = await cluster.list(kind);
    const after = await liveBytes();
    bytes[kind] = Math.round((after - before) / count);
    before = after;
  }
  bytes['usage/pod'] = await podUsageBytes(cluster.state);
  await cluster.stop();
  return bytes;
}

async function measureUsage(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, { spanMs, containers }] of Object.entries(SPANS)) {
    const input = `${containers} containers of 6 replicas`;
    figures.push({ id: `memory/model/${name}`, value: await modelBytes(containers, spanMs), unit: 'bytes', input });
    if (spanMs <= DAY_MS) figures.push({ id: `memory/ring/${name}`, value: await ringBytes(containers, spanMs), unit: 'bytes', input });
  }
  return figures;
}

// Before the clusters, which are collected at any time after their end.
const usage = await measureUsage();
// A first pass creates compiled code and hidden classes, which do not belong to the objects.
await bytesByKind(WARM_UP_NODES);
const input = `${NODES} nodes, ${NODES * 30} pods`;
const kinds = Object.entries(await bytesByKind(NODES)).filter(([kind]) => !NOT_MEASURED.has(kind));
const measured: readonly Figure[] = [
  ...kinds.map(([kind, value]): Figure => ({ id: `memory/${kind}`, value, unit: 'bytes', input })),
  ...usage,
];
for (const { id, value, unit, input: of } of measured) console.log(JSON.stringify({ figure: id, value, unit, input: of }));
const { regressions, compared, notCompared } = compareFigures(measured, readRecordedFigures());
console.log(JSON.stringify({ figure: 'memory: regression-check', compared, notCompared, regressions }));
if (process.argv.includes('--record')) recordFigures(measured);
else if (regressions.length > 0) process.exitCode = 1;
