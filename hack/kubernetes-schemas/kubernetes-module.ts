// The Go module that holds Kubernetes' sources, as hack/controlplane requires it.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubernetesVersion } from '../real-cluster/binaries.ts';
import { ROOT } from '../real-cluster/folders.ts';
import type { PublishedSchemas } from './extract.ts';

const MODULE = 'k8s.io/kubernetes';
const CONTROL_PLANE = join(ROOT, 'hack', 'controlplane');
/** Folder of the OpenAPI v3 documents, in the module. */
export const DOCUMENTS = 'api/openapi-spec/v3';

export interface ModuleVersion {
  readonly module: string;
  readonly version: string;
  /** As go.sum has it. */
  readonly sum: string;
}

/** The version that hack/controlplane requires, and its checksum. */
export function requiredVersion(): ModuleVersion {
  const version = kubernetesVersion();
  const line = new RegExp(`^${MODULE} ${version.replaceAll('.', '\\.')} (h1:\\S+)`, 'm');
  const sum = line.exec(readFileSync(join(CONTROL_PLANE, 'go.sum'), 'utf8'))?.[1];
  if (sum === undefined) throw new Error(`hack/controlplane/go.sum has no checksum of ${MODULE} ${version}`);
  return { module: MODULE, version, sum };
}

/** Folder of the module in Go's cache; undefined where it has not been downloaded, or Go is missing. */
export function findInCache({ version }: ModuleVersion): string | undefined {
  const { status, stdout } = spawnSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const folder = join(stdout.trim(), `${MODULE}@${version}`);
  return existsSync(folder) ? folder : undefined;
}

/** Downloads the module. Go checks it against go.sum. */
export function download({ version }: ModuleVersion): string {
  const { status, stdout, stderr, error } = spawnSync('go', ['mod', 'download', '-json', `${MODULE}@${version}`], {
    cwd: CONTROL_PLANE,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`go mod download ${MODULE}@${version}: ${error?.message ?? (stderr || stdout)}`);
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

/**
 * The schemas of all stable API versions. Several documents have the machinery's types, of which `DeleteOptions` names the kinds
 * of its document: the core group's comes first and counts.
 */
export function readSchemas(module: string): PublishedSchemas {
  const folder = join(module, DOCUMENTS);
  const schemas: Record<string, object> = {};
  for (const name of readdirSync(folder).sort()) {
    if (!/__v\d+_openapi\.json$/.test(name)) continue;
    const document = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { components?: { schemas?: PublishedSchemas } };
    for (const [schema, published] of Object.entries(document.components?.schemas ?? {})) schemas[schema] ??= published;
  }
  return schemas;
}
