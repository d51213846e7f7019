// The dependencies of the controller.

import type { Instant } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { ResizeCycleWriter } from '../../ports/store/resize-cycle-log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { RecordWriter } from '../../ports/cluster/writers.ts';
import type { WorkloadKey } from '#kube/records/workload';
import type { DecisionCache } from '../../state/decision-cache.ts';
import type { PolicyResolver } from '../../state/policy-resolver.ts';
import type { ResizeCycles } from '../../state/resize-cycles.ts';

export interface PodResizePolicyPorts {
  readonly clock: Clock;
  readonly cluster: ClusterReader;
  readonly policies: PolicyResolver;
  readonly decisions: DecisionCache;
  readonly cycles: ResizeCycles;
  readonly records: RecordWriter;
  readonly cycleLog: ResizeCycleWriter;
  readonly metrics: Metrics;
  /** Setting controller.dryRun. */
  readonly dryRun: boolean;
  /** The pause of every change by the ConfigMap evenkeel-pause; null: none. */
  readonly activePause: (now: Instant) => { readonly reason: string; readonly until: Instant | null } | null;
  /** Missing permissions, for example `patch pods/resize in namespace shop`. */
  readonly missingPermissions: () => readonly string[];
  /** Pods whose owners' kinds may not be read, for example `12 pods of rollouts.argoproj.io`. */
  readonly unpermittedKinds: () => readonly string[];
  readonly enqueueWorkload: (workload: WorkloadKey) => void;
  readonly enqueuePolicy: (policy: string) => void;
}
