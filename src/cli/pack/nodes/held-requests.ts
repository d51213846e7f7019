import { addAmounts, type Amounts, raiseAmounts, readAmounts, roundUp, type Sums } from '#kube/amounts';
import { readOverhead, readWholeRequests, sumContainers } from '#kube/pod-spec/pod-amounts';
import { objectAt, objectsAt, textAt, type Wire } from '#kube/wire';
import { requestsOfContainer, requestsOf } from '../input/pod-quantities.ts';

/**
 * What a pod takes of its node where that is more, or less, than its spec requests: kube-scheduler counts the largest of the requests of the
 * spec, of what the node has allocated and of what is in effect, and of a resize that the node can never grant the latter two. Null: as its
 * spec requests. @throws WireError
 */
export function readHeldRequests(pod: Wire): Amounts | null {
  const spec = objectAt(pod, 'spec');
  // Requests of the whole pod replace those of its containers.
  if (readWholeRequests(spec).size > 0) return null;
  const status = objectAt(pod, 'status');
  const statuses = new Map(
    ['containerStatuses', 'initContainerStatuses'].flatMap((list) =>
      objectsAt(status, list, `status.${list}`).map((each) => [textAt(each, 'name'), each] as const),
    ),
  );
  const isInfeasible = objectsAt(status, 'conditions', 'status.conditions').some(
    (condition) => condition['type'] === 'PodResizePending' && condition['reason'] === 'Infeasible',
  );
  const heldBy = (container: Wire): Sums => {
    const requested = requestsOfContainer(container);
    const of = statuses.get(textAt(container, 'name'));
    if (of === undefined) return requested;
    const allocated = readAmounts(objectAt(of, 'allocatedResources'));
    const actual = readAmounts(objectAt(objectAt(of, 'resources'), 'requests'));
    if (allocated.size + actual.size === 0) return requested;
    return raiseAmounts(raiseAmounts(isInfeasible ? new Map<string, number>() : requested, allocated), actual);
  };
  const held = roundUp(addAmounts(sumContainers(spec, heldBy, requestsOfContainer), readOverhead(spec)));
  const requested = requestsOf(spec);
  const isSame = [...new Set([...held.keys(), ...requested.keys()])].every((key) => (held.get(key) ?? 0) === (requested.get(key) ?? 0));
  return isSame ? null : held;
}
