// Which files a person meant: files as they are named, folders walked for CSV files.

import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** One recording to read. Names may clash: see `nameClashes`. */
export interface RecordingFile {
  readonly path: string;
  /** Path inside the folder that was given (or the file's own name), without `.csv` and `.gz`. */
  readonly name: string;
}

/** What cannot be read: which file or folder, on which line where that counts, why, and what would help. */
export interface InputProblem {
  readonly source: string;
  readonly line: number | null;
  readonly problem: string;
}

const RECORDING = /\.csv(\.gz)?$/i;

export interface FoundRecordings {
  readonly files: RecordingFile[];
  readonly problems: InputProblem[];
  /** Whether the folder that was to be left out was met. */
  readonly leftOut: boolean;
}

/**
 * Every recording under the paths, in order of name, each once; a path that cannot be read is a problem and stops no other.
 * @param leaveOut a folder that is not read where it lies in one that is: it holds what was written, not what was recorded
 */
export function findRecordings(paths: readonly string[], leaveOut: string | null = null): FoundRecordings {
  const files = new Map<string, RecordingFile>();
  const problems: InputProblem[] = [];
  const walk: Walk = { problems, visited: new Set(), leaveOut: leaveOut === null ? null : realOf(leaveOut), leftOut: false };
  for (const path of paths) {
    try {
      if (!statSync(path).isDirectory()) {
        files.set(resolve(path), { path, name: nameOf(basename(path)) });
        continue;
      }
      walk.visited.clear();
      const found = recordingsUnder(path, walk);
      if (found.length === 0) problems.push({ source: path, line: null, problem: 'the folder holds no .csv or .csv.gz file' });
      for (const file of found) files.set(resolve(file), { path: file, name: nameOf(relative(path, file)) });
    } catch (error) {
      problems.push(unreadable(path, error));
    }
  }
  return { files: [...files.values()], problems, leftOut: walk.leftOut };
}

/** Files whose names are the same: what is written for one would overwrite the other's. */
export function nameClashes(files: readonly { readonly name: string; readonly path: string | null }[]): string[] {
  return [...Map.groupBy(files, (file) => file.name)]
    .filter(([, same]) => same.length > 1)
    .map(([name, same]) => `${same.map((file) => file.path ?? 'one from Prometheus').join(' and ')} would both be written as ${name}.csv`);
}

interface Walk {
  readonly problems: InputProblem[];
  readonly visited: Set<string>;
  readonly leaveOut: string | null;
  leftOut: boolean;
}

function recordingsUnder(folder: string, walk: Walk): string[] {
  const real = realpathSync(folder);
  // A folder that is named itself is read, whatever else it is.
  if (real === walk.leaveOut && walk.visited.size > 0) {
    walk.leftOut = true;
    return [];
  }
  // A link that leads back into a folder above it.
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

/** A file or folder that the operating system does not let us read, in words. */
export function unreadable(source: string, error: unknown): InputProblem {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder; check the path',
    EACCES: 'it may not be read; give the permission, or leave it out',
    EISDIR: 'it is a folder',
  };
  return { source, line: null, problem: known[code] ?? `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
}

/** A file that could not be written, in words. */
export function unwritable(source: string, error: unknown): InputProblem {
  return { source, line: null, problem: `cannot be written: ${error instanceof Error ? error.message : String(error)}` };
}

/** A path without a link in it; of what does not exist yet, that of the folders that do. */
export function realOf(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    return dirname(whole) === whole ? whole : join(realOf(dirname(whole)), basename(whole));
  }
}

function nameOf(path: string): string {
  return path.replace(RECORDING, '');
}
