import { describeOptions, parseArguments, text, type OptionReader, type OptionTable } from '../arguments.ts';
import type { Command } from '../command.ts';
import { connectToCluster } from '../connect.ts';
import { FORMATS, formatRecommendations, type Format } from './formats.ts';
import { CLUSTER_OPTIONS } from './options.ts';
import { RecommendationApi } from './recommendation-api.ts';
import { EXIT, NAMESPACE, readTarget, withConnection, type Connect } from './request-command.ts';

const format: OptionReader<Format> = (given) => {
  const value = FORMATS.find((candidate) => candidate === given);
  return value === undefined ? { ok: false, message: `must be one of ${FORMATS.join(', ')}` } : { ok: true, value };
};

const OPTIONS = {
  namespace: { value: 'NAME', short: 'n', help: 'only this namespace (default: all)', read: text(), default: null },
  output: { value: 'FORMAT', short: 'o', help: `${FORMATS.join(', ')} (default table)`, read: format, default: 'table' },
  ...CLUSTER_OPTIONS,
} as const satisfies OptionTable;

/** `evenkeel recommend`. @param connect an argument in tests */
export function createRecommendCommand(connect: Connect = connectToCluster): Command {
  return {
    name: 'recommend',
    summary: 'print the recommended requests and limits of each container',
    help: [
      'evenkeel recommend [NAMESPACE/WORKLOAD] [-n NAMESPACE] [-o table|yaml|csv|patch]',
      '',
      'Prints what the Recommendations of the cluster show. `-o patch` prints a `resources:` block for each container, to be',
      'copied into a manifest or applied by `kubectl patch --patch-file`.',
      '',
      ...describeOptions(OPTIONS),
    ].join('\n'),
    async run(args, terminal) {
      const parsed = parseArguments(OPTIONS, args, { withPositionals: true });
      const target = parsed.ok && parsed.positionals.length > 0 ? readTarget(parsed.positionals) : null;
      const problems = parsed.ok
        ? [...(typeof target === 'string' ? [target] : []), ...findNamespaceProblem(parsed.values.namespace, target !== null)]
        : parsed.problems;
      if (!parsed.ok || typeof target === 'string' || problems.length > 0) {
        for (const problem of problems) terminal.err(`evenkeel recommend: ${problem}`);
        return EXIT.usageError;
      }
      const { namespace, output } = parsed.values;
      return withConnection(connect, parsed.values, 'recommend', terminal, async ({ transport }) => {
        const api = new RecommendationApi(transport, { signal: terminal.interrupted, dryRun: false });
        const recommendations = target === null ? await api.list(namespace) : await api.findNamed({ ...target, kind: null });
        if (recommendations.length === 0) {
          terminal.err(`evenkeel recommend: no Recommendations${namespace === null ? '' : ` in namespace ${namespace}`}`);
          return EXIT.done;
        }
        terminal.out(formatRecommendations(recommendations, output));
        return EXIT.done;
      });
    },
  };
}

function findNamespaceProblem(namespace: string | null, isNamed: boolean): readonly string[] {
  if (namespace === null) return [];
  if (isNamed) return ['--namespace: leave it out where a workload is named as NAMESPACE/NAME'];
  return NAMESPACE.test(namespace) ? [] : [`--namespace: ${namespace} is not the name of a namespace`];
}

export const recommendCommand = createRecommendCommand();
