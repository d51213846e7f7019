// Registrations of restorers, from which the command, its report and the permissions of the chart's hook derive.

import type { Permission, Verb } from '../../adapters/kubernetes/access/permissions.ts';
import type { ApiResource } from '../../adapters/kubernetes/resources.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { ClusterAccess } from './cluster-access.ts';
import type { UninstallOptions } from './options.ts';
import type { Restorer } from './restorer.ts';

/** Dependencies of restorers. */
export interface RestorerContext {
  readonly cluster: ClusterAccess;
  /** Verifies records, since any user who may patch an object can write one. */
  readonly signer: RecordSigner;
  /** Namespace of Evenkeel. */
  readonly namespace: string;
  readonly options: UninstallOptions;
  /** True where a restorer that needs records is incomplete: the next run needs the records, so none is removed. */
  readonly recordsStay: boolean;
}

export interface RestorerRegistration {
  readonly name: string;
  /** Permissions to list and restore, granted to the hook's ServiceAccount. Empty only where the hook does not run it. */
  readonly permissions: readonly Permission[];
  readonly isEnabled: (options: UninstallOptions) => boolean;
  /** It restores from records: annotations, Recommendations, and the key that signs them. */
  readonly followsRecords?: true;
  /** It only removes records, and is skipped while records must stay. */
  readonly removesRecords?: true;
  readonly create: (context: RestorerContext) => Restorer;
}

/** A cluster-scoped permission. */
export function granted(verbs: readonly Verb[], resource: ApiResource, by: string, why: string, subresource?: string): Permission {
  return { resource, ...(subresource === undefined ? {} : { subresource }), verbs, scope: 'cluster', when: 'always', why, by };
}

/** For restorers that run in every uninstall. */
export const isAlwaysEnabled = (): boolean => true;
