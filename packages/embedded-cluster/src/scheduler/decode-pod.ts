import { claimsOf } from '#kube/pod-spec/pod-volumes';
import { nodeTermsOf, readPriority, readSchedulingRules } from '#kube/pod-spec/scheduling-rules';
import type { SchedulingPod } from '#kube/scheduling/scheduling-model';
import type { Pod } from '../controllers/wire/pod.ts';
import { schedulingRequests } from './pod-requests.ts';

/** A pod as the scheduler sees it. */
export function decodeSchedulingPod(pod: Pod): SchedulingPod {
  const { metadata, spec } = pod;
  const { name, labels = {} } = metadata;
  const read = readSchedulingRules(spec, { name, labels });
  return {
    ...read.rules,
    uid: metadata.uid,
    namespace: metadata.namespace ?? '',
    name,
    labels,
    priority: readPriority(spec),
    createdAt: Date.parse(metadata.creationTimestamp),
    startedAt: startOf(pod),
    terminating: metadata.deletionTimestamp !== undefined,
    requests: schedulingRequests(pod),
    nodeName: spec.nodeName === undefined || spec.nodeName === '' ? null : spec.nodeName,
    nodeTerms: nodeTermsOf(read),
    ownerUid: metadata.ownerReferences?.find((owner) => owner.controller === true)?.uid ?? null,
    claims: claimsOf(read.rules.claims, name),
  };
}

function startOf({ status }: Pod): number | null {
  const startTime = (status as Pod['status'] | undefined)?.startTime;
  return startTime === undefined ? null : Date.parse(startTime);
}
