import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { compareDecisions } from './scheduling/compare-decisions.ts';
import { runFidelity, type FidelityReport } from './scheduling/fidelity-run.ts';
import { randomCluster } from '../builders/scheduling/random-cluster.ts';
import { runPredictions } from './scheduling/prediction-run.ts';
import { SchedulerRules } from './scheduling/scheduler-rules.ts';
import type { WireCluster } from '../builders/scheduling/wire-cluster.ts';

const CLUSTERS = 2_200;
/** Clusters of which one node is removed. */
const PREDICTED_CLUSTERS = 200;
/** Far over what a random choice of a node that fits has, which is about 0.46. */
const MIN_HIT_RATE = 0.75;

/** Each reason comes from another filter of the real scheduler: a run without it has not tested that filter. */
const REASONS = [
  'Insufficient cpu',
  'Insufficient memory',
  'Insufficient ephemeral-storage',
  'Insufficient example.com/gpu',
  'Insufficient hugepages-2Mi',
  'Too many pods',
  'node(s) were unschedulable',
  'node(s) had untolerated taint(s)',
  "node(s) didn't match Pod's node affinity/selector",
  "node(s) didn't satisfy plugin(s) [NodeAffinity]",
  "node(s) didn't have free ports for the requested pod ports",
  'node(s) had no available disk',
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
  'node(s) exceed max volume count',
  "node(s) didn't match PersistentVolume's node affinity",
  "node(s) didn't find available persistent volumes to bind",
  'node(s) did not have enough free storage',
  'node(s) had no available volume zone',
  "node(s) didn't match pod topology spread constraints",
  "node(s) didn't match pod topology spread constraints (missing required label)",
  "node(s) didn't match pod affinity rules",
  "node(s) didn't match pod anti-affinity rules",
  "node(s) didn't satisfy existing pods anti-affinity rules",
  "node(s) didn't match Pod's required features",
  'pod has unbound immediate PersistentVolumeClaims',
  'persistentvolumeclaim … not found',
];

describe('our scheduling rules, compared with the plug-ins of kube-scheduler', () => {
  let rules: SchedulerRules;
  let report: FidelityReport;
  beforeAll(async () => {
    rules = await SchedulerRules.start();
    report = await runFidelity(rules, 1, CLUSTERS);
  });
  afterAll(() => rules.stop());

  test(`agree on ${CLUSTERS} random clusters about every node, reason, message and victim`, () => {
    // A difference is reported with its seed and a small cluster that reproduces it.
    expect(report.reproductions.map((reproduction) => JSON.stringify(reproduction))).toEqual([]);
    expect(report.disagreements).toEqual({ 'false fit': 0, 'false refusal': 0, reasons: 0, message: 0, preemption: 0 });
  });

  test('have been tested with enough fits and refusals', () => {
    expect(report.decisions).toBeGreaterThan(20_000);
    expect(report.fits).toBeGreaterThan(5_000);
    expect(report.decisions - report.fits).toBeGreaterThan(5_000);
    expect(report.preemptions).toBeGreaterThan(500);
  });

  test.each(REASONS)('have produced: %s', (reason) => {
    expect(report.reasons.get(reason) ?? 0).toBeGreaterThan(0);
  });

  test('would differ if a rule were missing: it shows as a false fit', async () => {
    const isTainted = (cluster: WireCluster): boolean =>
      cluster.nodes.some(({ spec }) => (spec as { taints?: unknown }).taints !== undefined);
    const kinds = new Set<string>();
    for (let seed = 1; seed <= 60; seed++) {
      const cluster = randomCluster(seed);
      if (!isTainted(cluster)) continue;
      const answer = await rules.ask(cluster);
      const blind = { ...cluster, nodes: cluster.nodes.map((node) => ({ ...node, spec: {} })) };
      for (const { kind } of compareDecisions(blind, answer).disagreements) kinds.add(kind);
    }
    expect([...kinds]).toContain('false fit');
  });

  test('predict where the pods of a removed node go, mostly a node with the highest score of the real scheduler', async () => {
    const { contradictions, choices, hits, unplaced } = await runPredictions(rules, 1, PREDICTED_CLUSTERS);
    expect(contradictions).toBe(0);
    expect(unplaced).toBeGreaterThan(50);
    expect(choices).toBeGreaterThan(200);
    expect(hits / choices).toBeGreaterThan(MIN_HIT_RATE);
  });

  test('rejects a cluster that an API server would refuse', async () => {
    const cluster = randomCluster(1);
    const [pod] = cluster.pending;
    const nameless = { ...cluster, pending: [{ ...pod!, spec: { containers: [] } }] };
    expect((await rules.ask(nameless)).invalid).toEqual([expect.stringContaining('spec.containers: Required value')]);
  });
});
