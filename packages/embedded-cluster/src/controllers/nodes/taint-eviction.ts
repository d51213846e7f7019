import type { Instant } from '#kube/units';
import { SECOND_MS } from '#kube/units';
import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { isEqualJson } from '../../api/json.ts';
import { withCondition } from './conditions.ts';
import { fromTimestamp } from '../../api/timestamp.ts';
import type { ObjectKey } from '../object-key.ts';
import { keyOf, splitKey } from '../object-key.ts';
import { isTerminating } from '../pods/pod-state.ts';
import type { Node, WireTaint } from '../wire/node.ts';
import type { Pod, WireToleration } from '../wire/pod.ts';
import { WorkList } from '../work-list.ts';

const COMPONENT = 'taint-eviction-controller';

/** Deletes pods from nodes with NoExecute taints that they do not tolerate, or no longer do. */
export function startTaintEviction({ cluster, clock, events }: ControllerPorts): Stop {
  const work = new WorkList(clock, reconcile);

  function reconcile(key: ObjectKey): void {
    const { namespace, name } = splitKey(key);
    const pod = cluster.get('pods', namespace, name) as Pod | undefined;
    if (pod === undefined || isTerminating(pod) || pod.spec.nodeName === undefined) return;
    const node = cluster.get('nodes', null, pod.spec.nodeName) as Node | undefined;
    const leaveAt = node === undefined ? undefined : leavingTime(pod, noExecuteTaints(node), clock.now());
    if (leaveAt === undefined) return;
    if (leaveAt > clock.now()) {
      work.addAt(key, leaveAt);
      return;
    }
    cluster.modifyStatus('pods', namespace, name, (draft) => {
      const { status } = draft as Pod;
      const message = 'Taint manager: deleting due to NoExecute taint';
      const news = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager', message } as const;
      status.conditions = withCondition(status.conditions, news, clock.now());
    });
    events.emit(pod, COMPONENT, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${namespace}/${name}`);
    cluster.delete('pods', namespace, name, { uid: pod.metadata.uid });
  }

  const stops = [
    cluster.onChange('nodes', ({ object, previous }) => {
      const taints = noExecuteTaints(object);
      if (taints.length === 0 || (previous !== undefined && isEqualJson(taints, noExecuteTaints(previous)))) return;
      for (const pod of cluster.list('pods') as readonly Pod[]) if (pod.spec.nodeName === object.metadata.name) work.add(keyOf(pod));
    }),
    cluster.onChange('pods', ({ type, object, previous }) => {
      const { nodeName } = (object as Pod).spec;
      if (type === 'DELETED' || nodeName === undefined || (previous as Pod | undefined)?.spec.nodeName === nodeName) return;
      const node = cluster.get('nodes', null, nodeName) as Node | undefined;
      if (node !== undefined && noExecuteTaints(node).length > 0) work.add(keyOf(object));
    }),
  ];
  return work.stopAfter(stops);
}

/** Time at which the pod must be deleted; undefined when it may stay. */
function leavingTime(pod: Pod, taints: readonly WireTaint[], now: Instant): Instant | undefined {
  let earliest: Instant | undefined;
  for (const taint of taints) {
    const tolerations = (pod.spec.tolerations ?? []).filter((toleration) => isTaintTolerated(toleration, taint));
    if (tolerations.length === 0) return now;
    const seconds = tolerations.map(({ tolerationSeconds }) => tolerationSeconds ?? Number.POSITIVE_INFINITY);
    const since = fromTimestamp(taint.timeAdded);
    const at = (Number.isNaN(since) ? now : since) + Math.max(0, Math.min(...seconds)) * SECOND_MS;
    if (Number.isFinite(at)) earliest = Math.min(earliest ?? at, at);
  }
  return earliest;
}

function noExecuteTaints({ spec }: Node): WireTaint[] {
  return (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}

function isTaintTolerated({ key, operator, value, effect }: WireToleration, taint: WireTaint): boolean {
  if (effect !== undefined && effect !== '' && effect !== taint.effect) return false;
  if (operator === 'Exists') return key === undefined || key === '' || key === taint.key;
  return key === taint.key && (value ?? '') === (taint.value ?? '');
}
