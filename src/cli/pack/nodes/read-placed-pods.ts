// Pods beside nodes that exist: what each needs of a node, and which of them stay since a packing does not understand their rules.

import { isLabelSelectorMatch } from '#kube/match-labels';
import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import { goesWithNode, type PodPlace } from '../../../core/packing-rules/fix-nodes.ts';
import type { PodDemand } from '../../../core/packing/packing-problem.ts';
import type { DaemonDemand } from '../../../core/packing-rules/daemon-sets.ts';
import { groupsOf } from '../../../core/packing-rules/pod-groups.ts';
import { type PackedWorkload, podItems } from '../../../core/packing-rules/pod-items.ts';
import { HOSTNAME_LABEL, labelKeysOf, type PoolShape, ZONE_LABEL } from '../../../core/packing-rules/pool-shape.ts';
import { type ManifestStorage, reachOf } from '../../../core/packing-rules/volume-reach.ts';
import type { ManifestObject } from '../../read-manifests.ts';
import { attachNotes, knownVolumes } from '../input/known-volumes.ts';
import { type FindPlace, type ManifestWorkload, podNamesOf, readWorkloadObjects } from '../input/read-manifest-workloads.ts';
import type { NamedPod } from '../input/read-pods-csv.ts';
import { isOfDaemonSet } from './movability.ts';

export interface PlacedPods {
  readonly pods: readonly NamedPod[];
  /** Names of pods on no node that no pool may hold. */
  readonly leftOut: readonly string[];
  /** What is subtracted from new nodes. */
  readonly daemonSets: readonly DaemonDemand[];
  readonly notes: readonly string[];
}

interface PlacedWorkload {
  readonly workload: ManifestWorkload;
  readonly place: PodPlace | null;
  /** With its zone where a rule between zones keeps it there. */
  readonly rules: SchedulingRules;
  /** Why it is not packed by its rules. */
  readonly refused: readonly string[];
}

export interface PlacedContext {
  /** Others are added. */
  readonly problems: string[];
  readonly findPlace: FindPlace;
  /** Zones of nodes by name. */
  readonly zoneOf: ReadonlyMap<string, string>;
}

/** Reads the pods of objects. A pod on a node whose rules a packing does not understand stays there; of others they are a problem. */
export function readPlacedPods(
  source: string,
  objects: readonly ManifestObject[],
  pools: readonly PoolShape[],
  context: PlacedContext,
): PlacedPods {
  const { problems, zoneOf } = context;
  const read = readWorkloadObjects(source, objects, pools, context);
  const { workloads, daemonSets } = read;
  const { storage, notes: volumeNotes } = knownVolumes(read.storage, labelKeysOf(pools));
  // Others are in the list already.
  const listed = new Set(problems);
  for (const problem of read.problems) if (!listed.has(problem)) problems.push(problem);
  if (problems.length > 0) return { pods: [], leftOut: [], daemonSets, notes: [] };
  const placed = withoutRefused(zonedWorkloads(workloads, zoneOf), daemonSets);
  const { demands, refused, notes } = demandsOf(placed, daemonSets, pools, storage);
  const leftOut: string[] = [];
  const pods = placed.flatMap((each, at): NamedPod[] => {
    const { workload, place, rules } = each;
    const unmet = refused.get(at) ?? [];
    if (place === null && unmet.length > 0) {
      for (const name of podNamesOf(workload)) leftOut.push(name);
      return [];
    }
    const all = [...each.refused, ...unmet];
    if (place === null) problems.push(...all.map((problem) => `${source}:${workload.line}: ${workload.kind} ${workload.name}: ${problem}`));
    const plain: PodDemand = { ...workload.size, machineTypes: null, group: null };
    return podNamesOf(workload).map((name, pod): NamedPod => ({
      ...{ name, line: workload.line, demand: demands.get(at)?.[pod] ?? plain, priority: workload.priority, item: null },
      place: place === null ? null : stayingFor(place, all),
      rules,
      volumes: volumesOf(workload, name, storage),
    }));
  });
  return {
    pods,
    leftOut,
    daemonSets,
    notes: [
      ...read.notes,
      ...notes,
      ...volumeNotes,
      ...attachNotes(workloads),
      ...zoneNotes(placed),
      ...daemonNotes(objects, daemonSets),
      ...preferenceNotes(workloads),
    ],
  };
}

/** The place of a pod with rules that a packing does not understand: it stays, and since they may concern others, none may join it. */
function stayingFor(place: PodPlace, refused: readonly string[]): PodPlace {
  const [first] = refused;
  if (first === undefined) return place;
  if (goesWithNode(place)) return { ...place, isApart: true };
  // Without the remedy, which is for manifests.
  const why = first.split(';', 1)[0] ?? first;
  return { ...place, movement: 'stays', why: place.why ?? (why.startsWith('it') ? why : `it ${why}`), isApart: true };
}

/** Pods with a rule between zones keep their zone, where the rule is kept as it is now, whatever other pods stay. */
function zonedWorkloads(workloads: readonly ManifestWorkload[], zones: ReadonlyMap<string, string>): PlacedWorkload[] {
  return workloads.map((workload): PlacedWorkload => {
    const { rules, place, unsupported } = workload;
    const zone = place === null ? undefined : zones.get(place.node);
    const hasZoneRule = [...rules.affinity, ...rules.antiAffinity, ...rules.spread.filter(({ hard }) => hard)].some(
      ({ topologyKey }) => topologyKey === ZONE_LABEL,
    );
    if (!hasZoneRule) return { workload, place, rules, refused: unsupported };
    if (zone === undefined) {
      const why = place === null ? 'is on no node' : 'its node has no zone';
      const remedy = 'which is not packed beside nodes that exist; remove the rule, or the pods';
      return { workload, place, rules, refused: [...unsupported, `has a rule between zones and ${why}, ${remedy}`] };
    }
    const others = <T extends { readonly topologyKey: string }>(terms: readonly T[]): readonly T[] =>
      terms.filter(({ topologyKey }) => topologyKey !== ZONE_LABEL);
    const kept: SchedulingRules = {
      ...rules,
      nodeSelector: { ...rules.nodeSelector, [ZONE_LABEL]: zone },
      affinity: others(rules.affinity),
      antiAffinity: others(rules.antiAffinity),
      spread: others(rules.spread),
    };
    return { workload, place, rules: kept, refused: unsupported };
  });
}

/** Adds what rules between pods refuse: those of pods that stay count, too. */
function withoutRefused(placed: readonly PlacedWorkload[], daemons: readonly (ManifestWorkload & DaemonDemand)[]): PlacedWorkload[] {
  const groups = groupsOf(
    placed.map(({ workload, rules }) => ({ ...workload, rules })),
    daemons,
  );
  const refused = placed.map((each, at): PlacedWorkload => {
    const group = groups[at];
    if (group !== undefined && 'problem' in group) return { ...each, refused: [...each.refused, group.problem] };
    if (group?.groups.host?.kind !== 'together') return each;
    return {
      ...each,
      refused: [...each.refused, 'must share a node with others, which is not packed beside nodes that exist; remove the rule'],
    };
  });
  // Anti-affinity is kept against pods that come later: who is selected from another zone must not move there.
  const apart = placed.flatMap(({ workload }) =>
    workload.rules.antiAffinity.filter(({ topologyKey }) => topologyKey !== HOSTNAME_LABEL).map((term) => ({ workload, term })),
  );
  return refused.map((each): PlacedWorkload => {
    const { workload, place, rules } = each;
    const isKept = apart.some(({ workload: other, term }) => {
      if (other === workload || term.selector === null || (place !== null && rules !== workload.rules)) return false;
      const isReached = term.namespaceSelector !== null || [other.namespace, ...term.namespaces].includes(workload.namespace);
      return isReached && isLabelSelectorMatch(term.selector, workload.labels);
    });
    const problem =
      'must not share a zone with a pod that refuses it, which is not packed beside nodes that exist; remove the rule of that pod';
    return isKept ? { ...each, refused: [...each.refused, problem] } : each;
  });
}

interface Demands {
  /** Demands of the pods of workloads, by index. */
  readonly demands: ReadonlyMap<number, readonly PodDemand[]>;
  /** Workloads whose node rules or volumes no pool meets. */
  readonly refused: ReadonlyMap<number, readonly string[]>;
  readonly notes: readonly string[];
}

/** What the pods need of the pools. */
function demandsOf(
  placed: readonly PlacedWorkload[],
  daemons: readonly (ManifestWorkload & DaemonDemand)[],
  pools: readonly PoolShape[],
  storage: ManifestStorage,
): Demands {
  const refused = new Map<number, string[]>();
  for (;;) {
    const open = [...placed.keys()].filter((at) => placed[at]?.refused.length === 0 && !refused.has(at));
    const packed = open.flatMap((at): PackedWorkload[] => {
      const { workload, rules } = placed[at] ?? {};
      return workload === undefined || rules === undefined ? [] : [{ ...workload, rules, podNames: podNamesOf(workload) }];
    });
    const { items, problems, notes } = podItems(packed, daemons, pools, storage);
    for (const { workload, problem } of problems) {
      const at = open[workload] ?? -1;
      refused.set(at, [...(refused.get(at) ?? []), problem]);
    }
    // Each round takes a workload out.
    if (problems.length > 0) continue;
    const demands = new Map<number, PodDemand[]>();
    for (const { pods, demand } of items) {
      const at = open[pods[0]?.workload ?? -1] ?? -1;
      const known = demands.get(at) ?? [];
      known.push(demand);
      demands.set(at, known);
    }
    return { demands, refused, notes };
  }
}

/** Which of some shapes the volumes of a pod reach; null: nothing is known of them. */
function volumesOf({ claimsOf }: ManifestWorkload, pod: string, storage: ManifestStorage): NamedPod['volumes'] {
  const needs = claimsOf?.(pod) ?? [];
  if (needs.length === 0) return null;
  return (shapes) => {
    const labelKeys = labelKeysOf(shapes);
    const reaches = needs.map((need) => reachOf(need, storage, labelKeys)).filter((reach) => reach.kind !== 'unknown');
    return shapes
      .filter(({ labels }) => reaches.every((reach) => reach.kind === 'known' && reach.isReachable(labels)))
      .map(({ name }) => name);
  };
}

export const NO_DAEMON_SETS =
  'pods of DaemonSets go with the nodes that exist, and no DaemonSet is in the file: their requests are subtracted from no new node';

function daemonNotes(objects: readonly ManifestObject[], daemons: readonly unknown[]): string[] {
  if (daemons.length > 0 || !objects.some(({ object }) => object.kind === 'Pod' && isOfDaemonSet(object))) return [];
  return [NO_DAEMON_SETS];
}

function zoneNotes(placed: readonly PlacedWorkload[]): string[] {
  const kept = placed.filter(({ workload, rules }) => rules !== workload.rules).length;
  return kept === 0
    ? []
    : [`pods with a rule between zones keep the zone in which they run, also in the lower bound (${kept} of ${placed.length})`];
}

function preferenceNotes(workloads: readonly ManifestWorkload[]): string[] {
  return workloads.some(({ rules }) => hasPreference(rules)) ? ['preferences of pods change nothing beside nodes that exist'] : [];
}

function hasPreference(rules: SchedulingRules): boolean {
  const { preferredNodeTerms, preferredAffinity, preferredAntiAffinity, spread } = rules;
  return preferredNodeTerms.length + preferredAffinity.length + preferredAntiAffinity.length > 0 || spread.some(({ hard }) => !hard);
}
