import type { Instant } from '#kube/units';
import { SECOND_MS } from '#kube/units';
import type { ConditionUpdate } from '../nodes/conditions.ts';
import { findCondition, withCondition, withoutCondition } from '../nodes/conditions.ts';
import { fromTimestamp, toTimestamp } from '../../api/timestamp.ts';
import type { WireCondition } from '../wire/pod.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../wire/workload.ts';
import { rolloutBounds } from './rolling-update.ts';

const DEFAULT_PROGRESS_DEADLINE_SECONDS = 600;

/** The ReplicaSets of a Deployment after a reconcile. */
export interface Revisions {
  readonly fresh: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
  /** The new ReplicaSet was created in this reconcile. */
  readonly created: boolean;
}

/** The status of a Deployment. Pure. */
export function deploymentStatus(deployment: Deployment, revisions: Revisions, now: Instant): DeploymentStatus {
  const counts = countReplicas(deployment, revisions);
  const before = deployment.status ?? {};
  const collisions = before.collisionCount === undefined ? {} : { collisionCount: before.collisionCount };
  const status: DeploymentStatus = { observedGeneration: deployment.metadata.generation ?? 1, ...counts, ...collisions };
  return { ...status, conditions: nextConditions(deployment, revisions, status, now) };
}

/** Every requested replica has the new revision and is available, and the controller has observed the latest spec. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const replicas = deployment.spec.replicas ?? 1;
  return (
    status.updatedReplicas === replicas &&
    status.replicas === replicas &&
    status.availableReplicas === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 1)
  );
}

/** Deadline of the current rollout; undefined when there is none. */
export function progressDeadline(deployment: Deployment, status: DeploymentStatus): Instant | undefined {
  const condition = findCondition(status.conditions, 'Progressing');
  const seconds = deployment.spec.progressDeadlineSeconds ?? DEFAULT_PROGRESS_DEADLINE_SECONDS;
  const settled = condition?.reason === 'NewReplicaSetAvailable' || condition?.status !== 'True';
  if (settled || deployment.spec.paused === true || seconds >= 2 ** 31 - 1) return undefined;
  return fromTimestamp(condition.lastUpdateTime) + seconds * SECOND_MS;
}

function countReplicas(deployment: Deployment, { fresh, old }: Revisions): DeploymentStatus {
  const all = fresh === undefined ? old : [...old, fresh];
  const total = (read: (set: ReplicaSet) => number | undefined): number => all.reduce((sum, set) => sum + (read(set) ?? 0), 0);
  const availableReplicas = total((set) => set.status?.availableReplicas);
  const asked = total((set) => set.spec.replicas);
  return {
    replicas: total((set) => set.status?.replicas),
    updatedReplicas: fresh?.status?.replicas ?? 0,
    readyReplicas: total((set) => set.status?.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, asked - availableReplicas),
  };
}

function nextConditions(deployment: Deployment, revisions: Revisions, status: DeploymentStatus, now: Instant): WireCondition[] {
  let conditions: WireCondition[] = deployment.status?.conditions ?? [];
  const setCondition = (news: ConditionUpdate): void => {
    conditions = withCondition(conditions, news, now, { updateTime: true });
  };
  setCondition(availability(deployment, status));
  const failure = [revisions.fresh, ...revisions.old].map((set) => findCondition(set?.status?.conditions, 'ReplicaFailure')).find(Boolean);
  if (failure === undefined) conditions = withoutCondition(conditions, 'ReplicaFailure');
  else setCondition({ type: 'ReplicaFailure', status: 'True', reason: failure.reason ?? '', message: failure.message ?? '' });
  const progress = findProgressUpdate(deployment, revisions, status, conditions, now);
  if (progress === 'moving') return touched(conditions, now);
  if (progress !== undefined) setCondition(progress);
  return conditions;
}

function availability(deployment: Deployment, status: DeploymentStatus): ConditionUpdate {
  const bounds = rolloutBounds(deployment.spec.replicas ?? 1, deployment.spec.strategy?.rollingUpdate);
  const maxUnavailable = deployment.spec.strategy?.type === 'Recreate' ? 0 : bounds.maxUnavailable;
  return (status.availableReplicas ?? 0) >= bounds.replicas - maxUnavailable
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

function findProgressUpdate(
  deployment: Deployment,
  { fresh, created }: Revisions,
  status: DeploymentStatus,
  conditions: readonly WireCondition[],
  now: Instant,
): ConditionUpdate | 'moving' | undefined {
  const before = findCondition(conditions, 'Progressing');
  if (deployment.spec.paused === true) return paused(before);
  const name = fresh?.metadata.name ?? deployment.metadata.name;
  const news = (state: 'True' | 'False', reason: string, message: string): ConditionUpdate => ({
    type: 'Progressing',
    status: state,
    reason,
    message,
  });
  if (created) return news('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
  if (before?.reason === 'DeploymentPaused') return news('True', 'DeploymentResumed', 'Deployment is resumed');
  if (isComplete(deployment, status)) return news('True', 'NewReplicaSetAvailable', `ReplicaSet "${name}" has successfully progressed.`);
  // A completed rollout that lost a pod does not start again.
  if (before?.reason === 'NewReplicaSetAvailable' && status.replicas === status.updatedReplicas) return undefined;
  if (hasMoved(deployment.status, status))
    return updateTransition(before, news('True', 'ReplicaSetUpdated', `ReplicaSet "${name}" is progressing.`));
  const deadline = progressDeadline(deployment, { ...status, conditions: [...conditions] });
  if (deadline === undefined || deadline > now) return undefined;
  return news('False', 'ProgressDeadlineExceeded', `ReplicaSet "${name}" has timed out progressing.`);
}

function updateTransition(before: WireCondition | undefined, news: ConditionUpdate): ConditionUpdate | 'moving' {
  return before?.status === news.status && before.reason === news.reason && before.message === news.message ? 'moving' : news;
}

function paused(before: WireCondition | undefined): ConditionUpdate | undefined {
  if (before?.reason === 'ProgressDeadlineExceeded') return undefined;
  return { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' };
}

function hasMoved(before: DeploymentStatus | undefined, status: DeploymentStatus): boolean {
  const oldPods = (of: DeploymentStatus | undefined): number => (of?.replicas ?? 0) - (of?.updatedReplicas ?? 0);
  return (
    (status.updatedReplicas ?? 0) > (before?.updatedReplicas ?? 0) ||
    oldPods(status) < oldPods(before) ||
    (status.readyReplicas ?? 0) > (before?.readyReplicas ?? 0) ||
    (status.availableReplicas ?? 0) > (before?.availableReplicas ?? 0)
  );
}

/** Repeated progress only extends the deadline. */
function touched(conditions: readonly WireCondition[], now: Instant): WireCondition[] {
  const lastUpdateTime = toTimestamp(now);
  return conditions.map((condition) => (condition.type === 'Progressing' ? { ...condition, lastUpdateTime } : condition));
}
