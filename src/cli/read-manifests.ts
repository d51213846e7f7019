import { isObject } from '#kube/json';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { isMap, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import { itemLines } from './json-lines.ts';

/** An object of a manifest, with its position in the file. */
export interface ManifestObject {
  readonly source: string;
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name?: string; readonly generateName?: string; readonly namespace?: string };
  } & Record<string, unknown>;
}

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);

/**
 * All objects of a file or folder (files sorted by name, including subfolders). Lists are expanded. @throws Error with every problem, with
 * file and line
 */
export async function readManifests(path: string): Promise<readonly ManifestObject[]> {
  const files = await filesUnder(path);
  if (files.length === 0) throw new Error(`${path}: it has no .yaml, .yml or .json file`);
  const problems: string[] = [];
  const objects: ManifestObject[] = [];
  for (const file of files) objects.push(...objectsIn(file, await readFile(file, 'utf8'), problems));
  if (problems.length > 0) throw new Error(`the manifests are invalid:\n  ${problems.join('\n  ')}`);
  if (objects.length === 0) throw new Error(`${path}: it has no objects`);
  return objects;
}

async function filesUnder(path: string): Promise<readonly string[]> {
  let found;
  try {
    found = await stat(path);
  } catch (cause) {
    throw new Error(`${path}: no such file or folder`, { cause });
  }
  if (found.isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && EXTENSIONS.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name));
  return files.sort();
}

/** Heap that the YAML parser takes for a byte of text, measured with pods of 12 kB. JSON.parse takes less than the text. */
const HEAP_BYTES_PER_YAML_BYTE = 45;
const MB = 1e6;

/** Parses the objects of a text; adds problems with line numbers to `problems`. */
export function objectsIn(
  file: string,
  text: string,
  problems: string[],
  heapLimitBytes: number = getHeapStatistics().heap_size_limit,
): readonly ManifestObject[] {
  const ofJson = jsonObjects(file, text);
  if (ofJson !== null) return ofJson;
  const needed = text.length * HEAP_BYTES_PER_YAML_BYTE;
  if (needed > heapLimitBytes) {
    const [need, limit] = [needed, heapLimitBytes].map((bytes) => Math.round(bytes / MB));
    const megabytes = Math.ceil((needed * 1.1) / 2 ** 20 / 100) * 100;
    problems.push(
      `${file}: ${(text.length / MB).toFixed(1)} MB of YAML need about ${need} MB of heap, of which Node.js may use ${limit} MB; set NODE_OPTIONS=--max-old-space-size=${megabytes}, or give JSON`,
    );
    return [];
  }
  return yamlObjects(file, text, problems);
}

/** The objects of JSON; null: it is none, or has a problem, whose line the YAML parser reports. */
function jsonObjects(file: string, text: string): readonly ManifestObject[] | null {
  if (!/^\s*\{/.test(text)) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const first = `${file}:${text.slice(0, text.indexOf('{')).split('\n').length}`;
  if (!isList(value)) return isManifest(value) ? [{ source: first, object: value }] : null;
  const lines = itemLines(text);
  const objects = value.items.filter(isManifest);
  if (objects.length < value.items.length || lines.length < objects.length || objects.some(isList)) return null;
  return objects.map((object, at) => ({ source: `${file}:${lines[at] ?? 1}`, object }));
}

function yamlObjects(file: string, text: string, problems: string[]): readonly ManifestObject[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const placeOf: PlaceOf = (node) =>
      `${file}:${lines.linePos(node?.range?.[0] ?? document.contents?.range[0] ?? document.range[0]).line}`;
    const source = placeOf(document.contents);
    const error = document.errors[0];
    if (error !== undefined) {
      problems.push(`${file}:${lines.linePos(error.pos[0]).line}: ${error.message.split('\n')[0] ?? ''}`);
      return [];
    }
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: 100 });
    } catch (cause) {
      problems.push(`${source}: ${cause instanceof Error ? cause.message : String(cause)}; write its aliases out`);
      return [];
    }
    return value === null || value === undefined ? [] : expandLists(value, document.contents, placeOf, problems);
  });
}

/** File and line of a node of a document; undefined: of the document. */
type PlaceOf = (node: Node | null | undefined) => string;

/** The objects of a value, each with its own line. @param node of the value; of an alias or unknown, the line of the document is taken */
function expandLists(value: unknown, node: Node | null | undefined, placeOf: PlaceOf, problems: string[]): readonly ManifestObject[] {
  if (isList(value)) {
    const list = isMap(node) ? node.get('items', true) : undefined;
    const nodes: readonly unknown[] = isSeq(list) ? list.items : [];
    return value.items.flatMap((item, at) => expandLists(item, nodes[at] as Node | undefined, placeOf, problems));
  }
  if (isManifest(value)) return [{ source: placeOf(node), object: value }];
  problems.push(`${placeOf(node)}: an object needs apiVersion, kind and metadata.name`);
  return [];
}

function isList(value: unknown): value is { readonly items: readonly unknown[] } {
  return isObject(value) && typeof value['kind'] === 'string' && value['kind'].endsWith('List') && Array.isArray(value['items']);
}

function isManifest(value: unknown): value is ManifestObject['object'] {
  if (!isObject(value) || typeof value['apiVersion'] !== 'string' || typeof value['kind'] !== 'string') return false;
  const metadata = value['metadata'];
  return isObject(metadata) && (typeof metadata['name'] === 'string' || typeof metadata['generateName'] === 'string');
}
