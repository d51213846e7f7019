// Reads a settings file as paths and values with their lines.

import { isCollection, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';
import type { Problem } from './problem.ts';
import type { ValuePath } from './read-value.ts';

export interface SettingsFile {
  readonly name: string;
  readonly text: string;
}

/** A value of the file; `source` is the file and line of the value, or of a value inside it. */
export interface FileEntry {
  readonly path: string;
  readonly raw: unknown;
  readonly source: (at: ValuePath) => string;
}

/** @param paths paths of all settings; a proper prefix of one of them is a group */
export function readSettingsFile(
  file: SettingsFile,
  paths: readonly string[],
): { readonly entries: readonly FileEntry[]; readonly problems: readonly Problem[] } {
  const lines = new LineCounter();
  const document = parseDocument(file.text, { lineCounter: lines });
  const source = (offset: number | undefined): string => `file ${file.name}${offset === undefined ? '' : `:${lines.linePos(offset).line}`}`;
  const refuse = (offset: number, message: string): Problem => ({ path: '(file)', source: source(offset), given: undefined, message });
  if (document.errors.length > 0) {
    return { entries: [], problems: document.errors.map(({ pos, message }) => refuse(pos[0], `is not YAML: ${withoutExcerpt(message)}`)) };
  }
  if (document.contents === null) return { entries: [], problems: [] };
  if (!isMap(document.contents)) {
    return { entries: [], problems: [refuse(0, 'must hold settings by name, such as controller: { dryRun: true }')] };
  }
  const entries: FileEntry[] = [];
  const problems: Problem[] = [];
  walk(document.contents, '', paths, (path, value, offset) => {
    const earlier = entries.find((entry) => entry.path === path);
    if (earlier !== undefined) {
      problems.push({ path, source: source(offset), given: undefined, message: `is given twice: first in ${earlier.source([])}` });
      return;
    }
    if (isGroup(path, paths)) {
      // An empty group, for example with all of its settings commented out.
      if (isEmpty(value)) return;
      problems.push({ path, source: source(offset), given: undefined, message: 'is a group of settings: write them by name below it' });
      return;
    }
    try {
      const raw: unknown = isNode(value) ? value.toJS(document) : value;
      entries.push({ path, raw, source: (at) => source(offsetOf(value, at) ?? offset) });
    } catch {
      problems.push({
        path,
        source: source(offset),
        given: undefined,
        message: 'has a YAML alias without an anchor, or too many aliases',
      });
    }
  });
  return { entries, problems };
}

/** Accepts both `controller: { dryRun: true }` and `controller.dryRun: true`. */
function walk(
  map: YAMLMap,
  prefix: string,
  paths: readonly string[],
  leaf: (path: string, value: unknown, offset: number | undefined) => void,
): void {
  for (const { key, value } of map.items) {
    const name = isScalar(key) ? String(key.value) : String(key);
    const path = prefix === '' ? name : `${prefix}.${name}`;
    if (isMap(value) && isGroup(path, paths)) walk(value, path, paths, leaf);
    else leaf(path, value, isScalar(key) ? key.range?.[0] : undefined);
  }
}

function isGroup(path: string, paths: readonly string[]): boolean {
  return !paths.includes(path) && paths.some((known) => known.startsWith(`${path}.`));
}

function isEmpty(value: unknown): boolean {
  return value === null || (isScalar(value) && value.value === null);
}

/** The offset of the innermost existing node on a path. */
function offsetOf(value: unknown, at: ValuePath): number | undefined {
  for (let length = at.length; length > 0 && isCollection(value); length -= 1) {
    const node = value.getIn(at.slice(0, length), true) as Node | undefined;
    if (isNode(node)) return node.range?.[0];
  }
  return undefined;
}

/** The parser's message without its excerpt of the file, which may contain a secret. */
function withoutExcerpt(message: string): string {
  const [first = ''] = message.split('\n');
  return first.replace(/(: ["']| escape sequence ).*$/, '').replace(/:$/, '');
}
