// Gathers what a decision about one workload is made from.

import type { Recommendation } from '../../apis/v1alpha1/index.ts';
import type { PodRecord } from '../../core/model/pod.ts';
import type { Instant } from '../../core/model/units.ts';
import { workloadKey, type WorkloadKey, type WorkloadRecord } from '../../core/model/workload.ts';
import { readMemory, readWishes } from '../../core/rightsizing/apply/read-recommendation.ts';
import { NO_WISHES, type WorkloadSituation } from '../../core/rightsizing/apply/situation.ts';
import { workloadMoney, type WorkloadMoney } from '../../core/rightsizing/apply/workload-money.ts';
import type { ContainerFigures } from '../../core/rightsizing/apply/workload-figures.ts';
import type { WorkloadGovernance } from '../../state/policy-book.ts';
import type { RecommendationPorts } from './ports.ts';

/** Reads memory alone: consistent, because nothing is awaited. */
export function situationOf(
  ports: RecommendationPorts,
  workload: WorkloadRecord,
  governance: WorkloadGovernance,
  now: Instant,
): WorkloadSituation {
  const { cluster, advice, policies, gate, inPlaceResize } = ports;
  const key = workloadKey(workload);
  const recommendation = cluster.findRecommendation(key);
  const pods = [...cluster.podsOf(key)].filter(isAlive).sort((a, b) => (a.name < b.name ? -1 : 1));
  const rulesFor = policies.recommenderRules(governance);
  return {
    now,
    workload,
    pods,
    policy: governance.rules,
    policyProblem: governance.problem,
    overrides: governance.overrides,
    advice: advice.advise(key, now, rulesFor),
    hpas: cluster.hpasOf(key),
    limitRanges: cluster.limitRangesIn(workload.namespace),
    quotas: cluster.quotasIn(workload.namespace),
    kubeletVersions: new Map(
      pods.flatMap(({ node }) => (node === null ? [] : [[node, cluster.findNode(node)?.kubeletVersion ?? ''] as const])),
    ),
    unreadNodes: new Set(pods.flatMap(({ node }) => (node !== null && ports.isUnread(node) ? [node] : []))),
    wishes: recommendation === undefined ? NO_WISHES : readWishes(recommendation),
    memory: readMemory(latestStatus(ports, key, recommendation)),
    standing: { inPlace: inPlaceResize(), ...gate.standing() },
    otherWorkloadsUnderWay: ports.decisions.underWay(governance.rules.name, key),
  };
}

/**
 * The status as last written. The informers may still show the one before: acting on that would begin a change twice and
 * take the first half of it for what was there before.
 */
export function latestStatus(
  { decisions }: RecommendationPorts,
  key: WorkloadKey,
  recommendation: Recommendation | undefined,
): Recommendation['status'] {
  const own = decisions.find(key);
  const seen = recommendation?.status;
  if (own?.published !== true) return seen ?? own?.status;
  if (seen?.updatedAt === undefined) return own.status;
  return (own.status.updatedAt ?? '') > seen.updatedAt ? own.status : seen;
}

/** Money of a workload at the prices of the nodes that its pods are on. */
export function moneyOf(
  { cluster, prices }: RecommendationPorts,
  situation: WorkloadSituation,
  figures: readonly ContainerFigures[],
): WorkloadMoney {
  const priced = situation.pods.flatMap((pod) => {
    const node = pod.node === null ? undefined : cluster.findNode(pod.node);
    return node === undefined ? [] : [{ price: prices.priceOf(node), containers: pod.containers }];
  });
  return workloadMoney(priced, figures, situation.workload.containers);
}

function isAlive(pod: PodRecord): boolean {
  return pod.deletionAt === null && pod.phase !== 'Succeeded' && pod.phase !== 'Failed';
}
