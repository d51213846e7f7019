import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 100 * 2 ** 20;

export interface ReleaseOptions {
  /** Created when it is missing. */
  readonly folder: string;
  /** The pushed image with its digest. */
  readonly image: string;
  readonly commit: string;
}

/**
 * Writes the sources, the chart and the SBOM of a commit, SHA256SUMS of the three, and NOTES.md with all digests and the provenance. The
 * same commit gives the same sources and chart. Returns the notes. @throws when the image has no digest, or git or npm fails
 */
export async function writeRelease({ folder, image, commit }: ReleaseOptions): Promise<string> {
  if (!/@sha256:[0-9a-f]{64}$/.test(image)) throw new Error(`${image} has no digest: write REGISTRY/evenkeel@sha256:DIGEST`);
  const revision = (await output('git', ['rev-parse', '--verify', `${commit}^{commit}`])).toString().trim();
  const { version } = JSON.parse(await fileOf(revision, 'package.json')) as { readonly version: string };
  const archive = (prefix: string, tree: string): Promise<Buffer> =>
    output('git', ['archive', '--format=tgz', `--prefix=${prefix}/`, tree]);
  const files: readonly (readonly [name: string, content: Buffer])[] = [
    [`evenkeel-${version}-sources.tgz`, await archive(`evenkeel-${version}`, revision)],
    [`evenkeel-chart-${version}.tgz`, await archive('evenkeel', `${revision}:charts/evenkeel`)],
    [`evenkeel-${version}.cdx.json`, await billOfMaterials(revision)],
  ];
  const sums = files.map(([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`).join('');
  const notes = notesOf({ version, revision, image, sums, bases: basesOf(await fileOf(revision, 'Dockerfile')) });
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) await writeFile(join(folder, name), content);
  await writeFile(join(folder, 'SHA256SUMS'), sums);
  await writeFile(join(folder, 'NOTES.md'), notes);
  return notes;
}

/** CycloneDX SBOM of the runtime packages. It depends on the lock file only, not on the installed packages. */
async function billOfMaterials(revision: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-sbom-'));
  try {
    for (const name of await packageFilesOf(revision)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), withoutDevelopment(name, await fileOf(revision, name)));
    }
    return await output('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--omit', 'dev'], folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * A package or lock file without development dependencies. `npm sbom --omit dev` leaves out a runtime package that one of them needs, too, such as
 * express of an SDK that tests use.
 */
function withoutDevelopment(name: string, text: string): string {
  const file = JSON.parse(text) as Record<string, unknown> & { packages?: Readonly<Record<string, LockEntry>> };
  if (name === 'package.json') delete file['devDependencies'];
  const { packages } = file;
  if (name !== 'package-lock.json' || packages === undefined) return JSON.stringify(file);
  // A link to a package of this repository has the flag at its target alone.
  const isDevelopment = ({ dev, resolved = '' }: LockEntry): boolean => dev === true || packages[resolved]?.dev === true;
  const kept = Object.entries(packages).flatMap(([path, entry]) =>
    isDevelopment(entry) ? [] : [[path, { ...entry, devDependencies: {} }]],
  );
  return JSON.stringify({ ...file, packages: Object.fromEntries(kept) as Readonly<Record<string, LockEntry>> });
}

interface LockEntry {
  readonly dev?: boolean;
  readonly resolved?: string;
}

/** What npm reads to know the dependencies: the lock file, and package.json of the root and of each package. */
async function packageFilesOf(revision: string): Promise<readonly string[]> {
  const listed = await output('git', ['ls-tree', '-r', '--name-only', revision, 'package.json', 'package-lock.json', 'packages']);
  return listed
    .toString()
    .split('\n')
    .filter((name) => /(^|\/)package(-lock)?\.json$/.test(name));
}

interface NotesDependencies {
  readonly version: string;
  readonly revision: string;
  readonly image: string;
  readonly sums: string;
  /** Base images of the Dockerfile. */
  readonly bases: readonly string[];
}

function notesOf({ version, revision, image, sums, bases }: NotesDependencies): string {
  return `# Evenkeel ${version}

## Digests

Image: \`${image}\`

\`\`\`
${sums}\`\`\`

## Provenance

Built from commit \`${revision}\` by its Dockerfile, on ${bases.map((base) => `\`${base}\``).join(' and ')} at the digests that the image's
provenance names: \`docker buildx imagetools inspect ${image} --format '{{ json .Provenance }}'\`.

## Bill of materials

\`evenkeel-${version}.cdx.json\` (CycloneDX) lists every npm package that runs, with its licence and digest. The image carries one of its
system packages, too: \`docker buildx imagetools inspect ${image} --format '{{ json .SBOM }}'\`.
`;
}

function basesOf(dockerfile: string): readonly string[] {
  return [...dockerfile.matchAll(/^ARG \w+_IMAGE=(\S+)$/gm)].map(([, base = '']) => base);
}

async function fileOf(revision: string, path: string): Promise<string> {
  return (await output('git', ['show', `${revision}:${path}`])).toString();
}

async function output(command: string, args: readonly string[], cwd = ROOT): Promise<Buffer> {
  const { stdout } = await run(command, args, { cwd, encoding: 'buffer', maxBuffer: MAX_OUTPUT_BYTES });
  return stdout;
}
