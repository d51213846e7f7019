import type { Instant } from '#kube/units';
import type { KubeObject } from '../../api/kube-object.ts';
import { ageOf } from '../ages.ts';
import type { Column, Fields } from './column.ts';
import { AGE, fieldsAt, itemsAt, NAME, numberAt, text, textAt, valueAt, wide } from './column.ts';

/** kubectl's columns of a pod: number of ready containers, status, restarts. */
export const POD_COLUMNS: readonly Column[] = [
  NAME,
  text('Ready', 'Ready containers of all containers.', (pod) => {
    const { ready, total } = summaryOf(pod);
    return `${ready}/${total}`;
  }),
  text('Status', 'Status of the pod.', (pod) => summaryOf(pod).reason),
  text('Restarts', 'Number of container restarts, and the time of the last.', restartsText),
  AGE,
  wide('IP', 'Address of the pod.', (pod) =>
    textAt(itemsAt(pod, 'status', 'podIPs')[0], ['ip'], textAt(pod, ['status', 'podIP'], '<none>')),
  ),
  wide('Node', 'Node of the pod.', (pod) => textAt(pod, ['spec', 'nodeName'], '<none>')),
  wide('Nominated Node', 'Node on which pods are preempted for it.', (pod) => textAt(pod, ['status', 'nominatedNodeName'], '<none>')),
  wide('Readiness Gates', 'Passed readiness gates of all readiness gates.', readinessGates),
];

interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
}

function summaryOf(pod: KubeObject): PodSummary {
  const sidecars = itemsAt(pod, 'spec', 'initContainers').filter(isSidecar);
  const total = itemsAt(pod, 'spec', 'containers').length + sidecars.length;
  const initial = initialReason(pod);
  const init = initState(pod);
  const main = mainState(pod);
  // Once the main containers have started, init containers no longer determine the status.
  const reason = init.reason !== null && !hasCondition(pod, 'Initialized') ? init.reason : (main.reason ?? init.reason ?? initial);
  return { ready: init.ready + main.ready, total, reason: deletionReason(pod, reason) };
}

function initialReason(pod: KubeObject): string {
  const gated = itemsAt(pod, 'status', 'conditions').some(
    (condition) => condition['type'] === 'PodScheduled' && condition['reason'] === 'SchedulingGated',
  );
  return gated ? 'SchedulingGated' : textAt(pod, ['status', 'reason'], textAt(pod, ['status', 'phase'], 'Unknown'));
}

/** Reason while an init container is not complete, and the number of ready sidecars. */
function initState(pod: KubeObject): { readonly reason: string | null; readonly ready: number } {
  const specs = new Map(itemsAt(pod, 'spec', 'initContainers').map((container) => [container['name'], container]));
  let ready = 0;
  for (const [index, status] of itemsAt(pod, 'status', 'initContainerStatuses').entries()) {
    const terminated = valueAt(status, 'state', 'terminated');
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue;
    if (isSidecar(specs.get(status['name']) ?? {}) && status['started'] === true) {
      if (status['ready'] === true) ready++;
      continue;
    }
    if (terminated !== undefined) return { reason: `Init:${exitReason(terminated)}`, ready };
    const waiting = textAt(status, ['state', 'waiting', 'reason']);
    if (waiting !== '' && waiting !== 'PodInitializing') return { reason: `Init:${waiting}`, ready };
    return { reason: `Init:${index}/${specs.size}`, ready };
  }
  return { reason: null, ready };
}

/** Reason of the first container that has one, and the numbers of running and ready containers. */
function mainState(pod: KubeObject): { readonly reason: string | null; readonly ready: number } {
  let reason: string | null = null;
  let ready = 0;
  for (const status of itemsAt(pod, 'status', 'containerStatuses').toReversed()) {
    const state = fieldsAt(status, 'state');
    const waiting = textAt(state, ['waiting', 'reason']);
    if (waiting !== '') reason = waiting;
    else if (state['terminated'] !== undefined) reason = exitReason(state['terminated']);
    else if (status['ready'] === true && state['running'] !== undefined) ready++;
  }
  if (reason === 'Completed' && ready > 0) reason = hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
  return { reason, ready };
}

function exitReason(terminated: unknown): string {
  const signal = numberAt(terminated, 'signal');
  const code = signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
  return textAt(terminated, ['reason'], code);
}

function deletionReason(pod: KubeObject, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (textAt(pod, ['status', 'reason']) === 'NodeLost') return 'Unknown';
  const phase = textAt(pod, ['status', 'phase']);
  return phase === 'Succeeded' || phase === 'Failed' ? reason : 'Terminating';
}

function restartsText(pod: KubeObject, now: Instant): string {
  const sidecars = new Set(
    itemsAt(pod, 'spec', 'initContainers')
      .filter(isSidecar)
      .map((container) => container['name']),
  );
  const inits = itemsAt(pod, 'status', 'initContainerStatuses');
  const counted = hasBegun(pod) ? inits.filter((status) => sidecars.has(status['name'])) : inits;
  const statuses = [...counted, ...itemsAt(pod, 'status', 'containerStatuses')];
  const restarts = statuses.reduce((sum, status) => sum + numberAt(status, 'restartCount'), 0);
  const ends = statuses.map((status) => textAt(status, ['lastState', 'terminated', 'finishedAt'])).filter((end) => end !== '');
  const last = ends.sort().at(-1);
  return restarts === 0 || last === undefined ? String(restarts) : `${restarts} (${ageOf(last, now)} ago)`;
}

function hasBegun(pod: KubeObject): boolean {
  return initState(pod).reason === null || hasCondition(pod, 'Initialized');
}

function readinessGates(pod: KubeObject): string {
  const gates = itemsAt(pod, 'spec', 'readinessGates');
  if (gates.length === 0) return '<none>';
  return `${gates.filter((gate) => hasCondition(pod, textAt(gate, ['conditionType']))).length}/${gates.length}`;
}

function isSidecar(container: Fields): boolean {
  return container['restartPolicy'] === 'Always';
}

function hasCondition(object: KubeObject, type: string): boolean {
  return itemsAt(object, 'status', 'conditions').some((condition) => condition['type'] === type && condition['status'] === 'True');
}
