import { SECOND_MS } from '#kube/units';
import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { isEqualJson } from '../../api/json.ts';
import { findCondition, withCondition } from './conditions.ts';
import { fromTimestamp, toTimestamp } from '../../api/timestamp.ts';
import type { Node, WireTaint } from '../wire/node.ts';
import type { Pod, WireCondition } from '../wire/pod.ts';
import { WorkList } from '../work-list.ts';

const LEASES = 'leases.coordination.k8s.io';
const LEASE_NAMESPACE = 'kube-node-lease';
const COMPONENT = 'node-controller';
const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
/** Taints that only this controller adds and removes. */
const OWN: ReadonlySet<string> = new Set([NOT_READY, UNREACHABLE, UNSCHEDULABLE]);

/** Marks a node with an expired Lease as unknown, sets the taints of readiness and cordons, and deletes the pods of deleted nodes. */
export function startNodeLifecycle(ports: ControllerPorts): Stop {
  const { cluster, clock, events } = ports;
  const work = new WorkList(clock, reconcile);

  function reconcile(name: string): void {
    const node = cluster.get('nodes', null, name) as Node | undefined;
    if (node === undefined) {
      for (const pod of cluster.list('pods') as readonly Pod[]) if (pod.spec.nodeName === name) forget(pod);
      return;
    }
    if (isLost(name)) markNodeLost(node);
    const taints = taintsOf(cluster.get('nodes', null, name) as Node, toTimestamp(clock.now()));
    if (isEqualJson(taints, node.spec?.taints ?? [])) return;
    cluster.modify('nodes', null, name, (draft) => {
      const { taints: _before, ...spec } = (draft as Node).spec ?? {};
      draft['spec'] = taints.length === 0 ? spec : { ...spec, taints };
    });
  }

  /** A node without a Lease is judged by its conditions. */
  function isLost(name: string): boolean {
    const spec = cluster.get(LEASES, LEASE_NAMESPACE, name)?.['spec'] as { renewTime?: string; leaseDurationSeconds?: number } | undefined;
    const renewedAt = fromTimestamp(spec?.renewTime);
    if (Number.isNaN(renewedAt)) return false;
    // As long as the lease is valid, the next check is at its expiry.
    const expiresAt = renewedAt + (spec?.leaseDurationSeconds ?? 40) * SECOND_MS;
    if (expiresAt > clock.now()) work.addAt(name, expiresAt);
    return expiresAt <= clock.now();
  }

  function markNodeLost(node: Node): void {
    if (findCondition(node.status?.conditions, 'Ready')?.status === 'Unknown') return;
    const { name } = node.metadata;
    cluster.modifyStatus('nodes', null, name, (draft) => {
      const { status = {} } = draft as Node;
      const lost = (conditions: WireCondition[], { type }: WireCondition): WireCondition[] =>
        withCondition(
          conditions,
          { type, status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' },
          clock.now(),
        );
      draft['status'] = { ...status, conditions: (status.conditions ?? []).reduce(lost, status.conditions ?? []) };
    });
    events.emit(node, COMPONENT, 'Normal', 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
  }

  function forget({ metadata }: Pod): void {
    cluster.delete('pods', metadata.namespace ?? '', metadata.name, { uid: metadata.uid, gracePeriodSeconds: 0 });
  }

  const stops = [
    cluster.onChange('nodes', ({ type, object, previous }) => {
      if (type !== 'MODIFIED' || previous === undefined || !isEqualJson(view(object), view(previous))) work.add(object.metadata.name);
    }),
    cluster.onChange(LEASES, ({ type, object }) => {
      if (type !== 'DELETED' && object.metadata.namespace === LEASE_NAMESPACE) work.add(object.metadata.name);
    }),
  ];
  return work.stopAfter(stops);
}

/** The fields that determine taints. Heartbeats and usage do not. */
function view({ spec, status }: Node): unknown {
  return [spec, findCondition(status?.conditions, 'Ready')?.status];
}

/** The node's taints with those of this controller updated; an unchanged taint keeps its timeAdded. */
function taintsOf({ spec, status }: Node, now: string): WireTaint[] {
  const before = spec?.taints ?? [];
  const ready = findCondition(status?.conditions, 'Ready')?.status;
  const lost = ready === undefined || ready === 'True' ? undefined : ready === 'False' ? NOT_READY : UNREACHABLE;
  const wanted: WireTaint[] = [
    ...(spec?.unschedulable === true ? [{ key: UNSCHEDULABLE, effect: 'NoSchedule' }] : []),
    ...(lost === undefined
      ? []
      : [
          { key: lost, effect: 'NoSchedule' },
          { key: lost, effect: 'NoExecute' },
        ]),
  ];
  const others = before.filter(({ key }) => !OWN.has(key));
  const own = wanted.map(
    (taint) => before.find(({ key, effect }) => key === taint.key && effect === taint.effect) ?? { ...taint, timeAdded: now },
  );
  return [...others, ...own];
}
