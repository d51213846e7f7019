// One term of a leader with a shared store (PostgreSQL): only the leader reads kubelets, and followers read its records from the store.
// With a store of its own (SQLite), a replica always reads kubelets itself.

import type { LeaderFeed } from '../../controllers/replicas/leader-feed.ts';
import { shareDecisions, shareSource, sharingSink } from '../../controllers/replicas/notify-followers.ts';
import type { Checkpoints } from '../../controllers/usage/checkpoints.ts';
import type { HistoryRecorder } from '../../controllers/usage/history-recorder.ts';
import type { DurationMs } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import type { SharedState } from '../../ports/cluster/shared-state.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { DecisionCache } from '../../state/decision-cache.ts';
import type { UsageModel } from '../../state/usage/usage-model.ts';
import type { LiveUsage } from './usage/usage-sources.ts';

export interface TermDependencies {
  readonly shared: SharedState;
  readonly feed: LeaderFeed;
  readonly source: LiveUsage;
  readonly usage: UsageModel;
  readonly intervalMs: DurationMs;
  readonly recorder: HistoryRecorder;
  readonly checkpoints: Checkpoints;
  readonly decisions: DecisionCache;
  readonly cluster: Pick<ClusterState, 'findWorkload'>;
  readonly clock: Clock;
  /** Transitions of the lease, at the start of a term. */
  readonly leaseTransitions: () => number;
  /** At the end of a term: whether this replica still holds the lease, as in a clean stop. */
  readonly isLeader: () => boolean;
}

/** Runs one term: stops following, then reads usage, decides (`decide`) and shares both until the term ends. */
export async function leadTerm(
  dependencies: TermDependencies,
  decide: (term: AbortSignal) => Promise<void>,
  term: AbortSignal,
): Promise<void> {
  const { shared, feed, source, usage, intervalMs, recorder, checkpoints, decisions, cluster, clock } = dependencies;
  await feed.stop();
  const stopSharing = shareDecisions(decisions, shared, clock);
  const stopSharingSource = shareSource(() => source.status(), shared, clock, intervalMs);
  for (const key of decisions.workloads()) if (cluster.findWorkload(key) === undefined) decisions.forget(key);
  // Reads what the previous leader saved and this replica missed; decisions do not wait for it.
  void checkpoints.restore();
  checkpoints.start(dependencies.leaseTransitions());
  recorder.start();
  const stop = new AbortController();
  const end = (): void => stop.abort(new Error('this replica no longer leads'));
  term.addEventListener('abort', end, { once: true });
  if (term.aborted) end();
  const reading = source.run(sharingSink(usage, shared, clock), intervalMs, stop.signal);
  try {
    await decide(term);
  } finally {
    end();
    term.removeEventListener('abort', end);
    recorder.stop();
    stopSharing();
    stopSharingSource();
    // A former leader must not overwrite the checkpoints and records of its successor; a stopped one saves them at its end.
    if (!term.aborted || !dependencies.isLeader()) {
      checkpoints.leave();
      shared.discardQueued();
    }
    await reading;
  }
}
