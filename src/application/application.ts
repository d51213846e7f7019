import type { Cluster, Recommendation, Warning } from '../apis/http/types.generated.ts';
import type { Refusal } from '../core/access/refusal.ts';
import { unmetRequirement } from '../core/access/requirement.ts';
import { EVERYONE_IS_ADMIN, type Scope } from '../core/access/scope.ts';
import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { parseWorkloadKey, workloadKey, type WorkloadKey } from '#kube/records/workload';
import type { Caller, CommandPorts } from '../commands/context.ts';
import { OBJECT_CHANGED, type CommandRefusal } from '../commands/outcome.ts';
import type { MachineTimer } from '../ports/clock.ts';
import type { ClusterChange } from '../ports/cluster/cluster-reader.ts';
import type { TimelineEntry } from '../ports/store/timeline.ts';
import { confirmedAt, listDataWarnings } from '../queries/freshness.ts';
import type { Query } from '../queries/query.ts';
import { createReadModels, type ReadModels } from '../queries/read-models.ts';
import type { ReadSources } from '../queries/sources.ts';
import { CallTrail, type CallRecord } from '../commands/call-trail.ts';
import { eventActor, type AccessEventLog } from './access-event-log.ts';
import type { Action } from './action.ts';
import { COMMANDS } from './commands.ts';
import { commandPorts, type CommandWriters } from './command-ports.ts';
import { OwnWrites } from './own-writes.ts';
import { QUERIES } from './queries.ts';

export type QueryName = keyof typeof QUERIES;
export type CommandName = keyof typeof COMMANDS;

/** Input of a query. */
export type QueryInput<Name extends QueryName> = Parameters<(typeof QUERIES)[Name]['answer']>[2];
/** Response of a query: a page, one object, or a refusal. */
export type QueryAnswer<Name extends QueryName> = Awaited<ReturnType<(typeof QUERIES)[Name]['answer']>> | Refusal;
/** Input of a command. */
export type CommandInput<Name extends CommandName> = Parameters<(typeof COMMANDS)[Name]['run']>[2];
type CommandData<Name extends CommandName> = Extract<ReturnType<(typeof COMMANDS)[Name]['answer']>, { readonly kind: 'answer' }>['data'];
/** Response of a command: the changed object (in a dry run as it would be), or a refusal. */
export type CommandAnswer<Name extends CommandName> =
  | { readonly kind: 'done'; readonly data: CommandData<Name>; readonly dryRun: boolean; readonly warnings: readonly Warning[] }
  | CommandRefusal;

/** Dependencies of the application. */
export interface ApplicationDependencies {
  readonly sources: ReadSources;
  readonly writers: CommandWriters;
  /** Machine time, which bounds how long a response waits for its own write. */
  readonly timer: MachineTimer;
  /** Evenkeel's namespace. */
  readonly namespace: string;
  /** Records every command, allowed, denied or failed. */
  readonly accessEvents: AccessEventLog;
}

/** Interval of the updates while nothing is read: a read then waits for the changes of a second at most. */
const UPKEEP_MS: DurationMs = SECOND_MS;
/** Interval of the lists, of which few items change in a minute: half of the time for which recommendations are cached. */
const LISTS_MS: DurationMs = 30 * SECOND_MS;

/**
 * All queries and commands of Evenkeel, shared by its clients (HTTP API, dashboard). Checks the required access of each call; the client
 * identifies the caller.
 */
export class Application {
  readonly #sources: ReadSources;
  readonly #models: ReadModels;
  readonly #ownWrites: OwnWrites;
  readonly #ports: CommandPorts;
  readonly #timer: MachineTimer;
  readonly accessEvents: AccessEventLog;

  constructor({ sources, writers, timer, namespace, accessEvents }: ApplicationDependencies) {
    this.accessEvents = accessEvents;
    this.#timer = timer;
    this.#sources = sources;
    this.#models = createReadModels(sources);
    this.#ownWrites = new OwnWrites(sources.cluster, timer);
    this.#ports = commandPorts(sources, writers, namespace, (isObserved) => this.#ownWrites.expect(isObserved));
  }

  /** Runs a query; the response contains only what the caller may see. */
  async ask<Name extends QueryName>(name: Name, scope: Scope, input: QueryInput<Name>): Promise<QueryAnswer<Name>> {
    const query = QUERIES[name] as unknown as Query<ReadModels, QueryInput<Name>, QueryAnswer<Name>>;
    return unmetRequirement(query.requires, scope, input, this.#ports.isEnabled) ?? query.answer(this.#models, scope, input);
  }

  /**
   * Carries out a command, and resolves once queries return what was written. `isUnmoved` compares the object, as its query returns it,
   * with what the caller has read; a changed object is refused. Every call has at least one access event, unless it was an allowed dry run.
   *
   * @throws where `isUnmoved` is set and no query reads the command's object (`canCompare`)
   */
  async carryOut<Name extends CommandName>(
    name: Name,
    caller: Caller,
    input: CommandInput<Name>,
    isUnmoved?: (item: unknown) => boolean,
  ): Promise<CommandAnswer<Name>> {
    const trail = new CallTrail((record, isLogged) => this.#record(name, caller, record, isLogged));
    try {
      const answer = await this.#carryOut(name, { ...caller, trail }, input, isUnmoved);
      trail.complete(answer, input);
      return answer;
    } catch (error) {
      trail.fail(input);
      throw error;
    }
  }

  #record(action: CommandName, { scope, requestId, address }: Caller, record: CallRecord, isLogged: boolean): void {
    const request = { actor: eventActor(scope), action, requestId, address };
    if (record.outcome === 'denied') {
      const { code } = record.after as { readonly code: string };
      this.accessEvents.deny({ ...request, target: record.target, code, isChange: true });
    } else this.accessEvents.record({ ...request, ...record }, { isLogged });
  }

  async #carryOut<Name extends CommandName>(
    name: Name,
    caller: Caller,
    input: CommandInput<Name>,
    isUnmoved: ((item: unknown) => boolean) | undefined,
  ): Promise<CommandAnswer<Name>> {
    const action = COMMANDS[name] as unknown as Action<CommandInput<Name>, unknown, CommandData<Name>>;
    const unmet = unmetRequirement(action.requires, caller.scope, input, this.#ports.isEnabled);
    if (unmet !== null) return unmet;
    if (isUnmoved !== undefined) {
      if (action.current === undefined) throw new Error(`${name}: nothing to compare with what the caller has seen`);
      const current = await action.current(this.#models, caller.scope, input);
      // A missing object is refused by the command.
      if (current.kind === 'found' && !isUnmoved(current.item)) return OBJECT_CHANGED;
    }
    const outcome = await action.run(this.#ports, isUnmoved === undefined ? caller : { ...caller, unmoved: true }, input);
    if (outcome.kind !== 'done') return outcome;
    this.#models.recommendations.clear();
    const answer = action.answer(this.#models, outcome.item);
    await this.#ownWrites.waitUntilObserved();
    const { dryRun, warnings = [] } = outcome;
    return answer.kind === 'answer' ? { kind: 'done', data: answer.data, dryRun, warnings } : answer;
  }

  /**
   * Keeps the totals of the cluster current while nothing is read, and the lists of the dashboard. The first read of a large cluster would
   * otherwise wait for seconds, and all others with it. @returns ends that
   */
  keepCurrent(): () => void {
    let cancel: (() => void) | null = null;
    let hasEnded = false;
    let listsAt = Number.NEGATIVE_INFINITY;
    const update = async (): Promise<void> => {
      try {
        if (this.isReady()) {
          await this.#models.totals.update();
          if (this.#timer.nowMs() - listsAt >= LISTS_MS) {
            listsAt = this.#timer.nowMs();
            await this.#updateLists(() => hasEnded);
          }
        }
      } catch (err) {
        this.#sources.logger.error('Computing the totals and lists of the dashboard failed; it is tried again', { err });
      }
      if (!hasEnded) cancel = this.#timer.setTimer(UPKEEP_MS, () => void update());
    };
    void update();
    return () => {
      hasEnded = true;
      cancel?.();
    };
  }

  /** Reads a page of each list of the dashboard, one after the other: each is built, and later brought up to date. */
  async #updateLists(hasEnded: () => boolean): Promise<void> {
    const page = { limit: 1, format: 'json' } as const;
    const lists: readonly (() => Promise<unknown>)[] = [
      () => this.#models.recommendations.refresh(),
      () => this.ask('listRecommendations', EVERYONE_IS_ADMIN, { ...page, sort: '-savingsPerMonthUsd' }),
      () => this.ask('listNodes', EVERYONE_IS_ADMIN, { ...page, sort: 'name' }),
      () => this.ask('listNamespaces', EVERYONE_IS_ADMIN, { ...page, sort: 'name' }),
      () => this.ask('listPods', EVERYONE_IS_ADMIN, { ...page, sort: 'namespace' }),
      () => this.ask('listResourceAudit', EVERYONE_IS_ADMIN, { ...page, sort: 'workload.namespace' }),
    ];
    const failures: unknown[] = [];
    for (const list of lists) if (!hasEnded()) await list().catch((err: unknown) => failures.push(err));
    if (failures.length > 0) throw new AggregateError(failures, 'lists of the dashboard');
  }

  /** Whether the informers have synced. */
  isReady(): boolean {
    return this.#sources.cluster.isSynced();
  }

  /** Time of the last confirmation by the informers and the usage source, the older of the two; null before both. */
  confirmedAt(): Instant | null {
    return confirmedAt(this.#sources);
  }

  /** Warnings about stale or unreachable sources and missing permissions, as far as the caller may see them. */
  listDataWarnings(scope: Scope): readonly Warning[] {
    return listDataWarnings(this.#sources, scope);
  }

  /** Records for the change stream, without a scope: each topic of the stream has its own requirement. */
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
      isReady: () => cluster.isSynced(),
      runInSlices: (steps) => this.#models.slices.run(steps),
    };
  }
}

/** Current records, and notifications of their changes. */
export interface ChangeSource {
  cluster(): Cluster;
  /** undefined where the workload does not exist. */
  recommendation(key: WorkloadKey): Recommendation | undefined;
  workloadKeys(): Iterable<WorkloadKey>;
  subscribe(listener: (change: ClusterChange) => void): () => void;
  /** Timeline entries of this process, without those of other replicas. */
  onTimelineEntry(listener: (entry: TimelineEntry) => void): () => void;
  /** Changes with every confirmation of usage. */
  usageConfirmedAt(): number | null;
  isReady(): boolean;
  /** Runs steps, and serves other events between them. The first one runs at once. */
  runInSlices(steps: Generator<void, void, void>): Promise<void>;
}
