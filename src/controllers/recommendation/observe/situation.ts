// Collects the input of a decision about one workload.

import type { PodRecord } from '#kube/records/pod';
import type { Resources } from '#kube/records/resources';
import type { Instant, Ratio } from '#kube/units';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import type { ContainerAdvice, RecommenderRules } from '../../../core/recommender/advice.ts';
import { withCurrentOriginal } from '../../../core/hpa/current-original.ts';
import { evidenceSince } from '../../../core/resize/plan/verify/throttling-and-pressure.ts';
import { freeOnNode } from '../../../core/resize/plan/pod/free-on-nodes.ts';
import { withIdleFloor } from '../../../core/resize/layers/idle/idle-floor.ts';
import { readUserRequests } from '../../../core/resize/status/user-requests.ts';
import { classedName, classOfNode, isByNodeClass } from '../../../core/resize/layers/node-classes/class-name.ts';
import { hasSeveralClasses, currentClasses } from '../../../core/resize/layers/node-classes/current-classes.ts';
import { correctFutureTimestamps } from '../../../core/resize/status/memory-codec.ts';
import {
  NO_USER_REQUESTS,
  type FailedResize,
  type NodePoolOfNode,
  type ResizeMemory,
  type WorkloadSituation,
} from '../../../core/resize/model/situation.ts';
import type { PolicyRules } from '../../../core/resize/policy/policy-rules.ts';
import type { WorkloadGovernance } from '../../../state/policy-resolver.ts';
import { readIdleAnnotation, readRecordedIdle } from './idle-annotations.ts';
import type { RecommendationPorts } from '../ports.ts';
import type { LatestMemory } from './latest-memory.ts';
import { nodeClass } from '../../../core/model/node-class.ts';
import type { NodeRecord } from '#kube/records/node';

/** Requests advice for the containers of the workload's pod template and of its present pods, by node class where classes differ. */
export function requestAdvice(
  ports: RecommendationPorts,
  workload: WorkloadRecord,
  governance: WorkloadGovernance,
  { memory }: LatestMemory,
  now: Instant,
): Promise<readonly ContainerAdvice[]> {
  const { advice, cluster, policies } = ports;
  const key = workloadKey(workload);
  const rulesWithFloor = withIdleFloor(policies.recommenderRules(workload, governance, memory.largestNode), memory, now);
  const since = evidenceSinceOf(memory);
  const rulesFor = (name: string): RecommenderRules =>
    since === undefined ? rulesWithFloor(name) : { ...rulesWithFloor(name), evidenceSince: since };
  const classes = currentClasses([...cluster.podsOf(key)].filter(isAlive), classesByNode(ports, workload));
  const classNames = hasSeveralClasses(classes, memory) ? classes.map(({ name }) => name) : [];
  const names = new Set(workload.containers.map(({ name }) => name));
  for (const pod of cluster.podsOf(key)) for (const { name } of pod.containers) names.add(name);
  const rulesByContainer = [...names].flatMap((name) => {
    const rules = rulesFor(name);
    return [[name, rules] as const, ...classNames.map((className) => [classedName(name, className), rules] as const)];
  });
  return advice.advise(key, now, new Map(rulesByContainer));
}

/** Reads only state in memory and awaits nothing, so all of it is of one moment. */
export function collectSituation(
  ports: RecommendationPorts,
  workload: WorkloadRecord,
  governance: WorkloadGovernance,
  advice: readonly ContainerAdvice[],
  { recommendation, status, memory: stored }: LatestMemory,
  poolRefusals: readonly FailedResize[],
  now: Instant,
): WorkloadSituation {
  const { cluster, gate, canResizeInPlace } = ports;
  const key = workloadKey(workload);
  const pods = [...cluster.podsOf(key)].filter(isAlive).sort((a, b) => (a.name < b.name ? -1 : 1));
  const idleSince = (status === undefined ? readIdleAnnotation(workload, ports.signer) : stored.idle)?.since ?? null;
  const originals = { remembered: status === undefined ? null : stored.autoscalers, pods, idleSince };
  const hpas = cluster.hpasOf(key).map((hpa) => withCurrentOriginal(hpa, ports.signer, originals));
  const context = { policy: governance.rules, overrides: governance.overrides, hpas, pods };
  const recorded = status === undefined ? readRecordedIdle(workload, ports.signer, context) : null;
  const memory = correctFutureTimestamps(recorded === null ? stored : { ...stored, idle: recorded }, now);
  return {
    now,
    workload,
    pods,
    policy: governance.rules,
    pace: ports.policies.paceOf(governance),
    policyProblem: governance.problem,
    readableRules: governance.readableRules,
    overrides: governance.overrides,
    advice,
    hpas,
    freeForPod: ports.policies.freeForPodOf(workload, now),
    scaledObjects: cluster.scaledObjectsOf(key),
    vpas: cluster.vpasOf(key),
    limitRanges: cluster.limitRangesIn(workload.namespace),
    quotas: cluster.quotasIn(workload.namespace).filter(({ excludesSomePods }) => excludesSomePods !== true),
    ...(isByNodeClass(workload) ? { nodeClasses: classesByNode(ports, workload) } : {}),
    kubeletVersions: new Map(
      pods.flatMap(({ node }) => (node === null ? [] : [[node, cluster.findNode(node)?.kubeletVersion ?? ''] as const])),
    ),
    nodePools: poolsFor(ports, pods, memory, poolRefusals),
    poolRefusals,
    windowsNodes: new Set(
      pods.flatMap(({ node }) => (node !== null && cluster.findNode(node)?.operatingSystem === 'windows' ? [node] : [])),
    ),
    unreadPods: new Set(pods.filter(ports.isUnread).map(({ uid }) => uid)),
    cordonedNodes: new Set(pods.flatMap(({ node }) => (node !== null && cluster.findNode(node)?.unschedulable === true ? [node] : []))),
    cpuOfNodesWithoutPressure: cpuOfNodesWithoutPressure(ports, pods),
    demand: ports.demandOf(key),
    nodesOfPods: new Map(
      pods.flatMap(({ node }) => {
        const record = node === null ? undefined : cluster.findNode(node);
        return record === undefined ? [] : [[record.name, record.allocatable] as const];
      }),
    ),
    ...(evidenceSinceOf(memory) === undefined ? {} : { readings: new Map(pods.map((pod) => [pod.uid, ports.readingsOf(pod)])) }),
    countedKills: new Map(pods.map((pod) => [pod.uid, ports.countedKillsOf(pod)])),
    ...(memory.apply === null && memory.observedReductions.length === 0
      ? {}
      : { failures: new Map(pods.map((pod) => [pod.uid, ports.failuresOf(pod)])) }),
    largestNode: ports.policies.largestNode(),
    freeOnNodes: freeFor(ports, pods, governance.rules, memory),
    userRequests: recommendation === undefined ? NO_USER_REQUESTS : readUserRequests(recommendation),
    memory,
    isIdleRecorded: recorded !== null,
    gateState: {
      inPlace: canResizeInPlace(),
      admission: ports.admission === true,
      ...gate.state(),
      idleWorkloads: ports.idle?.enabled === true,
    },
    activity: ports.idle?.activityOf(key) ?? null,
    otherWorkloadsUnderWay: ports.decisions.countInProgress(governance.rules.name, key),
    governedWorkloads: ports.decisions.governed(governance.rules.name),
  };
}

/** Start of the evidence that the workload or any of its node classes needs; undefined where none is needed. */
function evidenceSinceOf(memory: ResizeMemory): Instant | undefined {
  const since = [memory, ...(memory.classes?.values() ?? [])].flatMap((classMemory) => evidenceSince(classMemory) ?? []);
  return since.length === 0 ? undefined : Math.min(...since);
}

/** Size classes of the nodes of the workload's pods, by node; empty where the workload is not sized by node class. */
function classesByNode({ cluster }: Pick<RecommendationPorts, 'cluster'>, workload: WorkloadRecord): ReadonlyMap<string, string> {
  if (!isByNodeClass(workload)) return new Map();
  const classes = new Map<string, string>();
  for (const { node } of cluster.podsOf(workloadKey(workload))) {
    const name = node === null ? null : classOfNode(cluster.findNode(node));
    if (node !== null && name !== null) classes.set(node, name);
  }
  return classes;
}

/** CPU in use as a share of allocatable, by node that measures no pressure; null where the usage is unknown. */
function cpuOfNodesWithoutPressure(
  { cluster, isPressureMeasured, cpuUsedByNode }: RecommendationPorts,
  pods: readonly PodRecord[],
): ReadonlyMap<string, Ratio | null> {
  const nodes = new Set(pods.flatMap(({ node }) => (node === null || isPressureMeasured(node) ? [] : [node])));
  return new Map(
    [...nodes].map((node) => {
      const [used, allocatable] = [cpuUsedByNode(node), cluster.findNode(node)?.allocatable.cpuMillicores ?? 0];
      return [node, used === null || allocatable <= 0 ? null : used / allocatable] as const;
    }),
  );
}

/** Free capacity by node, only where a decision depends on it: the sum over the pods of a node is expensive. */
function freeFor(
  { cluster }: RecommendationPorts,
  pods: readonly PodRecord[],
  { startup, limitOverage }: PolicyRules,
  { failures }: ResizeMemory,
): ReadonlyMap<string, Resources> {
  if (startup === null && limitOverage.mode === 'Never' && failures.length === 0) return new Map();
  const names = new Set(pods.flatMap(({ node }) => node ?? []));
  return new Map(
    [...names].flatMap((name) => {
      const node = cluster.findNode(name);
      return node === undefined ? [] : [[name, freeOnNode(node, cluster.podsOnNode(name))] as const];
    }),
  );
}

/** Node pools by node, only where a resize was refused: otherwise every decision would read all nodes. */
function poolsFor(
  { cluster }: Pick<RecommendationPorts, 'cluster'>,
  pods: readonly PodRecord[],
  { failures }: ResizeMemory,
  poolRefusals: readonly FailedResize[],
): ReadonlyMap<string, NodePoolOfNode> {
  const isRefused =
    poolRefusals.length > 0 || failures.some(({ pool }) => pool !== null) || pods.some(({ resize }) => resize.state === 'infeasible');
  return isRefused
    ? nodePoolsOf(
        pods.flatMap(({ node }) => cluster.findNode(node ?? '') ?? []),
        cluster.nodes(),
      )
    : new Map();
}

function isAlive(pod: PodRecord): boolean {
  return pod.deletionAt === null && pod.phase !== 'Succeeded' && pod.phase !== 'Failed';
}

/** The pools of `nodes`, by node name. @param all all nodes of the cluster, to find the oldest node of each pool */
function nodePoolsOf(nodes: Iterable<NodeRecord>, all: Iterable<NodeRecord>): ReadonlyMap<string, NodePoolOfNode> {
  const some = [...nodes];
  const oldest = new Map<string, Instant>(some.map((node) => [poolName(node), node.createdAt]));
  for (const node of all) {
    const pool = poolName(node);
    const known = oldest.get(pool);
    if (known !== undefined && node.createdAt < known) oldest.set(pool, node.createdAt);
  }
  return new Map(
    some.map((node) => {
      const pool = poolName(node);
      const [size, oldestNodeAt] = [nodeClass(node.capacity), oldest.get(pool) ?? node.createdAt];
      return [node.name, { pool, size, kubeletVersion: node.kubeletVersion, oldestNodeAt }];
    }),
  );
}

/** Name of a node's pool. A node without one counts as its own pool, because no other node is known to have the same configuration. */
function poolName({ pool, name }: NodeRecord): string {
  return pool ?? name;
}
