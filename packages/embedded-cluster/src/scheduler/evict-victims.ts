import type { Preemption } from '#kube/scheduling/preemption';
import type { SchedulingPod } from '#kube/scheduling/scheduling-model';
import type { Clock } from '../ports/clock.ts';
import type { Pod } from '../controllers/wire/pod.ts';
import type { ClusterAccess } from '../api/cluster-access.ts';
import type { EventWriter } from '../api/event-writer.ts';
import { toTimestamp } from '../api/timestamp.ts';

/** Preempts pods: each victim gets a condition and an event with the reason, and is deleted with its grace period. */
export function evictVictims(
  cluster: ClusterAccess,
  events: EventWriter,
  clock: Clock,
  forPod: SchedulingPod,
  { node, victims }: Preemption,
): void {
  for (const { namespace, name, uid, terminating } of victims) {
    const victim = cluster.get('pods', namespace, name) as Pod | undefined;
    if (terminating || victim?.metadata.uid !== uid) continue;
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
      lastTransitionTime: toTimestamp(clock.now()),
    };
    cluster.modifyStatus('pods', namespace, name, (draft) => {
      const { status } = draft as unknown as Pod;
      status.conditions = [...(status.conditions ?? []).filter(({ type }) => type !== condition.type), condition];
    });
    events.record(victim, { type: 'Normal', reason: 'Preempted', message: `Preempted by pod ${forPod.uid} on node ${node.name}` });
    cluster.delete('pods', namespace, name, { uid });
  }
}
