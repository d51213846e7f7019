import process from 'node:process';
import { describeOptions } from '../arguments.ts';
import type { Command, Terminal } from '../command.ts';
import { connectToCluster } from '../connect.ts';
import { parseUninstallOptions, UNINSTALL_OPTIONS, type UninstallOptions } from './options.ts';
import { runUninstall, type UninstallReport } from './run-uninstall.ts';

const DEFAULT_NAMESPACE = 'evenkeel-system';

const EXIT = { done: 0, failed: 1, usageError: 2, incomplete: 3, interrupted: 130 } as const;

/** `evenkeel uninstall`: reverts Evenkeel's changes before its pods are deleted. */
export const uninstallCommand: Command = {
  name: 'uninstall',
  summary: 'revert what Evenkeel changed in a cluster and remove its objects, before it is deleted',
  help: [
    'evenkeel uninstall [--restore] [OPTIONS]',
    '',
    'Stops the controllers, then reverts the changes of Evenkeel: with --restore pods get the sizes of their',
    'templates again, in place and without a restart; annotations that Evenkeel wrote, its taints and cordons, its',
    'finalizers and its Recommendations are removed, and the status of policies is cleared. Changes by other users',
    'since then, user annotations (by kubectl or in the dashboard) and policies stay; they are listed.',
    'Safe to repeat, also after an interruption. The chart runs it before `helm uninstall`.',
    '',
    ...describeOptions(UNINSTALL_OPTIONS),
    '',
    'Exit code: 0 all done, 1 failed before any change, 2 usage error, 3 incomplete (the rest is listed), 130 interrupted.',
  ].join('\n'),
  async run(args, terminal) {
    const parsed = parseUninstallOptions(args);
    if (!parsed.ok) {
      for (const problem of parsed.problems) terminal.err(`evenkeel uninstall: ${problem}`);
      return EXIT.usageError;
    }
    try {
      return await uninstall(parsed.options, terminal);
    } catch (err) {
      terminal.err(`evenkeel uninstall: ${err instanceof Error ? err.message : String(err)}`);
      if (terminal.interrupted.aborted) return EXIT.interrupted;
      return parsed.options['best-effort'] ? EXIT.done : EXIT.failed;
    }
  },
};

async function uninstall(options: UninstallOptions, terminal: Terminal): Promise<number> {
  const { transport, timer, config: connection, close } = await connectToCluster(options, 'evenkeel-uninstall');
  try {
    const namespace = options.namespace ?? namespaceOf(connection.namespace, terminal);
    terminal.out(`evenkeel uninstall: cluster ${connection.server}, Evenkeel's namespace ${namespace}`);
    if (process.stdin.isTTY && !options.yes && !options['dry-run']) {
      terminal.err('evenkeel uninstall: this changes the cluster; check with --dry-run, then add --yes');
      return EXIT.usageError;
    }
    const print = (line: string): void => terminal.out(`  ${line}`);
    const report = await runUninstall({ transport, namespace, options, timer, interrupted: terminal.interrupted, print });
    summarize(report, options['dry-run'], terminal);
    if (terminal.interrupted.aborted) return EXIT.interrupted;
    return report.left.length === 0 || options['best-effort'] ? EXIT.done : EXIT.incomplete;
  } finally {
    close();
  }
}

/** Like the controller: in a pod the pod's namespace, since a kubeconfig has the user's working namespace. */
function namespaceOf(podNamespace: string | null, { environment }: Terminal): string {
  const inPod = environment['KUBERNETES_SERVICE_HOST'] !== undefined;
  return (inPod ? podNamespace : null) ?? environment['EVENKEEL_POD_NAMESPACE'] ?? DEFAULT_NAMESPACE;
}

function summarize({ results, left, notes }: UninstallReport, dryRun: boolean, terminal: Terminal): void {
  terminal.out(dryRun ? 'would be:' : 'done:');
  for (const { name, changed, kept } of results) {
    terminal.out(`  ${name}: ${changed}${kept.length === 0 ? '' : `, ${kept.length} unchanged`}`);
  }
  for (const note of notes) terminal.out(`note: ${note}`);
  for (const { object, why } of left) terminal.err(`left: ${object}: ${why}`);
  terminal.out(left.length === 0 ? 'evenkeel uninstall: complete' : `evenkeel uninstall: ${left.length} not reverted`);
}
