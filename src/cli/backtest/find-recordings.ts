// Finds recordings: given files, and CSV files in given folders.

import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** A recording file. Names may clash: see `nameClashes`. */
export interface RecordingFile {
  readonly path: string;
  /** Path relative to the given folder (or the file's name), without `.csv` and `.gz`. */
  readonly name: string;
}

/** An input that cannot be read, with line (null: the absolute input), reason and remedy. */
export interface InputProblem {
  readonly source: string;
  readonly line: number | null;
  readonly problem: string;
}

const RECORDING = /\.csv(\.gz)?$/i;

export interface FoundRecordings {
  readonly files: RecordingFile[];
  readonly problems: InputProblem[];
  /** Whether the excluded folder was found. */
  readonly hasExcluded: boolean;
}

/**
 * Every recording under the paths, sorted by name, each once. A path that cannot be read is a problem and does not stop the others.
 * @param excluded a folder that is skipped inside another one, since it has output, not recordings
 */
export function findRecordings(paths: readonly string[], excluded: string | null = null): FoundRecordings {
  const files = new Map<string, RecordingFile>();
  const problems: InputProblem[] = [];
  const walk: Walk = { problems, visited: new Set(), excluded: excluded === null ? null : realOf(excluded), hasExcluded: false };
  for (const path of paths) {
    try {
      if (!statSync(path).isDirectory()) {
        files.set(resolve(path), { path, name: nameOf(basename(path)) });
        continue;
      }
      walk.visited.clear();
      const found = recordingsUnder(path, walk);
      if (found.length === 0) problems.push({ source: path, line: null, problem: 'the folder has no .csv or .csv.gz file' });
      for (const file of found) files.set(resolve(file), { path: file, name: nameOf(relative(path, file)) });
    } catch (error) {
      problems.push(unreadable(path, error));
    }
  }
  return { files: [...files.values()], problems, hasExcluded: walk.hasExcluded };
}

/** Files with equal names, whose outputs would overwrite each other. */
export function nameClashes(files: readonly { readonly name: string; readonly path: string | null }[]): string[] {
  return [...Map.groupBy(files, (file) => file.name)]
    .filter(([, same]) => same.length > 1)
    .map(([name, same]) => `${same.map((file) => file.path ?? 'one from Prometheus').join(' and ')} would both be written as ${name}.csv`);
}

interface Walk {
  readonly problems: InputProblem[];
  readonly visited: Set<string>;
  readonly excluded: string | null;
  hasExcluded: boolean;
}

function recordingsUnder(folder: string, walk: Walk): string[] {
  const real = realpathSync(folder);
  // A folder that is given itself is always read.
  if (real === walk.excluded && walk.visited.size > 0) {
    walk.hasExcluded = true;
    return [];
  }
  // A symbolic link to a parent folder.
  if (walk.visited.has(real)) return [];
  walk.visited.add(real);
  const found: string[] = [];
  for (const name of readdirSync(folder).sort()) {
    if (name.startsWith('.')) continue;
    const path = join(folder, name);
    try {
      if (statSync(path).isDirectory()) found.push(...recordingsUnder(path, walk));
      else if (RECORDING.test(name)) found.push(path);
    } catch (error) {
      walk.problems.push(unreadable(path, error));
    }
  }
  return found;
}

/** Describes a file or folder that cannot be read. */
export function unreadable(source: string, error: unknown): InputProblem {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or folder; check the path',
    EACCES: 'permission denied; grant read permission, or omit it',
    EISDIR: 'it is a folder',
  };
  return { source, line: null, problem: known[code] ?? `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
}

/** Describes a file that cannot be written. */
export function unwritable(source: string, error: unknown): InputProblem {
  return { source, line: null, problem: `cannot be written: ${error instanceof Error ? error.message : String(error)}` };
}

/** Resolves symbolic links; for a path that does not exist, those of its existing parents. */
export function realOf(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    return dirname(absolute) === absolute ? absolute : join(realOf(dirname(absolute)), basename(absolute));
  }
}

function nameOf(path: string): string {
  return path.replace(RECORDING, '');
}
