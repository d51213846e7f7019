import { parseDuration } from '../../core/model/duration.ts';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import { flag, type OptionReader, type OptionTable, type OptionValues, parseArguments, text } from '../arguments.ts';

const duration: OptionReader<DurationMs> = (given) => {
  const parsed = parseDuration(given);
  return parsed.ok ? parsed : { ok: false, message: 'must be a duration such as 90s or 10m' };
};

export const UNINSTALL_OPTIONS = {
  restore: {
    help: 'restore pods to the sizes of their templates, in place; without it they keep their sizes',
    read: flag(),
    default: false,
  },
  'dry-run': { help: 'print the changes; the server validates every write and stores none', read: flag(), default: false },
  yes: { help: 'confirm the changes, required at a terminal', read: flag(), default: false },
  'delete-policies': { help: 'also delete the custom resources that users created', read: flag(), default: false },
  'delete-crds': { help: 'delete the custom resource definitions with all their objects', read: flag(), default: false },
  'best-effort': { help: 'exit with 0 even if incomplete, so that a hook never blocks', read: flag(), default: false },
  timeout: {
    value: 'DURATION',
    help: 'stop after this time and print what is not reverted (default 3m)',
    read: duration,
    default: 3 * MINUTE_MS,
  },
  hold: {
    value: 'DURATION',
    help: 'keep controllers paused for this time afterwards, to delete them (default 10m)',
    read: duration,
    default: 10 * MINUTE_MS,
  },
  namespace: { value: 'NAME', help: "namespace of Evenkeel (default: the pod's, else evenkeel-system)", read: text(), default: null },
  kubeconfig: { value: 'FILE', help: "default: KUBECONFIG, ~/.kube/config, or the pod's ServiceAccount", read: text(), default: null },
  context: { value: 'NAME', help: 'context of the kubeconfig (default: its current one)', read: text(), default: null },
} as const satisfies OptionTable;

export type UninstallOptions = OptionValues<typeof UNINSTALL_OPTIONS>;

export type ParsedUninstallOptions =
  { readonly ok: true; readonly options: UninstallOptions } | { readonly ok: false; readonly problems: readonly string[] };

export function parseUninstallOptions(args: readonly string[]): ParsedUninstallOptions {
  const parsed = parseArguments(UNINSTALL_OPTIONS, args);
  return parsed.ok ? { ok: true, options: parsed.values } : parsed;
}
