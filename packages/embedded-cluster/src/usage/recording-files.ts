import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseRecording, RecordingError, type Recording } from './recording.ts';

/** One container of one workload, without the kind, which recordings do not name. */
export interface ContainerName {
  readonly namespace: string;
  readonly workload: string;
  readonly container: string;
}

/** A folder of recordings: names are listed at once, contents are read on demand. */
export interface RecordingLibrary {
  /** File names without folder, sorted. */
  readonly names: readonly string[];
  /** Throws RecordingError for a file that is not a recording. */
  load(name: string): Recording;
}

const EXTENSION = /\.csv(\.gz)?$/;

/** Opens a folder. Throws an Error with the folder's name when it cannot be read or has no recording. */
export function openRecordings(folder: string): RecordingLibrary {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => EXTENSION.test(name));
  } catch (error) {
    throw new Error(`reading recorded usage from ${folder}: the folder cannot be read`, { cause: error });
  }
  if (names.length === 0) throw new Error(`reading recorded usage from ${folder}: no file ends in .csv or .csv.gz`);
  names.sort((a, b) => (a < b ? -1 : 1));
  return {
    names,
    load: (name) => {
      const path = join(folder, name);
      const raw = readFileSync(path);
      return parseRecording(path, (name.endsWith('.gz') ? unzip(path, raw) : raw).toString('utf8'));
    },
  };
}

function unzip(path: string, raw: Buffer): Buffer {
  try {
    return gunzipSync(raw);
  } catch {
    throw new RecordingError(path, 1, 'the file ends in .gz but is not gzip');
  }
}

/** `NAMESPACE_WORKLOAD_CONTAINER.csv[.gz]`; undefined for any other name. Kubernetes names contain no underscore. */
export function containerOfFile(name: string): ContainerName | undefined {
  const [namespace, workload, container, ...rest] = name.replace(EXTENSION, '').split('_');
  if (namespace === undefined || workload === undefined || container === undefined || rest.length > 0) return undefined;
  return namespace === '' || workload === '' || container === '' ? undefined : { namespace, workload, container };
}
