import { ColumnarCluster } from '../../src/core/scheduling/columnar-cluster.ts';
import { NodeRemovals } from '../../src/core/scheduling/node-removals.ts';
import { POD_OUTCOMES } from '../../src/core/scheduling/removal-columns.ts';
import { countBytes, copyArrays } from '../../src/core/scheduling/shared-arrays.ts';
import { largeCluster } from './what-if/large-cluster.ts';

const N = Number(process.argv[2] ?? 5000), P = Number(process.argv[3] ?? 150000), W = Number(process.argv[4] ?? 20000);
const t = (label: string, from: number) => console.log(label, Math.round(performance.now() - from), 'ms', 'cpu', Math.round((process.cpuUsage().user - c0) / 1000), (c0 = process.cpuUsage().user, ''));
let c0 = 0;
let s = performance.now();
const large = largeCluster(N, P, W, 1);
t('generate', s);
let pods = 0; for (const n of large.view.nodes) pods += n.pods.size;
let cpu=0, alloc=0; for (const n of large.view.nodes) { cpu += n.requested.get('cpu')!; alloc += n.allocatable.get('cpu')!; }
console.log({ pods, util: cpu/alloc, workloads: large.workloads });
s = performance.now();
const cluster = ColumnarCluster.of(large.view, large.treatmentOf);
for (const [b, a] of large.budgets.entries()) cluster.setAllowedEvictions(b, a);
t('build', s);
console.log({ classes: cluster.classCount, shapes: cluster.shapeCount, rules: cluster.snapshot.columns.rules.verdict.length, groups: cluster.snapshot.columns.groups.eligible.length, MB: countBytes(cluster.snapshot.columns) / 1e6, counters: cluster.snapshot.columns.counters.key.length });
for (const [k, v] of Object.entries(cluster.snapshot.columns)) console.log(k, countBytes(v)/1e6);
s = performance.now();
copyArrays(cluster.snapshot.columns);
t('copy', s);
for (let i = 0; i < 3; i++) {
s = performance.now(); c0 = process.cpuUsage().user;
const removals = new NodeRemovals(cluster.snapshot);
removals.computeAll();
t('all', s);
const outcomes: Record<string, number> = {};
for (const [slot, o] of removals.result.outcome.entries()) if (cluster.podAt(slot)) outcomes[POD_OUTCOMES[o]!] = (outcomes[POD_OUTCOMES[o]!] ?? 0) + 1;
let free = 0; for (let i = 0; i < N; i++) if (removals.result.blockers[i] === 0) free++;
console.log(outcomes, 'removable', free);
}
