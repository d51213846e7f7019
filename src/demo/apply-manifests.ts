import type { ApiTransport } from '#kube/api-transport';
import type { ManifestObject } from '../cli/read-manifests.ts';

/** Result of applying manifests. */
export interface AppliedManifests {
  readonly applied: number;
  /** Number of skipped objects by kind that the embedded cluster does not serve. */
  readonly skipped: ReadonlyMap<string, number>;
  /** Refusals with the server's message. */
  readonly refused: readonly string[];
}

interface ServedKind {
  readonly name: string;
  readonly namespaced: boolean;
}

/** Order of kinds that others depend on. */
const ORDER = [
  'CustomResourceDefinition',
  'Namespace',
  'PriorityClass',
  'StorageClass',
  'ServiceAccount',
  'LimitRange',
  'ResourceQuota',
  'ConfigMap',
  'Secret',
  'Service',
];

/**
 * Applies objects by server-side apply like kubectl, in dependency order, and creates their namespaces. A refused object does not stop the
 * others.
 */
export async function applyManifests(
  transport: ApiTransport,
  objects: readonly ManifestObject[],
  fieldManager: string,
): Promise<AppliedManifests> {
  const kinds = new KindFinder(transport);
  const skipped = new Map<string, number>();
  const refused: string[] = [];
  let applied = 0;
  const ranked = [...namespacesOf(objects), ...objects].map((each, index) => ({ each, index, rank: rankOf(each.object.kind) }));
  ranked.sort((a, b) => a.rank - b.rank || a.index - b.index);
  for (const { each } of ranked) {
    const { apiVersion, kind } = each.object;
    const served = await kinds.find(apiVersion, kind);
    if (served === undefined) {
      skipped.set(`${apiVersion} ${kind}`, (skipped.get(`${apiVersion} ${kind}`) ?? 0) + 1);
      continue;
    }
    const problem = await applyOne(transport, served, each, fieldManager);
    if (problem === undefined) applied += 1;
    else refused.push(`${each.source}: ${kind} ${each.object.metadata.name ?? ''}: ${problem}`);
  }
  return { applied, skipped, refused };
}

function rankOf(kind: string): number {
  const rank = ORDER.indexOf(kind);
  return rank < 0 ? ORDER.length : rank;
}

function namespacesOf(objects: readonly ManifestObject[]): ManifestObject[] {
  const named = new Set(objects.flatMap(({ object }) => object.metadata.namespace ?? []));
  for (const { object } of objects) if (object.kind === 'Namespace') named.delete(object.metadata.name ?? '');
  return [...named]
    .sort()
    .map((name) => ({ source: 'namespace of the manifests', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } }));
}

async function applyOne(
  transport: ApiTransport,
  served: ServedKind,
  manifest: ManifestObject,
  fieldManager: string,
): Promise<string | undefined> {
  const { apiVersion, metadata } = manifest.object;
  const namespace = served.namespaced ? (metadata.namespace ?? 'default') : undefined;
  const base = `${groupPath(apiVersion)}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${served.name}`;
  const body = namespace === undefined ? manifest.object : { ...manifest.object, metadata: { ...metadata, namespace } };
  const { status: _status, ...intent } = body as Record<string, unknown>;
  const answer =
    metadata.name === undefined
      ? await transport.request({ method: 'POST', path: base, query: { fieldManager }, body: intent })
      : await transport.request({
          method: 'PATCH',
          path: `${base}/${encodeURIComponent(metadata.name)}`,
          query: { fieldManager, force: true },
          headers: { 'content-type': 'application/apply-patch+yaml' },
          body: intent,
        });
  if (answer.status < 300) return undefined;
  return (answer.body as { message?: string } | null)?.message ?? `status ${answer.status}`;
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** Finds the resource of a kind by discovery. A miss is not cached, since a CRD of the same manifests may just have added it. */
class KindFinder {
  readonly #transport: ApiTransport;
  readonly #kinds = new Map<string, ServedKind>();

  constructor(transport: ApiTransport) {
    this.#transport = transport;
  }

  async find(apiVersion: string, kind: string): Promise<ServedKind | undefined> {
    const key = `${apiVersion} ${kind}`;
    if (!this.#kinds.has(key)) await this.#discover(apiVersion);
    return this.#kinds.get(key);
  }

  async #discover(apiVersion: string): Promise<void> {
    const answer = await this.#transport.request({ method: 'GET', path: groupPath(apiVersion) });
    if (answer.status !== 200) return;
    const { resources = [] } = answer.body as {
      resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
    };
    for (const { name, kind, namespaced } of resources) {
      if (!name.includes('/')) this.#kinds.set(`${apiVersion} ${kind}`, { name, namespaced });
    }
  }
}
