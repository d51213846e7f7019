import { isDeepStrictEqual } from 'node:util';
import { decideOurs, type Decision, type OurDecision } from './our-decision.ts';
import type { RealAnswer, SchedulerRules } from './scheduler-rules.ts';
import type { WireCluster } from '../../builders/scheduling/wire-cluster.ts';

/** `false fit` plans a pod onto a node that refuses it. */
export type DisagreementKind = 'false fit' | 'false refusal' | 'reasons' | 'message' | 'preemption';

export interface Disagreement {
  readonly kind: DisagreementKind;
  readonly pod: string;
  readonly node: string | null;
  readonly ours: unknown;
  readonly real: unknown;
}

export interface Comparison {
  /** Number of pairs of pod and node. */
  readonly decisions: number;
  readonly fits: number;
  /** Number of nodes on which both looked for victims. */
  readonly preemptions: number;
  readonly disagreements: readonly Disagreement[];
}

/**
 * Compares our decisions with those of the real scheduler. @throws when the cluster is invalid, so that the real scheduler cannot decide
 */
export function compareDecisions(cluster: WireCluster, real: RealAnswer): Comparison {
  if (real.error !== undefined) throw new Error(`the real scheduler could not decide: ${real.error}`);
  if (real.invalid !== undefined) throw new Error(`a real API server would refuse: ${real.invalid.join('; ')}`);
  const ours = decideOurs(cluster);
  const disagreements: Disagreement[] = [];
  let decisions = 0;
  let fits = 0;
  let preemptions = 0;
  for (const [index, our] of ours.entries()) {
    const theirs = real.pods?.[index];
    if (theirs?.pod !== our.pod) throw new Error(`no answer about ${our.pod}`);
    disagreements.push(...comparePod(our, theirs, cluster));
    decisions += cluster.nodes.length;
    fits += Object.values(theirs.nodes ?? {}).filter((verdict) => verdict.fits).length;
    preemptions += Object.keys(theirs.preemption?.victims ?? {}).length + Object.keys(theirs.preemption?.helpless ?? {}).length;
  }
  return { decisions, fits, preemptions, disagreements };
}

function comparePod(ours: OurDecision, real: Decision, cluster: WireCluster): Disagreement[] {
  const found: Disagreement[] = [];
  for (const { metadata } of cluster.nodes) {
    const node = metadata.name;
    const our = ours.nodes?.[node] ?? { fits: false, reasons: [ours.preFilter ?? ours.gated] };
    const their = real.nodes?.[node] ?? { fits: false, reasons: [real.preFilter ?? real.gated] };
    const kind = our.fits === their.fits ? 'reasons' : our.fits ? 'false fit' : 'false refusal';
    if (!isDeepStrictEqual(plain(our), plain(their))) found.push({ kind, pod: ours.pod, node, ours: our, real: their });
  }
  if ((ours.message ?? '') !== (real.message ?? ''))
    found.push({ kind: 'message', pod: ours.pod, node: null, ours: ours.message, real: real.message });
  const { chosen, ...rest } = real.preemption ?? {};
  const same = isDeepStrictEqual(plain(omitEmpty(ours.preemption)), plain(omitEmpty(rest)));
  if (!same || (chosen !== undefined && !ours.equallyGood.includes(chosen)))
    found.push({
      kind: 'preemption',
      pod: ours.pod,
      node: null,
      ours: { ...ours.preemption, best: ours.equallyGood },
      real: real.preemption,
    });
  return found;
}

function omitEmpty(value: object | undefined): object {
  return Object.fromEntries(
    Object.entries(value ?? {}).filter(([, part]) => typeof part === 'string' || Object.keys(part as object).length > 0),
  );
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null)) as unknown;
}

/**
 * Removes objects one by one as long as the cluster keeps the same kind of disagreement, so that a developer can read it. The number of
 * attempts is bounded: the result need not be minimal.
 */
export async function shrink(cluster: WireCluster, kind: DisagreementKind, rules: SchedulerRules, questions = 400): Promise<WireCluster> {
  let smallest = cluster;
  let remaining = questions;
  for (const list of [
    'pending',
    'pods',
    'nodes',
    'budgets',
    'volumes',
    'claims',
    'csiNodes',
    'storageCapacities',
    'volumeAttachments',
  ] as const) {
    for (let index = smallest[list].length - 1; index >= 0 && remaining > 0; index--, remaining--) {
      const smaller = { ...smallest, [list]: smallest[list].filter((_, at) => at !== index) };
      if (await disagrees(smaller, kind, rules)) smallest = smaller;
    }
  }
  return smallest;
}

async function disagrees(cluster: WireCluster, kind: DisagreementKind, rules: SchedulerRules): Promise<boolean> {
  try {
    return compareDecisions(cluster, await rules.ask(cluster)).disagreements.some((disagreement) => disagreement.kind === kind);
  } catch {
    // Without the object the cluster is invalid.
    return false;
  }
}
