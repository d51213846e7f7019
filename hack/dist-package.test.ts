// Targets of the `#kube/*` imports: TypeScript sources in package.json of the checkout, compiled files in dist/package.json.

import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..');

interface PackageFile {
  readonly imports: Readonly<Record<string, string>>;
}
interface BuildFile {
  readonly compilerOptions: { readonly rootDir: string; readonly outDir: string };
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

test('dist/package.json has the compiled file of each import of package.json whose package is compiled to dist/', () => {
  const { imports } = read('package.json') as PackageFile;
  const compiled = Object.entries(imports).flatMap(([name, target]) => {
    const [folder = ''] = /^\.\/packages\/[^/]+/.exec(target) ?? [];
    const { rootDir, outDir } = (read(join(folder, 'tsconfig.build.json')) as BuildFile).compilerOptions;
    const from = resolve(ROOT, folder, rootDir);
    const to = relative(join(ROOT, 'dist'), resolve(ROOT, folder, outDir));
    if (to.startsWith('..')) return [];
    return [[name, `./${join(to, relative(from, resolve(ROOT, target))).replace(/\.ts$/, '.js')}`]];
  });
  expect(compiled.map(([name]) => name)).toEqual(['#kube/*']);
  expect((read('dist.package.json') as PackageFile).imports).toEqual(Object.fromEntries(compiled));
});
