import type { Cluster, Node } from '../../../apis/http/types.generated.ts';
import { CLUSTER_SCHEMAS } from '../../openapi/sections/cluster-section.ts';
import { anyObject, array, integer, nullable, object, oneOf, ref, string, time } from '../../openapi/schema.ts';
import { answerItem } from '../answer.ts';
import { answerSeries, stepsOf } from '../answer-series.ts';
import { counted, dollars, itemOutput, listTool, projection } from '../list-tool.ts';
import { ARGUMENTS, type Tool } from '../tool.ts';

const nodeFields = projection(CLUSTER_SCHEMAS['Node'] ?? {}, [
  'name',
  'pool',
  'machineType',
  'zone',
  'capacityType',
  'managed',
  'ready',
  'phase',
  'kubeletVersion',
  'capacity',
  'allocatable',
  'requested',
  'used',
  'utilization',
  'pods',
  'costPerHourUsd',
]);

const listNodes = listTool<Node, Cluster['nodes']>({
  name: 'list_nodes',
  title: 'List nodes',
  description:
    'Use it for nodes: how full each is, machine type, zone, spot or on-demand, kubelet version, readiness. Returns per node the CPU and memory that it ' +
    'has (capacity), that pods can have (allocatable), that they request and use, its pods and its price, the highest CPU usage first. `summary` counts ' +
    'ready and spot nodes. It does not list the pods of a node, and has no totals of CPU and memory (get_cluster_summary).',
  query: 'listNodes',
  arguments: {},
  item: nodeFields.schema,
  itemOf: (node) => nodeFields.of(node),
  ask: async ({ application, scope }, _given, page) => {
    const nodes = await application.ask('listNodes', scope, { ...page, sort: '-utilization.cpuRatio', format: 'json' });
    if (nodes.kind !== 'page') return nodes;
    const cluster = await application.ask('getCluster', scope, {});
    return cluster.kind === 'found' ? { ...nodes, summary: cluster.item.nodes } : cluster;
  },
  summarize: ({ total, summary }) => `${counted(total, 'node')} (${summary?.ready ?? 0} ready, ${summary?.spot ?? 0} spot).`,
});

const getScalingStatus: Tool = {
  name: 'get_scaling_status',
  title: 'Status of node scaling',
  description:
    'Use it for nodes that are starting now. Why scaling up is suppressed, the decisions of the node autoscaler and the life of each node are not ' +
    'available in this version. It does not list all nodes (list_nodes) and has no resizes of workloads (list_workloads).',
  query: 'getScalingStatus',
  arguments: {},
  required: [],
  output: itemOutput(
    object({
      suppression: nullable(anyObject('Whether scaling up is suppressed, and why.')),
      bootstrapping: array(
        object({
          node: string(),
          pool: nullable(string()),
          since: time(),
          expectedReadyAt: nullable(time()),
          covers: array(string(), 'Pods that wait for it.'),
        }),
        'Nodes that are starting, the newest first.',
      ),
      decisions: array(anyObject(), 'Latest decisions of the node autoscaler.'),
      lifecycle: array(anyObject(), 'Phases of each node with their times.'),
    }),
  ),
  answer: async (context) => {
    const found = await context.application.ask('getScalingStatus', context.scope, {});
    if (found.kind !== 'found') return found;
    const { item, warnings } = found;
    const summary = `${counted(item.bootstrapping.length, 'node')} starting. Suppression, decisions and lifecycles are not available in this version.`;
    return answerItem(context, { summary, item, warnings, shortenable: ['lifecycle', 'decisions', 'bootstrapping'] });
  },
};

const getClusterSummary: Tool = {
  name: 'get_cluster_summary',
  title: 'Summary of the cluster',
  description:
    'Use it first for the cluster as a whole: numbers of nodes (ready, spot, on-demand) and pods, CPU and memory (capacity, allocatable, requested, used, ' +
    'recommended), utilization, cost and savings per month, and the health score with its parts. `idlePerMonthUsd` is the cost of capacity that no pod ' +
    'requests; `projectedSavingsPerMonthUsd` is what open recommendations would free, `realizedSavingsPerMonthUsd` what removed nodes have saved. It has ' +
    'only present values (get_cluster_usage has their course) and no single nodes, workloads or namespaces.',
  query: 'getCluster',
  arguments: {},
  required: [],
  output: itemOutput(ref('Cluster')),
  answer: async (context) => {
    const found = await context.application.ask('getCluster', context.scope, {});
    if (found.kind !== 'found') return found;
    const { item, warnings } = found;
    const { nodes, pods, cost } = item;
    return answerItem(context, {
      summary: `${counted(nodes.total, 'node')} (${nodes.ready} ready), ${counted(pods.total, 'pod')} (${pods.running} running, ${pods.pending} pending). The nodes cost ${dollars(cost.perMonthUsd)} a month; open recommendations would save ${dollars(cost.projectedSavingsPerMonthUsd)} of requests a month.`,
      item,
      warnings,
      shortenable: ['health.parts'],
    });
  },
};

const getClusterUsage: Tool = {
  name: 'get_cluster_usage',
  title: 'CPU and memory of the cluster over time',
  description:
    'Use it for the course of the whole cluster: whether it grows (ask for 7d or more; omitted, it is the last hour), how far requests are above usage, ' +
    'what the nodes provide. Returns the series provisioned, requested, recommended and used, for CPU (millicores) and memory (bytes), as [Unix seconds, ' +
    'value]; null means unknown. A point is the mean of its step. It has no single workload (get_workload_usage) and no cost.',
  query: 'getClusterUsage',
  arguments: { duration: ARGUMENTS.duration('1h') },
  required: [],
  output: itemOutput(ref('SeriesSet')),
  answer: (context, given) => {
    const duration = (given['duration'] as string | undefined) ?? '1h';
    return answerSeries(context, {
      duration,
      read: (step) => context.application.ask('getClusterUsage', context.scope, { duration, ...(step === undefined ? {} : { step }) }),
      isShown: () => true,
      summarize: (set) => `The whole cluster, ${stepsOf(set)}.`,
    });
  },
};

const getMaintenanceStatus: Tool = {
  name: 'get_maintenance_status',
  title: 'What Evenkeel does now and next',
  description:
    'Use it for whether Evenkeel acts: its mode (active, dry-run or paused, then why and until when), how many recommended changes wait (`deferred`), and the latest evaluation of ' +
    'all workloads (`latest`: pods changed, deferred by their kubelet, blocked or failed, and in `savings` what resizes have reclaimed so far, in US dollars a month). Next ' +
    'windows and consolidation are not available in this version. It does not name the workloads that wait (list_workloads with status awaiting), and ' +
    'changes nothing: users pause on the dashboard or with kubectl.',
  query: 'getMaintenanceStatus',
  arguments: {},
  required: [],
  output: itemOutput(
    object({
      mode: oneOf(['active', 'dry-run', 'paused']),
      pause: nullable(object({ reason: string(), until: nullable(time()) }, 'The pause in force.')),
      resize: object({
        next: nullable(time('Begin of the next window; null: not available yet.')),
        deferred: integer('Recommendations that wait.'),
        latest: nullable(ref('ResizeCycle')),
      }),
      consolidation: nullable(anyObject('Next window and latest run; null: not available yet.')),
    }),
  ),
  answer: async (context) => {
    const found = await context.application.ask('getMaintenanceStatus', context.scope, {});
    if (found.kind !== 'found') return found;
    const { item, warnings } = found;
    const summary = `Evenkeel is in mode ${item.mode}; ${counted(item.resize.deferred, 'recommended change')} waiting.`;
    return answerItem(context, { summary, item, warnings, shortenable: [] });
  },
};

export const CLUSTER_TOOLS = { listNodes, getScalingStatus, getClusterSummary, getClusterUsage, getMaintenanceStatus } as const;
