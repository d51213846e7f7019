// The subcommands that change one workload: approve, reject, rollback, hold and resume.

import type { Recommendation } from '../../apis/v1alpha1/index.ts';
import { describeOptions, parseArguments, type OptionTable, type OptionValues } from '../arguments.ts';
import type { Command, Terminal } from '../command.ts';
import { connectToCluster, type ClusterConnection, type ClusterOptions } from '../connect.ts';
import { REQUEST_OPTIONS } from './options.ts';
import { RecommendationApi, type ServerView, type WorkloadName } from './recommendation-api.ts';

export const EXIT = { done: 0, failed: 1, usageError: 2, interrupted: 130 } as const;

/** Connects to the cluster of the options; an argument in tests. */
export type Connect = (options: ClusterOptions, userAgent: string) => Promise<ClusterConnection>;

/** What a request answers: the sentence of a change, or why it is not made. */
export type RequestOutcome = { readonly kind: 'done'; readonly message: string } | { readonly kind: 'refused'; readonly message: string };

export interface RequestContext<T extends OptionTable> {
  readonly api: RecommendationApi;
  readonly recommendation: Recommendation;
  /** `Deployment shop/web` */
  readonly workload: string;
  readonly server: ServerView;
  readonly options: OptionValues<T> & OptionValues<typeof REQUEST_OPTIONS>;
}

export interface RequestSpec<T extends OptionTable = OptionTable> {
  readonly name: string;
  readonly summary: string;
  readonly help: readonly string[];
  readonly options: T;
  run(context: RequestContext<T>): Promise<RequestOutcome>;
}

/** A subcommand `evenkeel NAME NAMESPACE/WORKLOAD`. */
export function requestCommand<T extends OptionTable>(spec: RequestSpec<T>, connect: Connect = connectToCluster): Command {
  const table = { ...spec.options, ...REQUEST_OPTIONS };
  const say = (line: string): string => `evenkeel ${spec.name}: ${line}`;
  return {
    name: spec.name,
    summary: spec.summary,
    help: [`evenkeel ${spec.name} NAMESPACE/WORKLOAD [OPTIONS]`, '', ...spec.help, '', ...describeOptions(table)].join('\n'),
    async run(args, terminal) {
      const parsed = parseArguments(table, args, { withPositionals: true });
      const target = parsed.ok ? readTarget(parsed.positionals) : null;
      const problems = parsed.ok ? (typeof target === 'string' ? [target] : []) : parsed.problems;
      if (!parsed.ok || target === null || typeof target === 'string') {
        for (const problem of problems) terminal.err(say(problem));
        return EXIT.usageError;
      }
      const options = parsed.values as unknown as OptionValues<T> & OptionValues<typeof REQUEST_OPTIONS>;
      return withConnection(connect, options, spec.name, terminal, async ({ transport }) => {
        const api = new RecommendationApi(transport, { signal: terminal.interrupted, dryRun: options['dry-run'] });
        const recommendation = await api.find({ ...target, kind: options.kind });
        const workload = `${recommendation.spec.targetRef.kind} ${target.namespace}/${target.name}`;
        const outcome = await spec.run({ api, recommendation, workload, server: await api.serverView(), options });
        if (outcome.kind === 'refused') {
          terminal.err(say(outcome.message));
          return EXIT.failed;
        }
        terminal.out(`${outcome.message}${options['dry-run'] ? ' (dry run: nothing was stored)' : ''}`);
        return EXIT.done;
      });
    },
  };
}

/** Runs with a connection that is closed afterwards; faults become one line. */
export async function withConnection(
  connect: Connect,
  options: ClusterOptions,
  name: string,
  terminal: Terminal,
  run: (connection: ClusterConnection) => Promise<number>,
): Promise<number> {
  try {
    const connection = await connect(options, `evenkeel-${name}`);
    try {
      return await run(connection);
    } finally {
      connection.close();
    }
  } catch (err) {
    if (terminal.interrupted.aborted) return EXIT.interrupted;
    terminal.err(`evenkeel ${name}: ${err instanceof Error ? err.message : String(err)}`);
    return EXIT.failed;
  }
}

/** Names as the API server accepts them: another one would be another path. */
export const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const WORKLOAD = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** @returns a problem as text where the arguments do not name one workload */
export function readTarget(positionals: readonly string[]): Omit<WorkloadName, 'kind'> | string {
  const [argument, ...more] = positionals;
  if (argument === undefined) return 'name the workload as NAMESPACE/NAME, such as shop/web';
  if (more.length > 0) return `${more.join(' ')}: one workload at a time`;
  const [namespace = '', name = '', ...rest] = argument.split('/');
  if (!NAMESPACE.test(namespace) || !WORKLOAD.test(name) || rest.length > 0)
    return `${argument}: name the workload as NAMESPACE/NAME, such as shop/web`;
  return { namespace, name };
}
