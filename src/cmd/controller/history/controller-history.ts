import { HistoryRecorder } from '../../../controllers/usage/history-recorder.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { PriceSource } from '../../../ports/price-source.ts';
import type { UsageRollupWriter } from '../../../ports/usage/usage-rollups.ts';
import type { ClusterState } from '../../../state/cluster-state.ts';
import type { UsageModel } from '../../../state/usage/usage-model.ts';
import type { Reconcilers } from '../reconcilers.ts';

export interface ControllerHistoryDependencies {
  readonly state: ClusterState;
  readonly usage: UsageModel;
  readonly rollups: UsageRollupWriter;
  readonly prices: PriceSource;
  readonly reconcilers: Pick<Reconcilers, 'recommendedRequests'>;
  readonly clock: Clock;
}

/** Creates the recorder of the cluster's usage, cost and recommended requests. */
export function createHistoryRecorder({
  state,
  usage,
  rollups,
  prices,
  reconcilers,
  clock,
}: ControllerHistoryDependencies): HistoryRecorder {
  return new HistoryRecorder({
    ...{ cluster: state, usage, rollups, clock },
    recommended: () => reconcilers.recommendedRequests(),
    costPerHourUsd: (node) => prices.priceOf(node).perHourUsd,
  });
}
