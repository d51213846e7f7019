import { createHash } from 'node:crypto';
import type { PublishedSchemas } from './extract.ts';
import type { ModuleVersion } from './kubernetes-module.ts';

/** The committed extract and where it comes from. */
export interface ExtractFile {
  readonly source: ModuleVersion & {
    readonly documents: string;
    /** SHA-256 of the schemas as JSON, so that a change by hand is found without the documents. */
    readonly sha256: string;
  };
  readonly schemas: PublishedSchemas;
}

export function extractFile(version: ModuleVersion, documents: string, schemas: PublishedSchemas): ExtractFile {
  return { source: { ...version, documents, sha256: digestOf(schemas) }, schemas };
}

/** One line per schema, so that a new version of Kubernetes is a readable diff. */
export function textOf({ source, schemas }: ExtractFile): string {
  const lines = Object.entries(schemas).map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`);
  return `{"source":${JSON.stringify(source)},"schemas":{\n${lines.join(',\n')}\n}}\n`;
}

/** Why the file cannot be what the generator writes for this version and these kinds; undefined where nothing is found. */
export function faultOf(file: ExtractFile, version: ModuleVersion, expected: readonly string[]): string | undefined {
  const { source, schemas } = file;
  if (source.version !== version.version || source.sum !== version.sum)
    return `it is of ${source.module} ${source.version}, and hack/controlplane requires ${version.version}`;
  if (source.sha256 !== digestOf(schemas)) return 'its schemas are not those that it was written with';
  const names = Object.keys(schemas);
  if (names.join() !== expected.join()) return 'its schemas are not those of the kinds that the embedded API server serves';
  return undefined;
}

function digestOf(schemas: PublishedSchemas): string {
  return createHash('sha256').update(JSON.stringify(schemas)).digest('hex');
}
