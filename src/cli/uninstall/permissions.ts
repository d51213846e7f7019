import type { Permission } from '../../adapters/kubernetes/access/permissions.ts';
import { RESTORERS } from './restorers/index.ts';
import { STANDSTILL_PERMISSIONS } from './standstill.ts';

/** Permissions of the ServiceAccount of the chart's pre-delete hook, which runs `evenkeel uninstall --restore`. */
export const UNINSTALL_PERMISSIONS: readonly Permission[] = [
  ...RESTORERS.flatMap(({ permissions }) => permissions),
  ...STANDSTILL_PERMISSIONS,
];
