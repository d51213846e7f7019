import type {
  IdleTotals,
  IdleWorkload,
  Recommendation,
  RecommendationDetail,
  RecommendationTotals,
} from '../../../apis/http/types.generated.ts';
import { RECOMMENDATION_STATES } from '../../../apis/conditions.ts';
import { RECOMMENDATION_SCHEMAS } from '../../openapi/sections/recommendation-records.ts';
import { array, object, oneOf, ref } from '../../openapi/schema.ts';
import { answerItem } from '../answer.ts';
import { answerSeries, stepsOf } from '../answer-series.ts';
import type { Refusal } from '../../../core/access/refusal.ts';
import { counted, dollars, inNamespace, itemOutput, listTool, projection } from '../list-tool.ts';
import { ARGUMENTS, type Tool, type ToolArguments, type ToolContext } from '../tool.ts';

/** What `list_workloads` shows of a container; `get_workload` has the rest. */
const container = projection(RECOMMENDATION_SCHEMAS['RecommendedContainer'] ?? {}, ['name', 'current', 'recommended', 'oomKills']);
const fields = projection(RECOMMENDATION_SCHEMAS['Recommendation'] ?? {}, [
  'namespace',
  'kind',
  'name',
  'mode',
  'state',
  'reason',
  'until',
  'replicas',
  'confidence',
  'savingsPerMonthUsd',
  'risk',
]);

const listWorkloads = listTool<Recommendation, RecommendationTotals>({
  name: 'list_workloads',
  title: 'List workloads with their resize recommendations',
  description:
    'Use it to find workloads: which are over- or under-provisioned, which changes wait and for what (`reason`; approval means that a user must ' +
    'approve), which containers were OOM-killed, where money could be saved. Returns per workload the current and recommended CPU and memory of each ' +
    'container (requests and limits of one pod), OOM kills, state, confidence, savings per month and risk, the highest savings first. `summary` totals ' +
    'count and states, and in US dollars a month the savings and the cost of requests, of all that match, of one namespace too: "how many" and "how ' +
    'much" need one page (limit 1). OOM kills are those of the history window. It changes ' +
    'nothing: users approve on the dashboard. It does not explain a recommendation (get_workload) and has no usage over time (get_workload_usage).',
  query: 'listRecommendations',
  arguments: {
    namespace: ARGUMENTS.namespace,
    status: oneOf(
      RECOMMENDATION_STATES,
      'Only workloads in this state. collecting: too little history. optimal: nothing to change. recommended: a change is due that only a user applies. ' +
        'awaiting: a change is due and waits, see `reason`. applying, applied. idle: see list_idle_workloads. exception: demand above a limit. ' +
        'blocked: cannot be changed, see `reason`. excluded: switched off for it.',
    ),
  },
  item: object({ ...fields.schema.properties, containers: array(container.schema) }),
  itemOf: (item) => ({ ...fields.of(item), containers: item.containers.map((each) => container.of(each)) }),
  ask: ({ application, scope }, given, page) =>
    application.ask('listRecommendations', scope, {
      ...inNamespace(given),
      ...(given['status'] === undefined ? {} : { state: [given['status'] as Recommendation['state']] }),
      ...page,
      sort: '-savingsPerMonthUsd',
      format: 'json',
    }),
  summarize: ({ total, summary }) => {
    const states = Object.entries(summary?.byState ?? {}).map(([state, count]) => `${count} ${state}`);
    const byState = states.length === 0 ? '' : ` (${states.join(', ')})`;
    return `${counted(total, 'workload')}${byState}. Changing all would save ${dollars(summary?.savingsPerMonthUsd ?? null)} a month; their requests cost ${dollars(summary?.costPerMonthUsd ?? null)} a month.`;
  },
});

const ofWorkload = {
  arguments: { namespace: ARGUMENTS.workloadNamespace, name: ARGUMENTS.workloadName, kind: ARGUMENTS.kind },
  required: ['namespace', 'name'],
};

const getWorkload: Tool = {
  name: 'get_workload',
  title: 'Explain the recommendation of one workload',
  description:
    'Use it to explain one workload whose namespace and name you know: why its recommendation is what it is, why it was not resized, what would ' +
    'change that, what was applied lately and by whom. Returns per container the current and recommended requests and limits, usage percentiles and ' +
    'maximum, OOM kills, throttling and every step from usage to the value; also the rules in force with their source, and the latest changes with ' +
    'reason and outcome. It takes the name of a workload, not of a pod, and does not search (list_workloads). For changes of all workloads read the ' +
    'resource evenkeel://timeline.',
  query: 'getRecommendation',
  ...ofWorkload,
  output: itemOutput(ref('RecommendationDetail')),
  answer: async (context, given) => {
    const found = await context.application.ask('getRecommendation', context.scope, { target: targetOf(given) });
    if (found.kind !== 'found') return withNames(context, given, found);
    const { warnings } = found;
    const item = { ...found.item, audit: { ...found.item.audit, rules: chosenFirst(found.item.audit.rules) } };
    const reason = item.reason === null ? '' : ` (${item.reason})`;
    return answerItem(context, {
      summary: `${item.kind} ${item.namespace}/${item.name} is ${item.state}${reason} in mode ${item.mode}; its change would save ${dollars(item.savingsPerMonthUsd)} a month.`,
      item,
      warnings,
      shortenable: [
        'audit.history',
        'audit.rules',
        'classes',
        'audit.money.lines',
        'audit.containers',
        'audit.wouldChangeIt',
        'containers',
      ],
    });
  },
};

const getWorkloadUsage: Tool = {
  name: 'get_workload_usage',
  title: 'CPU and memory usage of one workload over time',
  description:
    'Use it for the course of usage: trends, daily curves, a leak, this week against the last one (ask for 14d and compare the halves). Returns per ' +
    'container the CPU (millicores) and memory (bytes) of one replica, and the number of replicas, as series of [Unix seconds, value]; null means ' +
    'unknown. A point is the mean of its step, and longer periods have wider steps: short spikes are averaged away (24h or less shows them better, ' +
    'get_workload has the maximum). It does not return requests, limits or recommendations (get_workload), nor single pods.',
  query: 'getWorkloadUsage',
  arguments: { ...ofWorkload.arguments, duration: ARGUMENTS.duration('24h') },
  required: ofWorkload.required,
  output: itemOutput(ref('SeriesSet')),
  answer: async (context, given) => {
    const duration = (given['duration'] as string | undefined) ?? '24h';
    const answer = await answerSeries(context, {
      duration,
      read: (step) =>
        context.application.ask('getWorkloadUsage', context.scope, {
          target: targetOf(given),
          duration,
          ...(step === undefined ? {} : { step }),
        }),
      isShown: ({ name }) => name === 'used' || name === 'replicas',
      summarize: (set) => `Usage of ${String(given['namespace'])}/${String(given['name'])}, ${stepsOf(set)}.`,
    });
    return answer.kind === 'answer' ? answer : withNames(context, given, answer);
  },
};

const listIdleWorkloads = listTool<IdleWorkload, IdleTotals>({
  name: 'list_idle_workloads',
  title: 'List workloads in idle mode',
  description:
    'Use it for workloads that Evenkeel has parked at their idle size because nothing uses them. Returns per workload since when, its idle and its ' +
    'natural CPU and memory (requests of one replica), replicas, the projected savings and what wakes it, the highest CPU savings first. It does not ' +
    'list workloads that are merely over-provisioned (list_workloads), nor capacity that no pod requests (get_cluster_summary).',
  query: 'listIdleWorkloads',
  feature: 'idleWorkloads',
  arguments: { namespace: ARGUMENTS.namespace },
  item: ref('IdleWorkload'),
  itemOf: (item) => item,
  ask: ({ application, scope }, given, page) =>
    application.ask('listIdleWorkloads', scope, {
      ...inNamespace(given),
      ...page,
      sort: '-projectedSavings.cpuMillicores',
      format: 'json',
    }),
  summarize: ({ total, summary }) =>
    `${counted(total, 'workload')} in idle mode, with projected savings of ${summary?.projectedSavings.cpuMillicores ?? 0} millicores and ${dollars(summary?.projectedSavingsPerMonthUsd ?? null)} a month.`,
});

/** The rules that were set before the defaults, which are left out first. */
function chosenFirst(rules: RecommendationDetail['audit']['rules']): RecommendationDetail['audit']['rules'] {
  const isDefault = ({ source }: (typeof rules)[number]): boolean => source === 'default';
  return [...rules.filter((rule) => !isDefault(rule)), ...rules.filter(isDefault)];
}

/** Names in a refusal. */
const MAX_NAMES = 20;

/** A refusal because there is no such workload, with the names that there are: those of the pod's, or of the namespace's workloads. */
async function withNames({ application, scope }: ToolContext, given: ToolArguments, refusal: Refusal): Promise<Refusal> {
  if (refusal.kind !== 'not-found') return refusal;
  const { namespace, name } = targetOf(given);
  const within = { namespace: [namespace], format: 'json', sort: 'name' } as const;
  const pods = await application.ask('listPods', scope, { ...within, q: name, limit: 1 });
  const [pod] = pods.kind === 'page' ? pods.items : [];
  if (pod?.name === name && pod.workload !== null) {
    return { ...refusal, message: `${name} is a pod of ${pod.workload.kind} ${pod.workload.name}. Call again with that name.` };
  }
  const listed = await application.ask('listRecommendations', scope, { ...within, limit: MAX_NAMES });
  if (listed.kind !== 'page') return refusal;
  const names = listed.items.map((item) => item.name).join(', ');
  const more = listed.total > MAX_NAMES ? `, and ${listed.total - MAX_NAMES} more` : '';
  const workloads = listed.total === 0 ? 'The namespace has no workloads' : `Workloads of the namespace: ${names}${more}`;
  return { ...refusal, message: `${refusal.message} ${workloads}. list_workloads lists all.` };
}

function targetOf({ namespace, name, kind }: ToolArguments): { namespace: string; name: string; kind: string | undefined } {
  return { namespace: String(namespace), name: String(name), kind: kind as string | undefined };
}

export const WORKLOAD_TOOLS = { listWorkloads, getWorkload, getWorkloadUsage, listIdleWorkloads } as const;
