import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');
const BIN = join(ROOT, 'node_modules', '.bin');
const run = promisify(execFile);

/** Where `tsconfig.build.json` of each package puts what it compiles. The later one is compiled with the ones it refers to. */
const COMPILED = { kube: 'dist/kube', 'embedded-cluster': 'dist-embedded-cluster' } as const;

type PackageName = keyof typeof COMPILED;

interface PackageFile {
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, string>>;
}

/** The packages do not compile; the message is the output of the compiler. */
export class CompileError extends Error {}

/** Compiles the packages and writes each as a tarball into the folder, which is made where needed. Answers the paths. */
export async function packPackages(folder: string): Promise<readonly string[]> {
  await compile();
  await mkdir(folder, { recursive: true });
  return [await pack('kube', folder), await pack('embedded-cluster', folder)];
}

async function compile(): Promise<void> {
  try {
    await run(join(BIN, 'tsc'), ['-b', 'packages/embedded-cluster/tsconfig.build.json'], { cwd: ROOT });
  } catch (error) {
    // The compiler writes its errors to stdout. Without output it did not run.
    const { stdout = '' } = error as { readonly stdout?: string };
    throw stdout === '' ? error : new CompileError(stdout.trimEnd());
  }
}

async function pack(name: PackageName, folder: string): Promise<string> {
  const staged = await mkdtemp(join(tmpdir(), 'evenkeel-package-'));
  try {
    await cp(join(ROOT, COMPILED[name]), staged, { recursive: true, filter: (file) => !/\.(map|tsbuildinfo)$/.test(file) });
    const source = join(ROOT, 'packages', name);
    await cp(join(source, 'README.md'), join(staged, 'README.md'));
    await cp(join(ROOT, 'LICENSE'), join(staged, 'LICENSE'));
    const given = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as PackageFile;
    await writeFile(join(staged, 'package.json'), `${JSON.stringify(compiledPackage(given), null, 2)}\n`);
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', resolve(folder)], { cwd: staged });
    return join(folder, fileNameIn(stdout));
  } finally {
    await rm(staged, { recursive: true });
  }
}

/** The same package with compiled files in place of TypeScript: Node.js strips no types below node_modules. */
function compiledPackage({ exports, ...rest }: PackageFile): object {
  const compiled = Object.entries(exports).map(([name, target]) => {
    const path = target.replace(/^\.\/src\/(.*)\.ts$/, './$1');
    return [name, { types: `${path}.d.ts`, default: `${path}.js` }];
  });
  return { ...rest, exports: Object.fromEntries(compiled) as object };
}

function fileNameIn(json: string): string {
  const packed = JSON.parse(json) as readonly { readonly filename: string }[] | Readonly<Record<string, { readonly filename: string }>>;
  const [first] = Object.values(packed);
  if (first === undefined) throw new Error(`npm pack answered no file: ${json}`);
  return first.filename;
}
