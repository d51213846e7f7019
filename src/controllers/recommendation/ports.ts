// The dependencies of the controller.

import type { CountedKill } from '../../core/resize/model/evidence/counted-kill.ts';
import type { ContainerDemand } from '../../core/resize/model/evidence/demand.ts';
import type { PodRecord } from '#kube/records/pod';
import type { Instant, Millicores } from '#kube/units';
import type { ContainerReadings } from '#kube/records/usage';
import type { WorkloadKey, WorkloadRecord } from '#kube/records/workload';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { ErrorRates } from '../../ports/usage/error-rates.ts';
import type { EventRecorder } from '../../ports/cluster/event-recorder.ts';
import type { TimelineWriter } from '../../ports/store/timeline.ts';
import type { UsageRecommender } from '../../ports/usage/usage-recommender.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { PriceSource } from '../../ports/price-source.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { RecordWriter } from '../../ports/cluster/writers.ts';
import type { EffectGate } from '../../runtime/effects/effect-gate.ts';
import type { DecisionCache } from '../../state/decision-cache.ts';
import type { PolicyResolver } from '../../state/policy-resolver.ts';
import type { ResizeCycles } from '../../state/resize-cycles.ts';
import type { IdleRules } from '../../core/resize/policy/idle-rules.ts';
import type { Activity } from '../../core/resize/model/evidence/idle-tracker.ts';

/** Tracks for how long workloads have not been used. */
export interface IdleSource {
  /** Setting features.idleWorkloads. */
  readonly enabled: boolean;
  /** Starts or continues to track a workload; with `rules` null, stops. */
  watch(workload: WorkloadRecord, rules: IdleRules | null, now: Instant): Promise<void>;
  /** null where the workload is not tracked. */
  activityOf(key: WorkloadKey): Activity | null;
  forget(key: WorkloadKey): void;
}

export interface RecommendationPorts {
  readonly clock: Clock;
  readonly cluster: ClusterReader;
  readonly advice: Pick<UsageRecommender, 'advise'>;
  /** null where no Prometheus is configured. */
  readonly errorRates: ErrorRates | null;
  /** Name of the usage source; null before its first answer. */
  readonly usageSource: () => string | null;
  /** Whether no usage of a running pod was read for two sampling periods, or ever. */
  readonly isUnread: (pod: PodRecord) => boolean;
  /** Whether a node has reported pressure (PSI) recently. */
  readonly isPressureMeasured: (node: string) => boolean;
  /** CPU used on a node, system daemons included; null where it was not read. */
  readonly cpuUsedByNode: (node: string) => Millicores | null;
  readonly prices: PriceSource;
  readonly policies: PolicyResolver;
  readonly decisions: DecisionCache;
  readonly cycles: ResizeCycles;
  readonly gate: EffectGate;
  readonly records: RecordWriter;
  /** Signs the annotations on workloads and autoscalers that are followed when they are read again. */
  readonly signer: RecordSigner;
  readonly events: EventRecorder;
  readonly timeline: TimelineWriter;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Enqueues a workload whose Recommendation may be written now. */
  readonly enqueue: (workload: WorkloadKey) => void;
  /** Setting metrics.maxWorkloads. */
  readonly maxWorkloadMetrics: number;
  /** Absent where no workload is idled. */
  readonly idle?: IdleSource;
  /** Usage of the containers of a workload in the last minutes; empty before the first samples. */
  readonly demandOf: (workload: WorkloadKey) => readonly ContainerDemand[];
  /** Latest readings of throttling and pressure of a pod's containers; empty where the node reports none. */
  readonly readingsOf: (pod: PodRecord) => readonly ContainerReadings[];
  /** OOM kills of the last day that the pod's status does not list. */
  readonly countedKillsOf: (pod: PodRecord) => readonly CountedKill[];
  /** Observed failures of the pod's containers in the last two days. */
  readonly failuresOf: (pod: PodRecord) => readonly Instant[];
  /** Whether the admission webhook sizes new pods. */
  readonly admission?: boolean;
  /** Whether the API server serves `pods/resize`. */
  readonly canResizeInPlace: () => boolean;
}
