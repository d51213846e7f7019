// What a replica does with usage while it leads, and while it follows. With a store of its own (SQLite) it always reads the
// kubelets itself; with one that replicas share, the leader alone does, and the others take from the store what it read.

import type { LeaderFeed } from '../../controllers/replicas/leader-feed.ts';
import { shareDecisions, shareSource, sharingSink } from '../../controllers/replicas/notify-followers.ts';
import type { Checkpoints } from '../../controllers/usage/checkpoints.ts';
import type { HistoryRecorder } from '../../controllers/usage/history-recorder.ts';
import type { DurationMs } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import type { SharedState } from '../../ports/shared-state.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { DecisionCache } from '../../state/decision-cache.ts';
import type { UsageModel } from '../../state/usage-model.ts';
import type { LiveUsage } from './usage-sources.ts';

export interface LeadingDependencies {
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
  /** Transitions of the lease, at the begin of a term. */
  readonly leaseTransitions: () => number;
  /** Still holds the lease when asked at the end of a term: then it steps down by its own will. */
  readonly isLeader: () => boolean;
}

/** A term: from following to reading, deciding (`decide`) and telling, and back. */
export async function leadTerm(
  dependencies: LeadingDependencies,
  decide: (term: AbortSignal) => Promise<void>,
  term: AbortSignal,
): Promise<void> {
  const { shared, feed, source, usage, intervalMs, recorder, checkpoints, decisions, cluster, clock } = dependencies;
  await feed.stop();
  const stopSharing = shareDecisions(decisions, shared, clock);
  const stopSharingSource = shareSource(() => source.status(), shared, clock, intervalMs);
  for (const key of decisions.workloads()) if (cluster.findWorkload(key) === undefined) decisions.forget(key);
  // What the last leader saved and this replica missed; decisions need not wait for it.
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
    // A leader that was deposed must not write over what its successor learns and tells; one that is stopped saves at its very end.
    if (!term.aborted || !dependencies.isLeader()) {
      checkpoints.leave();
      shared.withdraw();
    }
    await reading;
  }
}
