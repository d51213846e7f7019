import type { ApiTransport } from '#kube/api-transport';
import { parsePriceFile } from '../../../adapters/pricing/price-file.ts';
import { NO_STATED_PRICES, PriceCatalogue } from '../../../core/cost/price-catalogue.ts';
import { type ReadInput, readText } from '../input/read-input.ts';
import { readPools } from '../input/read-pools.ts';
import type { ManifestObject } from '../../read-manifests.ts';
import { joinExisting, readObjects } from '../nodes/read-existing.ts';
import { NO_DAEMON_SETS } from '../nodes/read-placed-pods.ts';
import { priceNodes, readNodeObjects } from '../nodes/read-nodes.ts';
import { daemonSubtraction, derivePools, PoolChoice, priceSources } from './derive-pools.ts';
import { CLUSTER_SOURCE, listObjects } from './list-objects.ts';

export interface ClusterSources {
  /** Null: pools are the machine types of the nodes. */
  readonly pools: string | null;
  /** A prices file as of the setting `prices.file`; null: the default list alone. */
  readonly prices: string | null;
}

const FILES = { pods: CLUSTER_SOURCE, nodes: 'the cluster', pools: 'the machine types of the nodes' };

/** Reads nodes, pods and what decides whether they may move. @throws ApiFault where the API server fails */
export async function readCluster(
  transport: ApiTransport,
  { pools, prices, headroom }: ClusterSources & { readonly headroom: number },
  signal: AbortSignal,
): Promise<ReadInput> {
  // Files first: a mistake in them is found before the cluster is asked.
  const file = pools ?? prices;
  const read = file === null ? { text: '' } : readText(file);
  if ('problem' in read) return { ok: false, problems: [read.problem] };
  const catalogue = pools === null ? openCatalogue(prices, read.text) : null;
  if (catalogue !== null && 'problems' in catalogue) return { ok: false, problems: catalogue.problems };
  const listed = await listObjects(transport, signal);
  if (!listed.ok) return listed;
  const input =
    catalogue === null
      ? withPools(listed.objects, pools ?? '', read.text, headroom)
      : withMachineTypes(listed.objects, catalogue, headroom);
  return input.ok ? input : { ok: false, problems: input.problems.map(withoutLine) };
}

function openCatalogue(path: string | null, text: string): PriceCatalogue | { readonly problems: readonly string[] } {
  if (path === null) return new PriceCatalogue(NO_STATED_PRICES);
  const parsed = parsePriceFile(text, path);
  return parsed.ok ? new PriceCatalogue(parsed.prices) : { problems: parsed.problems };
}

function withPools(objects: readonly ManifestObject[], path: string, text: string, headroom: number): ReadInput {
  const { shapes: pools, problems: poolProblems } = readPools(path, text);
  const problems = [...poolProblems];
  const nodes = priceNodes(readNodeObjects(objects, problems), pools, problems);
  const read = readObjects(CLUSTER_SOURCE, { objects, beside: [] }, { nodes, pools }, problems);
  return joinExisting({ files: { ...FILES, pools: path }, nodes, pools, headroom, problems, ...read });
}

function withMachineTypes(objects: readonly ManifestObject[], catalogue: PriceCatalogue, headroom: number): ReadInput {
  const problems: string[] = [];
  const { pools, nodes, spotNodes, notes } = derivePools(readNodeObjects(objects, problems), catalogue, problems);
  const read = readObjects(CLUSTER_SOURCE, { objects, beside: [] }, { nodes, pools }, problems);
  const choice = new PoolChoice(pools, spotNodes);
  return joinExisting({
    ...{ files: FILES, nodes, pools, headroom, problems, choice, priceSources: priceSources(pools) },
    withoutDaemonPods: daemonSubtraction(pools, read.pods),
    pods: read.pods,
    leftOut: read.leftOut,
    daemonSets: [],
    // Their pods are counted.
    notes: [...notes, ...read.notes.filter((note) => note !== NO_DAEMON_SETS)],
  });
}

/** Objects of a cluster have no line. */
function withoutLine(problem: string): string {
  return problem.replace(/^cluster:0: /, '');
}
