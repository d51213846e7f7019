// One container as a local process, in a mount namespace and a root folder of its own: the programs of the image and the
// pod's volumes are at their real paths, the root is read-only where the pod says so, and its user is the pod's. Needs
// root and util-linux's unshare, as container runtimes do; nothing of it is seen outside of the process.

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import process from 'node:process';
import { ROOT } from '../e2e/processes.ts';

export interface Mount {
  readonly source: string;
  readonly at: string;
  readonly readOnly: boolean;
}

export interface ProcessSpec {
  /** Empty and of its own; becomes the root. */
  readonly folder: string;
  /** /app of the image. */
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly Mount[];
  readonly user: number;
  readonly readOnlyRoot: boolean;
}

export interface ProcessExit {
  readonly code: number;
}

/** Where the image has Node.js. */
const NODE_IN_IMAGE = '/nodejs/bin/node';
/** What the program needs of a system: the C library and the devices, as a distroless image has them. */
const SYSTEM = ['/usr/lib', '/usr/lib64', '/dev', '/proc'];
/** As distroless images have it; by it the tools are found that make the root. */
const PATH_IN_IMAGE = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const MAX_LINES = 20_000;

export class PodProcess {
  readonly lines: string[] = [];
  readonly exited: Promise<ProcessExit>;
  readonly #child: ChildProcess;

  constructor(spec: ProcessSpec) {
    const root = join(spec.folder, 'root');
    const mounts = prepareRoot(root, spec);
    const script = [
      ...mounts.map(({ source, at }) => `mount --rbind '${source}' '${join(root, at)}'`),
      ...mounts.filter(({ readOnly }) => readOnly).map(({ at }) => `mount -o remount,bind,ro '${join(root, at)}'`),
      // Last: what is mounted inside stays as it is.
      ...(spec.readOnlyRoot ? [`mount -o remount,bind,ro '${root}'`] : []),
      `exec chroot --userspec=${spec.user}:${spec.user} --groups= '${root}' "$@"`,
    ].join('\n');
    const bindRoot = `mount --bind '${root}' '${root}'\n`;
    const unshare = ['--mount', '--propagation', 'private', 'sh', '-euc', bindRoot + script, 'sh', ...spec.command];
    this.#child = spawn('unshare', unshare, {
      env: { PATH: PATH_IN_IMAGE, ...spec.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.lines.push(line);
        if (this.lines.length > MAX_LINES) this.lines.shift();
      });
    }
    this.exited = new Promise((resolve) => {
      this.#child.once('error', (err) => {
        this.lines.push(String(err));
        resolve({ code: 127 });
      });
      this.#child.once('close', (code, signal) => resolve({ code: code ?? 128 + (signal === 'SIGKILL' ? 9 : 15) }));
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`the process did not start: ${this.lines.join('\n')}`);
    return this.#child.pid;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }
}

/** Removes what a process had as its root. Throws rather than follow a mount that should not be there. */
export function removeRoot(folder: string): void {
  if (readFileSync('/proc/self/mountinfo', 'utf8').includes(folder)) throw new Error(`${folder} is still mounted: not removed`);
  rmSync(folder, { recursive: true, force: true });
}

function prepareRoot(root: string, { image, volumes }: ProcessSpec): readonly Mount[] {
  const mounts: Mount[] = [
    ...SYSTEM.map((path) => ({ source: path, at: path, readOnly: false })),
    { source: image, at: '/app', readOnly: true },
    { source: join(ROOT, 'node_modules'), at: '/app/node_modules', readOnly: true },
    { source: process.execPath, at: NODE_IN_IMAGE, readOnly: true },
    ...volumes,
  ];
  mkdirSync(root, { recursive: true });
  for (const [link, target] of [
    ['lib', 'usr/lib'],
    ['lib64', 'usr/lib64'],
  ] as const)
    symlinkSync(target, join(root, link));
  for (const { at } of mounts) {
    const path = join(root, at);
    // Below the image it is the image's folder that holds the place.
    if (at.startsWith('/app/')) continue;
    mkdirSync(at === NODE_IN_IMAGE ? dirname(path) : path, { recursive: true });
    if (at === NODE_IN_IMAGE) closeSync(openSync(path, 'w'));
  }
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n');
  // A mount inside a mount is found after its outer one.
  return mounts.sort((a, b) => a.at.length - b.at.length);
}
