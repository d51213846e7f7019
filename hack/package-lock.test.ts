// `npm ci`, which builds the image, refuses a lock file without the optional packages of other platforms.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const ROOT = join(import.meta.dirname, '..');
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

/** Path of the package that Node.js resolves for `name` from the folder of a package; undefined when there is none. */
function find(from: string, name: string): string | undefined {
  const folders = from === '' ? [] : from.split('/node_modules/');
  for (let depth = folders.length; depth >= 0; depth -= 1) {
    const path = [...folders.slice(0, depth), name].join('/node_modules/');
    const key = path.startsWith('node_modules/') ? path : `node_modules/${path}`;
    if (packages[key] !== undefined) return key;
  }
  return undefined;
}

test('package-lock.json has every dependency of every package, including those of other platforms', () => {
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => find(path, name) === undefined)
      .map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test('package-lock.json has the digest of every package that an image for amd64 or arm64 may contain', () => {
  const isForImages = ({ os = ['linux'], cpu = ['x64'] }: LockedPackage): boolean =>
    os.includes('linux') && (cpu.includes('x64') || cpu.includes('arm64'));
  // Packages of this repository are links to their folders, and have none.
  const downloaded = Object.entries(packages).filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true);
  const without = downloaded.filter(([, locked]) => isForImages(locked) && locked.integrity === undefined);
  expect(without).toEqual([]);
});

test('package-lock.json has the embedded cluster and what it alone needs for development only', () => {
  const { dependencies = {} } = packages['packages/embedded-cluster'] ?? {};
  const isDev = (name: string): boolean => packages[`node_modules/${name}`]?.dev === true;
  expect(packages['packages/embedded-cluster']?.dev).toBe(true);
  expect(Object.keys(dependencies).filter(isDev)).toEqual(['@marcbachmann/cel-js', 'rfc6902']);
});
