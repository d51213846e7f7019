// Which files a person meant: files as they are named, folders walked for CSV files.

import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

/** One recording to read. Names may clash: `nameClashes` tells. */
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

/** Every recording under the paths, in order of name; a path that cannot be read is a problem and stops no other. */
export function findRecordings(paths: readonly string[]): { readonly files: RecordingFile[]; readonly problems: InputProblem[] } {
  const files = new Map<string, RecordingFile>();
  const problems: InputProblem[] = [];
  for (const path of paths) {
    try {
      if (!statSync(path).isDirectory()) {
        files.set(path, { path, name: nameOf(basename(path)) });
        continue;
      }
      const found = walk(path, problems, new Set());
      if (found.length === 0) problems.push({ source: path, line: null, problem: 'the folder holds no .csv or .csv.gz file' });
      for (const file of found) files.set(file, { path: file, name: nameOf(relative(path, file)) });
    } catch (error) {
      problems.push(unreadable(path, error));
    }
  }
  return { files: [...files.values()], problems };
}

/** Files whose names are the same: what is written for one would overwrite the other's. */
export function nameClashes(files: readonly { readonly name: string; readonly path: string | null }[]): string[] {
  return [...Map.groupBy(files, (file) => file.name)]
    .filter(([, same]) => same.length > 1)
    .map(([name, same]) => `${same.map((file) => file.path ?? 'one from Prometheus').join(' and ')} would both be written as ${name}.csv`);
}

function walk(folder: string, problems: InputProblem[], visited: Set<string>): string[] {
  const real = realpathSync(folder);
  // A link that leads back into a folder above it.
  if (visited.has(real)) return [];
  visited.add(real);
  const found: string[] = [];
  for (const name of readdirSync(folder).sort()) {
    if (name.startsWith('.')) continue;
    const path = join(folder, name);
    try {
      if (statSync(path).isDirectory()) found.push(...walk(path, problems, visited));
      else if (RECORDING.test(name)) found.push(path);
    } catch (error) {
      problems.push(unreadable(path, error));
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

function nameOf(path: string): string {
  return path.replace(RECORDING, '');
}
