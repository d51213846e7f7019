// Evenkeel's custom resources in the demo's manifests, which the cluster serves once their CRDs are established, on day 15.

import { join } from 'node:path';
import type { ApiTransport } from '#kube/api-transport';
import { applyManifests } from './apply-manifests.ts';
import { type ManifestObject, readManifests } from '../cli/read-manifests.ts';

const GROUP = 'evenkeel.io';

/** Whether an object is of Evenkeel's API group. */
export function isOwnKind({ object }: ManifestObject): boolean {
  return object.apiVersion.startsWith(`${GROUP}/`);
}

/** Installs the CRDs for a cluster whose controller is started separately later. @throws Error with every refusal */
export async function installCrds(transport: ApiTransport, packageRoot: string, fieldManager: string): Promise<void> {
  const { refused } = await applyManifests(transport, await readManifests(join(packageRoot, 'crds')), fieldManager);
  if (refused.length > 0) throw new Error(`the cluster refused the CRDs: ${refused.join('; ')}`);
}

/** Applies custom resources; their CRDs must be installed. @throws Error with every refused object */
export async function applyOwnKinds(transport: ApiTransport, objects: readonly ManifestObject[], fieldManager: string): Promise<void> {
  const { refused, skipped } = await applyManifests(transport, objects, fieldManager);
  const unserved = [...skipped.keys()].map((kind) => `${kind}: unknown kind in this version of Evenkeel`);
  const problems = [...refused, ...unserved];
  if (problems.length > 0) throw new Error(`--manifests: the cluster refused some objects:\n  ${problems.join('\n  ')}`);
}
