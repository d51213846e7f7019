// What an uninstall is made of: the command, its report and the permissions of the chart's hook derive from the registrations.

import type { Permission, Verb } from '../../adapters/kubernetes/permissions.ts';
import type { ApiResource } from '../../adapters/kubernetes/resources.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { ClusterAccess } from './cluster-access.ts';
import type { UninstallOptions } from './options.ts';
import type { Restorer } from './restorer.ts';

/** What restorers are built from. */
export interface RestorerContext {
  readonly cluster: ClusterAccess;
  /** Verifies records: any user who may patch an object can write one. */
  readonly signer: RecordSigner;
  /** Evenkeel's own. */
  readonly namespace: string;
  readonly options: UninstallOptions;
  /** Something is left that records tell how to put back: the next run needs them, so none is removed. */
  readonly recordsStay: boolean;
}

export interface RestorerRegistration {
  readonly name: string;
  /** What it lists and what it puts back, as the ServiceAccount of the hook is granted it. Empty only where the hook does not run it. */
  readonly permissions: readonly Permission[];
  readonly runsWith: (options: UninstallOptions) => boolean;
  /** What it puts back, records tell: notes, Recommendations, and the key that they are signed with. */
  readonly followsRecords?: true;
  /** All that it does is to remove records: it does nothing while they are to stay. */
  readonly removesRecords?: true;
  readonly create: (context: RestorerContext) => Restorer;
}

/** In the whole cluster. */
export function granted(verbs: readonly Verb[], resource: ApiResource, by: string, why: string, subresource?: string): Permission {
  return { resource, ...(subresource === undefined ? {} : { subresource }), verbs, scope: 'cluster', when: 'always', why, by };
}

/** A restorer that takes part in every uninstall. */
export const always = (): boolean => true;
