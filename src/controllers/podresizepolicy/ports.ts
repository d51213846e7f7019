// What the controller needs of the rest of the process.

import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster-reader.ts';
import type { ResizeCycleWriter } from '../../ports/resize-cycle-log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { RecordWriter } from '../../ports/writers.ts';
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
  /** controller.dryRun */
  readonly dryRun: boolean;
  /** What we may not, as `patch pods/resize in namespace shop`. */
  readonly missingPermissions: () => readonly string[];
  /** Pods whose owners are of kinds that may not be read, as `12 pods of rollouts.argoproj.io`. */
  readonly unpermittedKinds: () => readonly string[];
  /** Has a workload evaluated as soon as possible. */
  readonly enqueueWorkload: (workload: WorkloadKey) => void;
  /** Has a policy looked at again as soon as possible. */
  readonly enqueuePolicy: (policy: string) => void;
}
