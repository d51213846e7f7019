// Evenkeel's own kinds in the demo's manifests: the cluster serves them once their CRDs are established, on its 15th day.

import { join } from 'node:path';
import type { ApiTransport } from '#kube/api-transport';
import { applyManifests } from './apply-manifests.ts';
import { type ManifestObject, readManifests } from './read-manifests.ts';

const GROUP = 'evenkeel.io';

export function isOwnKind({ object }: ManifestObject): boolean {
  return object.apiVersion.startsWith(`${GROUP}/`);
}

/** For a cluster whose controller is started apart, later: without the CRDs the manifests' own kinds could not be kept until then. */
export async function installCrds(transport: ApiTransport, packageRoot: string, fieldManager: string): Promise<void> {
  const { refused } = await applyManifests(transport, await readManifests(join(packageRoot, 'crds')), fieldManager);
  if (refused.length > 0) throw new Error(`the CRDs were refused: ${refused.join('; ')}`);
}

/** Needs the CRDs. Throws with every object that the cluster refuses, in its words. */
export async function applyOwnKinds(transport: ApiTransport, objects: readonly ManifestObject[], fieldManager: string): Promise<void> {
  const { refused, leftOut } = await applyManifests(transport, objects, fieldManager);
  const unserved = [...leftOut.keys()].map((kind) => `${kind}: there is no such kind in this version of Evenkeel`);
  const problems = [...refused, ...unserved];
  if (problems.length > 0) throw new Error(`--manifests: the cluster refused some objects:\n  ${problems.join('\n  ')}`);
}
