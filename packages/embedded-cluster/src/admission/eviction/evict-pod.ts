import { ApiStatusError, badRequest, fault, forbidden } from '../../api/api-error.ts';
import type { ClusterAccess } from '../../api/cluster-access.ts';
import type { StrategyContext, SubresourceAction } from '../../api/strategy.ts';
import { checkPreconditions, readDeleteOptions } from '../../api/verbs/write-request.ts';
import { withCondition } from '../../controllers/nodes/conditions.ts';
import { toTimestamp } from '../../api/timestamp.ts';
import { isSelectorMatch } from '../../controllers/selectors.ts';
import type { Pod } from '../../controllers/wire/pod.ts';
import type { DisruptionBudget } from '../../controllers/wire/policy.ts';
import { isBeyondBudgets, ruleOnEviction } from './eviction-rule.ts';

const BUDGETS = 'poddisruptionbudgets.policy';

type ActionContext = StrategyContext & { readonly cluster: ClusterAccess };

/** The fields of pods that an error names. */
const PODS = { descriptor: { group: '', kind: 'Pod', plural: 'pods' } };

/** POST pods/{name}/eviction: a delete that the pod's disruption budget must allow. */
export const evictPod: SubresourceAction = (target, body, context) => {
  const pod = target as Pod;
  const { namespace = '', name } = pod.metadata;
  const asked = (body['metadata'] as { name?: string } | undefined)?.name ?? '';
  if (asked !== '' && asked !== name) throw badRequest('name in URL does not match name in Eviction object');
  const options = readDeleteOptions(body['deleteOptions'], {});
  checkPreconditions(PODS, pod, options.preconditions);
  const dryRun = context.dryRun || options.dryRun;

  if (!isBeyondBudgets(pod)) requestDisruption(pod, context, dryRun);
  if (!dryRun) {
    markDisrupted(pod, context);
    const { gracePeriodSeconds } = options;
    context.cluster.delete('pods', namespace, name, {
      uid: pod.metadata.uid,
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    });
  }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
};

function requestDisruption(pod: Pod, context: ActionContext, dryRun: boolean): void {
  const { namespace = '', name } = pod.metadata;
  const all = context.cluster.list(BUDGETS, { namespace }) as readonly DisruptionBudget[];
  const [budget, another] = all.filter(({ spec }) => isSelectorMatch(spec.selector, pod.metadata.labels));
  if (budget === undefined) return;
  if (another !== undefined) {
    const why = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw fault(why);
  }
  const ruling = ruleOnEviction(pod, budget);
  switch (ruling.kind) {
    case 'refused':
      throw forbidden(
        { group: 'policy', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', name: budget.metadata.name },
        ruling.why,
      );
    case 'later':
      throw new ApiStatusError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
        causes: [{ reason: 'DisruptionBudget', message: ruling.why, field: '' }],
        ...(ruling.retryAfterSeconds === null ? {} : { retryAfterSeconds: ruling.retryAfterSeconds }),
      });
    case 'granted':
      if (ruling.takesDisruption && !dryRun) takeDisruption(budget, name, context);
  }
}

/** Recorded before the deletion, so that two evictions at the same time cannot use the same allowance. */
function takeDisruption(budget: DisruptionBudget, pod: string, { cluster, now }: ActionContext): void {
  cluster.modifyStatus(BUDGETS, budget.metadata.namespace ?? '', budget.metadata.name, (draft) => {
    const { status } = draft as DisruptionBudget;
    if (status === undefined) return;
    status.disruptionsAllowed -= 1;
    status.disruptedPods = { ...status.disruptedPods, [pod]: toTimestamp(now) };
    if (status.disruptionsAllowed > 0) return;
    const news = { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '' } as const;
    status.conditions = withCondition(status.conditions, news, now);
  });
}

function markDisrupted(pod: Pod, { cluster, now }: ActionContext): void {
  cluster.modifyStatus('pods', pod.metadata.namespace ?? '', pod.metadata.name, (draft) => {
    const status = (draft as Pod).status;
    const news = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' } as const;
    status.conditions = withCondition(status.conditions, news, now);
  });
}
