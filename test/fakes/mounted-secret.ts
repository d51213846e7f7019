import { mkdirSync, mkdtempSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A directory as kubelets mount a Secret: each file is a symbolic link through `..data`, a link to a directory with the present content. A
 * new content is written beside it, and replaces `..data` at once.
 */
export class MountedSecret {
  readonly path = mkdtempSync(join(tmpdir(), 'evenkeel-secret-'));
  #version = 0;

  /** The path of a file of the Secret. */
  file(name: string): string {
    return join(this.path, name);
  }

  replace(files: Readonly<Record<string, string>>): void {
    this.#version += 1;
    const directory = `..2026_${this.#version}`;
    mkdirSync(this.file(directory));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.path, directory, name), text);
    const previous = this.#version === 1 ? null : readlinkSync(this.file('..data'));
    symlinkSync(directory, this.file('..data_tmp'));
    renameSync(this.file('..data_tmp'), this.file('..data'));
    if (previous === null) for (const name of Object.keys(files)) symlinkSync(join('..data', name), this.file(name));
    else rmSync(this.file(previous), { recursive: true });
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
