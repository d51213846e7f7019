import { compareDecisions, shrink, type Disagreement, type DisagreementKind } from './compare-decisions.ts';
import { randomCluster } from '../../builders/scheduling/random-cluster.ts';
import type { SchedulerRules } from './scheduler-rules.ts';
import type { WireCluster } from '../../builders/scheduling/wire-cluster.ts';

/** A seed on which the two sides disagree, with a shrunk cluster. */
export interface Reproduction extends Disagreement {
  readonly seed: number;
  readonly cluster: WireCluster;
}

export interface FidelityReport {
  readonly clusters: number;
  /** Number of pairs of pod and node. */
  readonly decisions: number;
  readonly fits: number;
  /** Number of nodes on which both sides looked for victims. */
  readonly preemptions: number;
  readonly disagreements: Readonly<Record<DisagreementKind, number>>;
  /** Number of refusals of the real scheduler by reason, with names replaced. */
  readonly reasons: ReadonlyMap<string, number>;
  /** Reproductions of the first few seeds. */
  readonly reproductions: readonly Reproduction[];
}

const CONCURRENCY = 64;
const SHOWN = 3;

/** Compares `count` clusters of consecutive seeds, starting with `firstSeed`. */
export async function runFidelity(rules: SchedulerRules, firstSeed: number, count: number): Promise<FidelityReport> {
  const sums = { decisions: 0, fits: 0, preemptions: 0 };
  const disagreements = { 'false fit': 0, 'false refusal': 0, reasons: 0, message: 0, preemption: 0 };
  const reasons = new Map<string, number>();
  const found: { readonly seed: number; readonly disagreement: Disagreement }[] = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed += CONCURRENCY) {
    const seeds = Array.from({ length: Math.min(CONCURRENCY, firstSeed + count - seed) }, (_, index) => seed + index);
    const pairs = seeds.map((seed) => ({ seed, cluster: randomCluster(seed) }));
    const answers = await Promise.all(pairs.map(({ cluster }) => rules.ask(cluster)));
    for (const [index, { seed, cluster }] of pairs.entries()) {
      const answer = answers[index]!;
      const comparison = compareDecisions(cluster, answer);
      for (const key of ['decisions', 'fits', 'preemptions'] as const) sums[key] += comparison[key];
      for (const disagreement of comparison.disagreements) {
        disagreements[disagreement.kind]++;
        found.push({ seed, disagreement });
      }
      for (const { preFilter, nodes } of answer.pods ?? []) {
        if (preFilter !== undefined) countOne(reasons, preFilter.replace(/"[^"]*"|\S+\/\S+|\(pod is not owner\)/g, '…'));
        for (const verdict of Object.values(nodes ?? {})) for (const reason of verdict.reasons ?? []) countOne(reasons, reason);
      }
    }
  }
  const reproductions: Reproduction[] = [];
  for (const { seed, disagreement } of found.slice(0, SHOWN)) {
    const cluster = await shrink(randomCluster(seed), disagreement.kind, rules);
    const { disagreements: left } = compareDecisions(cluster, await rules.ask(cluster));
    reproductions.push({ ...(left.find(({ kind }) => kind === disagreement.kind) ?? disagreement), seed, cluster });
  }
  return { clusters: count, ...sums, disagreements, reasons, reproductions };
}

function countOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
