import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes a file atomically; creates its folder. */
export function writeAtomically(path: string, text: string): void {
  makeFolder(dirname(path));
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Creates a folder and checks write access. Returns the problem; null: it is writable. */
export function findWriteProblem(folder: string): string | null {
  try {
    makeFolder(folder);
    // Permissions do not say it: root may write into every folder, and no program into /proc.
    rmdirSync(mkdtempSync(join(folder, '.evenkeel-')));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Creates a folder and its parents. mkdir's `recursive` never returns where the kernel creates none (/proc). */
function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    mkdirSync(path);
  }
}
