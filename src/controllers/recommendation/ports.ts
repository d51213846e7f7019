// What the controller needs of the rest of the process.

import type { CountedKill } from '../../core/resize/model/counted-kill.ts';
import type { ContainerDemand } from '../../core/resize/model/demand.ts';
import type { PodRecord } from '#kube/records/pod';
import type { Instant, Millicores } from '#kube/units';
import type { ContainerReadings } from '#kube/records/usage';
import type { WorkloadKey } from '#kube/records/workload';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster-reader.ts';
import type { ErrorRates } from '../../ports/error-rates.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { TimelineWriter } from '../../ports/timeline.ts';
import type { UsageRecommender } from '../../ports/usage-recommender.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { PriceSource } from '../../ports/price-source.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { RecordWriter } from '../../ports/writers.ts';
import type { EffectGate } from '../../runtime/effect-gate.ts';
import type { DecisionCache } from '../../state/decision-cache.ts';
import type { PolicyResolver } from '../../state/policy-resolver.ts';
import type { ResizeCycles } from '../../state/resize-cycles.ts';
import type { IdleSource } from './idle-ports.ts';

export interface RecommendationPorts {
  readonly clock: Clock;
  readonly cluster: ClusterReader;
  readonly advice: Pick<UsageRecommender, 'advise'>;
  /** null: there is no Prometheus. */
  readonly errorRates: ErrorRates | null;
  /** Name of the usage source; null before any has answered. */
  readonly usageSource: () => string | null;
  /** Whether no usage of a pod that runs was read for two periods, or never: of its node, or of this pod alone. */
  readonly isUnread: (pod: PodRecord) => boolean;
  /** Whether a node measures pressure (PSI), and has reported it of late. */
  readonly isPressureMeasured: (node: string) => boolean;
  /** CPU that a node uses as a whole, system daemons included; null: not known. */
  readonly cpuUsedByNode: (node: string) => Millicores | null;
  readonly prices: PriceSource;
  readonly policies: PolicyResolver;
  readonly decisions: DecisionCache;
  readonly cycles: ResizeCycles;
  readonly gate: EffectGate;
  readonly records: RecordWriter;
  /** Of what is written on workloads and autoscalers, and believed when it is read again. */
  readonly signer: RecordSigner;
  readonly events: EventRecorder;
  readonly timeline: TimelineWriter;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Absent: no workload is ever made small for being idle. */
  readonly idle?: IdleSource;
  /** What the containers of a workload used in the last minutes; empty where nothing is known. */
  readonly demandOf: (workload: WorkloadKey) => readonly ContainerDemand[];
  /** The latest readings of throttling and pressure of a pod's containers; empty where nothing is known. */
  readonly readingsOf: (pod: PodRecord) => readonly ContainerReadings[];
  /** OOM kills of the last day that the pod's status does not show. */
  readonly countedKillsOf: (pod: PodRecord) => readonly CountedKill[];
  /** When containers of the pod failed, of the last two days, as far as it was seen. */
  readonly failuresOf: (pod: PodRecord) => readonly Instant[];
  /** New pods get their size at creation; absent: they do not. */
  readonly admission?: boolean;
  /** Whether the API server has `pods/resize`. */
  readonly inPlaceResize: () => boolean;
}
