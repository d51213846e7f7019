// Annotations of pods that kwok plays: hack/real-cluster/kwok.yaml.

import { HOUR_MS } from '#kube/units';

/** Running and ready for an hour when they are created: the CPU of a pod's first two minutes is evidence of nothing. */
export function runningForAnHour(): Readonly<Record<string, string>> {
  return { 'evenkeel.dev/running-since': new Date(Date.now() - HOUR_MS).toISOString() };
}
