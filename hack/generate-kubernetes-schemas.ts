// Writes the extract of Kubernetes' OpenAPI v3 documents that the embedded API server reads: the schemas of the kinds that it serves,
// and what they refer to. The documents are files of the Go module k8s.io/kubernetes, at the version that hack/controlplane requires.
// `--check` exits 1 when the extract is not what would be written. Where the module is not in Go's cache, the version, checksum, kinds
// and digest are checked alone, so that `make check` needs neither Go nor a download.

import { readFileSync, writeFileSync } from 'node:fs';
import { extractFile, faultOf, textOf, type ExtractFile } from './kubernetes-schemas/extract-file.ts';
import { extractSchemas } from './kubernetes-schemas/extract.ts';
import { DOCUMENTS, download, findInCache, readSchemas, requiredVersion } from './kubernetes-schemas/kubernetes-module.ts';
import { servedSchemas } from './kubernetes-schemas/served-schemas.ts';

const OUTPUT = new URL('../packages/embedded-cluster/src/schema/published/kubernetes-schemas.generated.json', import.meta.url);

const version = requiredVersion();
const cached = findInCache(version);

function fresh(module: string): string {
  return textOf(extractFile(version, DOCUMENTS, extractSchemas(readSchemas(module), servedSchemas())));
}

/** Why the committed extract is stale; undefined where it is not. */
function staleness(): string | undefined {
  const text = readFileSync(OUTPUT, 'utf8');
  if (cached !== undefined) return text === fresh(cached) ? undefined : `it is not what ${version.module} ${version.version} publishes`;
  const file = JSON.parse(text) as ExtractFile;
  return faultOf(file, version, Object.keys(extractSchemas(file.schemas, servedSchemas())));
}

if (process.argv.includes('--check')) {
  const fault = staleness();
  if (fault !== undefined) {
    console.error(`kubernetes-schemas.generated.json is stale, ${fault}: run node hack/generate-kubernetes-schemas.ts`);
    process.exitCode = 1;
  }
} else {
  const text = fresh(cached ?? download(version));
  writeFileSync(OUTPUT, text);
  console.log(`Kubernetes ${version.version}: ${text.split('\n').length - 3} schemas, ${Math.round(text.length / 1000)} kB`);
}
