import { flag, text, type OptionTable } from '../arguments.ts';

/** Options of every subcommand about Recommendations. */
export const CLUSTER_OPTIONS = {
  kubeconfig: { value: 'FILE', help: "default: KUBECONFIG, ~/.kube/config, or the pod's ServiceAccount", read: text(), default: null },
  context: { value: 'NAME', help: 'context of the kubeconfig (default: its current one)', read: text(), default: null },
} as const satisfies OptionTable;

/** Options of subcommands that change one workload. */
export const REQUEST_OPTIONS = {
  kind: { value: 'KIND', help: 'kind of the workload, where several share the name', read: text(), default: null },
  'dry-run': { help: 'the server validates the change and stores nothing', read: flag(), default: false },
  ...CLUSTER_OPTIONS,
} as const satisfies OptionTable;
