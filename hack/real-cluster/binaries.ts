// Builds the Go programs of hack/controlplane when their sources have changed.

import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './file-lock.ts';
import { binariesFolder, ROOT } from './folders.ts';

const MODULE = join(ROOT, 'hack', 'controlplane');

/** Go package by the name of the binary: a package of the module, or of a tool that it pins. */
const PACKAGES = {
  controlplane: '.',
  schedulerrules: './schedulerrules',
  kwok: 'sigs.k8s.io/kwok/cmd/kwok',
  helm: 'helm.sh/helm/v4/cmd/helm',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
} as const;

export type BinaryName = keyof typeof PACKAGES;

export const BINARY_NAMES = Object.keys(PACKAGES) as readonly BinaryName[];

const GO_MINOR = 26;
const UNUSED_AFTER_MS = 14 * 24 * 3600 * 1000;

/**
 * Paths of the binaries. Builds the missing ones, which takes minutes the first time. @param onBuilt called with the name of each built
 * binary
 */
export async function buildBinaries<N extends BinaryName>(
  names: readonly N[],
  log: (line: string) => void,
  signal?: AbortSignal,
  onBuilt: (name: N) => void = () => undefined,
): Promise<Record<N, string>> {
  const go = goVersion();
  const paths = Object.fromEntries(names.map((name) => [name, pathOf(name, go)])) as Record<N, string>;
  const missing = (): N[] => names.filter((name) => !existsSync(paths[name]));
  if (missing().length > 0) {
    const onWait = (pid: number): void => log(`waiting for the build of process ${pid}`);
    await withLock(join(binariesFolder(), 'build.lock'), onWait, async () => {
      for (const name of missing()) {
        await build(name, paths[name], log, signal);
        onBuilt(name);
      }
      forgetUnused();
    });
  }
  const now = new Date();
  for (const name of names) utimesSync(paths[name], now, now);
  return paths;
}

/** @throws with a remedy when Go is missing or too old */
export function goVersion(): string {
  let version: string;
  try {
    // Run in the module's folder, because its go line may make Go download a newer toolchain.
    version = execFileSync('go', ['env', 'GOVERSION'], { cwd: MODULE, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  } catch (cause) {
    throw new Error(
      `the control plane is built with Go 1.${GO_MINOR} or later, and there is no usable go: install it from https://go.dev/dl/`,
      {
        cause,
      },
    );
  }
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(major) !== 1 || Number(minor) < GO_MINOR)
    throw new Error(`the control plane is built with Go 1.${GO_MINOR} or later, and go is ${version}: install it from https://go.dev/dl/`);
  return version;
}

function pathOf(name: BinaryName, go: string): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([go, PACKAGES[name], linkFlags()]));
  const packageFolder = join(MODULE, PACKAGES[name]);
  const ours = existsSync(packageFolder) ? goFilesOf(packageFolder) : [];
  for (const file of [join(MODULE, 'go.mod'), join(MODULE, 'go.sum'), ...ours]) hash.update(readFileSync(file));
  return join(binariesFolder(), `${name}-${hash.digest('hex').slice(0, 16)}`);
}

function goFilesOf(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'))
    .sort()
    .map((name) => join(folder, name));
}

/** Without these flags the server reports version v0.0.0, to which clients react differently. */
function linkFlags(): string {
  const version = kubernetesVersion();
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  const set = (name: string, value: string): string => `-X k8s.io/component-base/version.${name}=${value}`;
  return ['-s', '-w', set('gitVersion', version), set('gitMajor', major), set('gitMinor', minor)].join(' ');
}

export function kubernetesVersion(): string {
  const version = /^\s*(?:require )?k8s\.io\/kubernetes (v\S+)/m.exec(readFileSync(join(MODULE, 'go.mod'), 'utf8'))?.[1];
  if (version === undefined) throw new Error('hack/controlplane/go.mod requires no k8s.io/kubernetes');
  return version;
}

async function build(name: BinaryName, path: string, log: (line: string) => void, signal?: AbortSignal): Promise<void> {
  log(`building ${name} (the first time this takes about ten minutes)`);
  mkdirSync(binariesFolder(), { recursive: true });
  const startedMs = performance.now();
  const unfinished = `${path}.${process.pid}`;
  const args = ['build', '-trimpath', '-ldflags', linkFlags(), '-o', unfinished, PACKAGES[name]];
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn('go', args, { cwd: MODULE, stdio: ['ignore', 2, 2], env: { ...process.env, CGO_ENABLED: '0' }, signal });
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) {
    rmSync(unfinished, { force: true });
    throw new Error(`building ${name} failed: \`go ${args.join(' ')}\` in ${MODULE} exited with ${code}`);
  }
  renameSync(unfinished, path);
  log(`built ${name} in ${Math.round((performance.now() - startedMs) / 1000)} s`);
}

/** Removes large binaries that no run has used for two weeks. */
function forgetUnused(): void {
  const oldest = Date.now() - UNUSED_AFTER_MS;
  for (const entry of readdirSync(binariesFolder())) {
    const path = join(binariesFolder(), entry);
    if (statSync(path).mtimeMs < oldest) rmSync(path, { force: true });
  }
}
