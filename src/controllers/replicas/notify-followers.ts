// Shares the leader's usage and decisions with the followers.

import type { DurationMs } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import type { SharedState } from '../../ports/cluster/shared-state.ts';
import type { EvidenceSink, UsageSink, UsageSourceStatus } from '../../ports/usage/usage-source.ts';
import type { DecisionCache } from '../../state/decision-cache.ts';

/** Wraps a sink and shares every reading with the followers. Failures are not shared: followers see that no reading arrives. */
export function sharingSink(sink: UsageSink & EvidenceSink, shared: SharedState, clock: Clock): UsageSink & EvidenceSink {
  return {
    onUsage: (reading) => {
      sink.onUsage(reading);
      const { node: key, containers, nodeUsage } = reading;
      shared.share({ topic: 'usage', key, at: clock.now(), body: { containers, nodeUsage } });
    },
    onSummary: (reading) => {
      sink.onSummary(reading);
      const { node: key, volumes, network, pressure } = reading;
      shared.share({ topic: 'summary', key, at: clock.now(), body: { volumes, network, pressure } });
    },
    onEvidence: (reading) => {
      sink.onEvidence(reading);
      const { node: key, source, containers } = reading;
      shared.share({ topic: 'evidence', key, at: reading.at, body: { source, containers } });
    },
    onEvidenceFailure: (failure) => sink.onEvidenceFailure(failure),
    onFailure: (failure) => sink.onFailure(failure),
    onDropped: (reason, count) => sink.onDropped(reason, count),
  };
}

/**
 * Shares the usage source, now and once per interval.
 * @returns a function that stops
 */
export function shareSource(status: () => UsageSourceStatus, shared: SharedState, clock: Clock, intervalMs: DurationMs): () => void {
  let cancel = (): void => undefined;
  const share = (): void => {
    shared.share({ topic: 'source', key: 'usage', at: clock.now(), body: status() });
    cancel = clock.schedule(clock.now() + intervalMs, share);
  };
  share();
  return () => cancel();
}

/**
 * Shares each decision as it is recorded or dropped, with its evidence and its unpublished status.
 * @returns a function that stops
 */
export function shareDecisions(decisions: DecisionCache, shared: SharedState, clock: Clock): () => void {
  return decisions.onRecord((key, decided) => shared.share({ topic: 'decision', key, at: clock.now(), body: decided }));
}
