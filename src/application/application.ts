import type { Cluster, Recommendation, Warning } from '../apis/http/types.generated.ts';
import type { Refusal } from '../core/access/refusal.ts';
import { unmetRequirement } from '../core/access/requirement.ts';
import type { Scope } from '../core/access/scope.ts';
import type { Instant } from '#kube/units';
import { parseWorkloadKey, workloadKey, type WorkloadKey } from '#kube/records/workload';
import type { Caller, CommandPorts } from '../commands/context.ts';
import { MOVED_ON, type CommandRefusal } from '../commands/outcome.ts';
import type { MachineTimer } from '../ports/clock.ts';
import type { ClusterChange } from '../ports/cluster-reader.ts';
import type { TimelineEntry } from '../ports/timeline.ts';
import { confirmedAt, silentSources } from '../queries/freshness.ts';
import type { Query } from '../queries/query.ts';
import { createReadModels, type ReadModels } from '../queries/read-models.ts';
import type { ReadSources } from '../queries/sources.ts';
import type { Action } from './action.ts';
import { COMMANDS } from './commands.ts';
import { commandPorts, type CommandWriters } from './command-ports.ts';
import { OwnWrites } from './own-writes.ts';
import { QUERIES } from './queries.ts';

export type QueryName = keyof typeof QUERIES;
export type CommandName = keyof typeof COMMANDS;

/** What a query is asked with. */
export type QueryInput<Name extends QueryName> = Parameters<(typeof QUERIES)[Name]['answer']>[2];
/** What a query answers: a page, one object, or why not. */
export type QueryAnswer<Name extends QueryName> = Awaited<ReturnType<(typeof QUERIES)[Name]['answer']>> | Refusal;
/** What a command is given with. */
export type CommandInput<Name extends CommandName> = Parameters<(typeof COMMANDS)[Name]['run']>[2];
type CommandData<Name extends CommandName> = Extract<ReturnType<(typeof COMMANDS)[Name]['answer']>, { readonly kind: 'answer' }>['data'];
/** What a command answers: the changed object (in a dry run: as it would be), or why nothing was changed. */
export type CommandAnswer<Name extends CommandName> =
  { readonly kind: 'done'; readonly data: CommandData<Name>; readonly dryRun: boolean } | CommandRefusal;

/** Dependencies of the application. */
export interface ApplicationDependencies {
  readonly sources: ReadSources;
  readonly writers: CommandWriters;
  /** Machine time, for how long an answer waits for its own write. */
  readonly timer: MachineTimer;
  /** Evenkeel's own. */
  readonly namespace: string;
}

/**
 * Every query and command of Evenkeel, built once and given to every head. Checks the requirement of each call; a head
 * identifies the caller.
 */
export class Application {
  readonly #sources: ReadSources;
  readonly #models: ReadModels;
  readonly #ownWrites: OwnWrites;
  readonly #ports: CommandPorts;

  constructor({ sources, writers, timer, namespace }: ApplicationDependencies) {
    this.#sources = sources;
    this.#models = createReadModels(sources);
    this.#ownWrites = new OwnWrites(sources.cluster, timer);
    this.#ports = commandPorts(sources, writers, namespace, (isSeen) => this.#ownWrites.expect(isSeen));
  }

  /** Answers the query with what the caller may see of it. */
  async ask<Name extends QueryName>(name: Name, scope: Scope, input: QueryInput<Name>): Promise<QueryAnswer<Name>> {
    const query = QUERIES[name] as unknown as Query<ReadModels, QueryInput<Name>, QueryAnswer<Name>>;
    return unmetRequirement(query.requires, scope, input, this.#ports.isEnabled) ?? query.answer(this.#models, scope, input);
  }

  /**
   * Carries out the command; the answer comes once queries are answered from what was written. `isUnmoved` compares the object,
   * as its own query answers it now, with what the caller has seen of it: where it has moved on, nothing is changed.
   *
   * @throws where `isUnmoved` is given and no query reads the object of the command by itself (`canCompare`)
   */
  async carryOut<Name extends CommandName>(
    name: Name,
    caller: Caller,
    input: CommandInput<Name>,
    isUnmoved?: (item: unknown) => boolean,
  ): Promise<CommandAnswer<Name>> {
    const action = COMMANDS[name] as unknown as Action<CommandInput<Name>, unknown, CommandData<Name>>;
    const unmet = unmetRequirement(action.requires, caller.scope, input, this.#ports.isEnabled);
    if (unmet !== null) return unmet;
    if (isUnmoved !== undefined) {
      if (action.current === undefined) throw new Error(`${name}: nothing to compare with what the caller has seen`);
      const now = await action.current(this.#models, caller.scope, input);
      // What is not there is for the command to refuse.
      if (now.kind === 'found' && !isUnmoved(now.item)) return MOVED_ON;
    }
    const outcome = await action.run(this.#ports, isUnmoved === undefined ? caller : { ...caller, unmoved: true }, input);
    if (outcome.kind !== 'done') return outcome;
    this.#models.recommendations.clear();
    const answer = action.answer(this.#models, outcome.item);
    await this.#ownWrites.caughtUp();
    return answer.kind === 'answer' ? { kind: 'done', data: answer.data, dryRun: outcome.dryRun } : answer;
  }

  /** Whether there is anything to answer from. */
  ready(): boolean {
    return this.#sources.cluster.synced();
  }

  /** When the informers and the usage source, the older of them, last confirmed what is answered; null before they did. */
  confirmedAt(): Instant | null {
    return confirmedAt(this.#sources);
  }

  /** Sources that have fallen silent. */
  silentSources(): readonly Warning[] {
    return silentSources(this.#sources);
  }

  /** For streams of changes: records without a scope. Each topic of the stream states its requirement. */
  get changes(): ChangeSource {
    const { cluster, usage, timeline } = this.#sources;
    return {
      cluster: () => this.#models.cluster.get().item,
      recommendation: (key) => {
        const workload = cluster.findWorkload(workloadKey(parseWorkloadKey(key)));
        return workload === undefined ? undefined : this.#models.recommendations.record(workload);
      },
      *workloadKeys() {
        for (const workload of cluster.workloads()) yield workloadKey(workload);
      },
      subscribe: (listener) => cluster.subscribe(listener),
      onTimelineEntry: (listener) => timeline.onEntry(listener),
      usageConfirmedAt: () => usage.confirmedAt(),
      ready: () => cluster.synced(),
    };
  }
}

/** Records as they are now, and word of every change. */
export interface ChangeSource {
  cluster(): Cluster;
  /** undefined where the workload is gone. */
  recommendation(key: WorkloadKey): Recommendation | undefined;
  workloadKeys(): Iterable<WorkloadKey>;
  subscribe(listener: (change: ClusterChange) => void): () => void;
  /** Acts that this process records; other replicas' are not among them. */
  onTimelineEntry(listener: (entry: TimelineEntry) => void): () => void;
  /** Changes whenever usage was confirmed anew. */
  usageConfirmedAt(): number | null;
  ready(): boolean;
}
