import type { LimitException, LimitExceptionCounts } from '../../../apis/http/types.generated.ts';
import type { NamespaceHealth } from '../../../application/index.ts';
import { NAMESPACE_HEALTH } from '../../openapi/sections/cluster-section.ts';
import { anyObject, integer, nullable, object, oneOf, ref, string } from '../../openapi/schema.ts';
import { counted, inNamespace, itemOutput, listTool } from '../list-tool.ts';
import { ARGUMENTS, type Tool } from '../tool.ts';

const listExceptions = listTool<LimitException, LimitExceptionCounts | undefined>({
  name: 'list_exceptions',
  title: 'List active limit and storage exceptions',
  description:
    'Use it for demand that Evenkeel may not or cannot satisfy: containers that need more than their limit, recommendations above a ceiling, suspected ' +
    'leaks. Returns the open exceptions with the exceeded bound, the observed and the proposed value, occurrences and evidence, the newest first. OOM ' +
    'kills that Evenkeel has answered with more memory are not here (`oomKills` of list_workloads), nor crashing pods (get_namespace_health counts ' +
    'them in its status), nor closed exceptions. Exceptions of volume claims (storage) are not available in this version.',
  query: 'listLimitExceptions',
  arguments: {
    namespace: ARGUMENTS.namespace,
    type: oneOf(['limit', 'storage'], 'limit: CPU or memory of containers. storage: volume claims. Omitted: both.'),
  },
  item: ref('LimitException'),
  itemOf: (item) => item,
  ask: async ({ application, scope }, given, page) => {
    const storage = await application.ask('listStorageExceptions', scope, { ...inNamespace(given), ...page });
    if (given['type'] === 'storage' || storage.kind !== 'page') return storage;
    const limits = await application.ask('listLimitExceptions', scope, {
      ...inNamespace(given),
      ...page,
      state: ['open'],
      sort: '-openedAt',
      format: 'json',
    });
    if (limits.kind !== 'page' || given['type'] === 'limit') return limits;
    return { ...limits, warnings: [...(limits.warnings ?? []), ...(storage.warnings ?? [])] };
  },
  summarize: ({ total, summary }) => {
    const types = Object.entries(summary?.byType ?? {}).flatMap(([type, count]) => (count === 0 ? [] : [`${count} ${type}`]));
    return `${counted(total, 'open limit exception')}${types.length === 0 ? '' : ` (${types.join(', ')})`}. Storage exceptions are not available in this version.`;
  },
});

const getNamespaceHealth = listTool<NamespaceHealth>({
  name: 'get_namespace_health',
  title: 'Health of namespaces',
  description:
    'Use it first for "how is namespace X" or "which namespaces need attention". Returns per namespace the status healthy, attention or critical, and ' +
    'the numbers of workloads, of workloads in idle mode, of changes that wait and of open exceptions, the worst first. critical: pods crash, cannot ' +
    'pull their image or cannot be scheduled; attention: a resize failed, an OOM kill in the last hour, or a quota is nearly used up. It does not name ' +
    'workloads (list_workloads, list_exceptions); no tool names crashing pods.',
  query: 'listNamespaceHealth',
  arguments: { namespace: ARGUMENTS.namespace },
  item: object({
    namespace: string(),
    status: oneOf(NAMESPACE_HEALTH),
    workloads: integer(),
    idle: integer('Workloads in idle mode.'),
    awaiting: integer('Workloads whose due change waits.'),
    openLimitExceptions: integer(),
    openStorageExceptions: nullable(integer('null: not available yet.')),
  }),
  itemOf: (item) => item,
  ask: ({ application, scope }, given, page) => application.ask('listNamespaceHealth', scope, { ...inNamespace(given), ...page }),
  summarize: ({ total }) => `${counted(total, 'namespace')}, the worst first.`,
});

const schedule = {
  namespace: string(),
  name: string(),
  target: object({ kind: string(), name: string() }, 'The autoscaler or workload that it scales.'),
  mode: string(),
  active: nullable(anyObject('The window in effect.')),
  next: nullable(anyObject('The next window.')),
  original: nullable(anyObject('The replicas outside of all windows.')),
  state: oneOf(['active', 'waiting', 'paused', 'conflicted', 'invalid']),
  message: string(),
} as const;

const listScheduledScales = listTool<never>({
  name: 'list_scheduled_scales',
  title: 'List scheduled scaling policies',
  description:
    'Not available in this version: it answers with no items. For scaling by the clock: which autoscalers have another minimum at certain times, which window is active, which comes next. Returns the ' +
    'policies with their target, mode, windows, and current and original minReplicas. It does not list HorizontalPodAutoscalers without a schedule.',
  query: 'listScheduledScales',
  arguments: { namespace: ARGUMENTS.namespace },
  item: object(schedule),
  itemOf: (item) => item,
  ask: ({ application, scope }, given, page) => application.ask('listScheduledScales', scope, { ...inNamespace(given), ...page }),
  summarize: () => 'Scheduled scaling policies are not available in this version.',
});

const getScheduledScale: Tool = {
  name: 'get_scheduled_scale',
  title: 'One scheduled scaling policy with its history',
  description:
    'Not available in this version: it answers not_found. For one scheduled scaling policy whose namespace and name you know: its windows and what each activation did. It does not search ' +
    '(list_scheduled_scales).',
  query: 'getScheduledScale',
  arguments: {
    namespace: ARGUMENTS.workloadNamespace,
    name: string('Name of the ScheduledScalePolicy.', { minLength: 1, maxLength: 253 }),
  },
  required: ['namespace', 'name'],
  output: itemOutput(object({ ...schedule, activations: { type: 'array', items: anyObject() } })),
  answer: ({ application, scope }, { namespace, name }) =>
    application.ask('getScheduledScale', scope, { target: { namespace: String(namespace), name: String(name) } }),
};

export const NAMESPACE_TOOLS = { listExceptions, getNamespaceHealth, listScheduledScales, getScheduledScale } as const;
