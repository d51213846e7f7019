// The project's own text: what a reader of the repository sees.

import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['src', 'packages', 'hack', 'test', 'crds', 'config', 'charts', 'docs', '.ci'];
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'coverage']);
const ROOT_FILE = /^(Makefile|Dockerfile|knip\.jsonc|package\.json|.*\.(md|js|cjs))$/;
const BINARY_FILE = /\.(png|jpe?g|gif|woff2?|gz|sqlite\w*)$/;

export interface ProjectPath {
  /** From the root of the checkout, with `/`. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Folders and text files, each folder before what is in it. */
export function listTextFiles(root: string): readonly ProjectPath[] {
  const isOfRoot = (entry: Dirent): boolean => (entry.isDirectory() ? FOLDERS.includes(entry.name) : ROOT_FILE.test(entry.name));
  return entriesOf(root)
    .filter(isOfRoot)
    .flatMap((entry) => pathsUnder(root, entry.name, entry));
}

function pathsUnder(root: string, path: string, entry: Dirent): readonly ProjectPath[] {
  if (entry.isFile()) return BINARY_FILE.test(path) ? [] : [{ path, isFolder: false }];
  if (!entry.isDirectory() || SKIPPED_FOLDERS.has(entry.name)) return [];
  return [{ path, isFolder: true }, ...entriesOf(join(root, path)).flatMap((each) => pathsUnder(root, `${path}/${each.name}`, each))];
}

function entriesOf(folder: string): readonly Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
