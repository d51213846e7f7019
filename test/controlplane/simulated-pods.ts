// Annotations of pods on kwok nodes: hack/real-cluster/kwok.yaml.

import { HOUR_MS } from '#kube/units';

/** Annotations of a pod that is running and ready for an hour at its creation: the CPU of a pod's first two minutes is ignored. */
export function runningForAnHour(): Readonly<Record<string, string>> {
  return { 'evenkeel.dev/running-since': new Date(Date.now() - HOUR_MS).toISOString() };
}
