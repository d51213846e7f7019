import { containerOfFile, type ContainerName } from './recording-files.ts';

/** The recording of a container, and whether its numbers are used unscaled. */
export interface DealtRecording {
  readonly file: string;
  readonly container: ContainerName;
  /** False: scaled to the container's size. */
  readonly asRecorded: boolean;
}

/**
 * Files that name containers of the cluster are used unscaled. When no file does, files sorted by name are assigned to containers sorted by
 * namespace, workload and container: surplus files are unused, and too few are repeated.
 */
export function dealRecordings(files: readonly string[], containers: readonly ContainerName[]): readonly DealtRecording[] {
  const byKey = new Map(containers.map((container) => [keyOf(container), container]));
  const named = files.flatMap((file) => {
    const name = containerOfFile(file);
    const container = name === undefined ? undefined : byKey.get(keyOf(name));
    return container === undefined ? [] : [{ file, container, asRecorded: true }];
  });
  if (named.length > 0) return named;

  const sorted = [...files].sort();
  const keys = [...byKey.keys()].sort();
  return keys.flatMap((key, index) => {
    const file = sorted[index % sorted.length];
    const container = byKey.get(key);
    return file === undefined || container === undefined ? [] : [{ file, container, asRecorded: false }];
  });
}

/** Sorts as namespace, then workload, then container: the separator is less than every letter of a name. */
export function keyOf({ namespace, workload, container }: ContainerName): string {
  return `${namespace} ${workload} ${container}`;
}
