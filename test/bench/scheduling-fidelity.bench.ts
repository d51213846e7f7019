// Compares our scheduling rules with the plug-ins of kube-scheduler: `node test/bench/scheduling-fidelity.bench.ts [clusters] [first
// seed]`, and predicted destinations of the pods of a removed node with the scores of the real one. Prints lines of JSON. Needs Go, as
// the control plane does.

import { cpus } from 'node:os';
import { runFidelity } from '../controlplane/scheduling/fidelity-run.ts';
import { runPredictions } from '../controlplane/scheduling/prediction-run.ts';
import { SchedulerRules } from '../controlplane/scheduling/scheduler-rules.ts';

/** Other seeds than those of the test suite. */
const FIRST_SEED = 1_000_001;
const CLUSTERS = 10_000;
/** Clusters of which one node is removed. */
const PREDICTED_CLUSTERS = 200;

const clusters = Number(process.argv[2] ?? CLUSTERS);
const firstSeed = Number(process.argv[3] ?? FIRST_SEED);
const rules = await SchedulerRules.start();
const startedMs = performance.now();
const { reasons, reproductions, disagreements, ...sums } = await runFidelity(rules, firstSeed, clusters);
const seconds = (performance.now() - startedMs) / 1000;
const { hits, choices, ...predicted } = await runPredictions(rules, firstSeed, Math.min(PREDICTED_CLUSTERS, clusters));
await rules.stop();
const figures = {
  figure: 'scheduling fidelity',
  ...{ ...sums, firstSeed, falseFits: disagreements['false fit'], falseRefusals: disagreements['false refusal'] },
  ...{ otherReasons: disagreements.reasons, otherMessages: disagreements.message, otherVictims: disagreements.preemption },
  ...{ differentReasons: reasons.size, decisionsPerSecond: Math.round(sums.decisions / seconds), seconds: Math.round(seconds) },
  machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.versions.node}`,
};
console.log(JSON.stringify(figures));
console.log(
  JSON.stringify({ figure: 'predicted destinations', ...predicted, choices, hits, hitRate: Number((hits / choices).toFixed(3)) }),
);
for (const reproduction of reproductions) console.error(JSON.stringify(reproduction));
if (Object.values(disagreements).some((count) => count > 0) || predicted.contradictions > 0) process.exitCode = 1;
