// Writes the extract of Kubernetes' OpenAPI v3 documents that the embedded API server reads: the schemas of its kinds, and all that they
// reference. The documents are files of the Go module k8s.io/kubernetes, at the version that hack/controlplane requires. `--check` exits
// with 1 when the extract is stale. Without the module in Go's cache, only the version, checksum, kinds and digest are checked, so that
// `make check` needs neither Go nor a download.

import { readFileSync, writeFileSync } from 'node:fs';
import { BUILT_IN_RESOURCES } from '#embedded-cluster/api/resources/descriptors';
import { extractFile, faultOf, textOf, type ExtractFile } from '../kubernetes-schemas/extract-file.ts';
import { extractSchemas } from '../kubernetes-schemas/extract.ts';
import { DOCUMENTS, download, findInCache, readSchemas, requiredVersion } from '../kubernetes-schemas/kubernetes-module.ts';

const OUTPUT = new URL('../../packages/embedded-cluster/src/schema/published/kubernetes-schemas.generated.json', import.meta.url);
/** Bodies of subresources. */
const SUBRESOURCE_BODIES = [
  'io.k8s.api.authentication.v1.TokenRequest',
  'io.k8s.api.autoscaling.v1.Scale',
  'io.k8s.api.core.v1.Binding',
  'io.k8s.api.policy.v1.Eviction',
];
/** Also used by custom resources. */
const METADATA = ['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta'];

const version = requiredVersion();
const cached = findInCache(version);

/** Schemas of the served kinds and their lists. The metrics API has a separate server, so k8s.io/kubernetes has no document of it. */
function servedSchemas(): string[] {
  const kinds = BUILT_IN_RESOURCES.filter(({ group }) => group !== 'metrics.k8s.io').flatMap(({ schemaName, verbs }) =>
    verbs.includes('list') ? [schemaName, `${schemaName}List`] : [schemaName],
  );
  return [...kinds, ...SUBRESOURCE_BODIES, ...METADATA];
}

function fresh(module: string): string {
  return textOf(extractFile(version, DOCUMENTS, extractSchemas(readSchemas(module), servedSchemas())));
}

/** Why the committed extract is stale; undefined when it is not. */
function staleness(): string | undefined {
  const text = readFileSync(OUTPUT, 'utf8');
  if (cached !== undefined) return text === fresh(cached) ? undefined : `it is not what ${version.module} ${version.version} publishes`;
  const file = JSON.parse(text) as ExtractFile;
  return faultOf(file, version, Object.keys(extractSchemas(file.schemas, servedSchemas())));
}

if (process.argv.includes('--check')) {
  const fault = staleness();
  if (fault !== undefined) {
    console.error(`kubernetes-schemas.generated.json is stale, ${fault}: run node hack/generate/generate-kubernetes-schemas.ts`);
    process.exitCode = 1;
  }
} else {
  const text = fresh(cached ?? download(version));
  writeFileSync(OUTPUT, text);
  console.log(`Kubernetes ${version.version}: ${text.split('\n').length - 3} schemas, ${Math.round(text.length / 1000)} kB`);
}
