// Runs the steps of the Dockerfile in a scratch folder, because no container engine runs here, and starts the programs of the resulting
// image as the image would.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseManifests, ROOT } from '../chart/rules.ts';
import { HANG_MS, HANG_TEST_MS } from '../eventually.ts';

const run = promisify(execFile);

interface Instruction {
  readonly keyword: string;
  readonly rest: string;
}

interface Stage {
  readonly name: string;
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** Stages of a Dockerfile, with continued lines joined. */
function stagesOf(text: string): readonly Stage[] {
  const joined = text.replaceAll(/\\\n/g, ' ').split('\n');
  const instructions = joined
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({ keyword: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1).trim() }));
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  for (const instruction of instructions) {
    if (instruction.keyword !== 'FROM') {
      stages.at(-1)?.instructions.push(instruction);
      continue;
    }
    const [base = '', name = 'final'] = instruction.rest.split(/ AS /i);
    stages.push({ name, base, instructions: [] });
  }
  return stages;
}

/** Executes the instructions of a stage in a folder, as an engine does. */
class Builder {
  readonly #scratch: string;
  constructor(scratch: string) {
    this.#scratch = scratch;
  }

  /** Path in the scratch folder of a path of a stage. */
  at(stage: string, path: string): string {
    return join(this.#scratch, stage, path);
  }

  async build({ name, instructions }: Stage): Promise<void> {
    let workdir = '/';
    for (const { keyword, rest } of instructions) {
      if (keyword === 'WORKDIR') {
        workdir = resolve(workdir, rest);
        mkdirSync(this.at(name, workdir), { recursive: true });
      } else if (keyword === 'COPY') await this.#copy(name, workdir, rest);
      else if (keyword === 'RUN') await shell(rest, this.at(name, workdir));
    }
  }

  async #copy(stage: string, workdir: string, rest: string): Promise<void> {
    const operands = rest.split(/\s+/);
    const from = /^--from=(.+)$/.exec(operands[0] ?? '')?.[1];
    const paths = from === undefined ? operands : operands.slice(1);
    const to = paths.pop() ?? '';
    for (const path of paths) {
      const source = from === undefined ? join(ROOT, path) : this.at(from, path);
      const isFolder = statSync(source).isDirectory();
      const target = resolve(workdir, to);
      await cp(source, this.at(stage, isFolder ? target : join(target, basename(path))), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (file) => from !== undefined || !file.endsWith('.test.ts'),
      });
    }
  }
}

async function shell(line: string, folder: string): Promise<void> {
  try {
    await run('sh', ['-ec', line], { cwd: folder, env: environment(), maxBuffer: 1 << 26 });
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
    throw new Error(`RUN ${line}:\n${stdout}${stderr}`, { cause });
  }
}

/** Environment of a build stage: without the settings of this test run, with its own Node.js. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, npm_config_nodedir: _nodedir, ...rest } = process.env;
  return { ...rest, NODE_ENV: 'development' };
}

const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const stages = stagesOf(dockerfile);
const final = stages.at(-1)!;
const of = (keyword: string): readonly string[] =>
  final.instructions.filter((instruction) => instruction.keyword === keyword).map(({ rest }) => rest);

describe('The image', () => {
  test('is distroless, has a numeric non-root user, and exposes the three ports', () => {
    expect(dockerfile).toMatch(/^ARG RUNTIME_IMAGE=gcr\.io\/distroless\/nodejs24-debian\d+:nonroot$/m);
    expect(final.base).toBe('${RUNTIME_IMAGE}');
    expect(of('USER')).toEqual(['65532:65532']);
    expect(of('EXPOSE')).toEqual(['9090 8081 8080']);
    expect(of('RUN')).toEqual([]);
  });

  test('is built from what .dockerignore lets through', () => {
    const allowed = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    const copied = stages.flatMap(({ instructions }) =>
      instructions
        .filter(({ keyword, rest }) => keyword === 'COPY' && !rest.startsWith('--from='))
        .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1)),
    );
    expect(allowed[0]).toBe('*');
    expect(copied.length).toBeGreaterThan(0);
    const isAllowed = (path: string): boolean => allowed.some((line) => line === `!${path}` || path.startsWith(`${line.slice(1)}/`));
    expect(copied.filter((path) => !isAllowed(path))).toEqual([]);
  });

  test('contains the programs that the chart and the manifests start', () => {
    const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { bin: Readonly<Record<string, string>> };
    const entrypoint = JSON.parse(of('ENTRYPOINT')[0]!) as readonly string[];
    const started = ['config/controller/deployment.yaml', 'config/uninstall/job.yaml'].map((file) => {
      const [manifest] = parseManifests(readFileSync(join(ROOT, file), 'utf8'));
      const { spec } = manifest as unknown as { spec: { template: { spec: { containers: readonly { command: readonly string[] }[] } } } };
      return spec.template.spec.containers[0]!.command;
    });
    expect(started).toEqual([
      [...entrypoint, `/app/${bin['evenkeel-controller']!}`],
      [...entrypoint, `/app/${bin['evenkeel']!}`],
    ]);
  });
});

describe('The steps of the Dockerfile', () => {
  let scratch: string;
  let builder: Builder;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'evenkeel-image-'));
    builder = new Builder(scratch);
    for (const stage of stages) await builder.build(stage);
  }, HANG_TEST_MS);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  /** Starts a command line of the image with this Node.js. */
  const start = async (args: readonly string[]): Promise<string> => {
    const [, ...flags] = JSON.parse(of('ENTRYPOINT')[0]!) as readonly string[];
    const { stdout } = await run(process.execPath, [...flags, ...args], {
      cwd: builder.at('final', '/app'),
      env: { PATH: '', NODE_ENV: 'production', NODE_OPTIONS: '--max-old-space-size-percentage=75 --max-semi-space-size=16' },
      timeout: HANG_MS,
    });
    return stdout;
  };

  test(
    'produce an image in which both programs start',
    async () => {
      const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
      const [controller] = JSON.parse(of('CMD')[0]!) as readonly string[];
      expect(await start([controller!, '--version'])).toBe(`${version}\n`);
      expect(await start([controller!, '--help'])).toContain('--controller.dry-run');
      expect(await start(['dist/cli/main.js', '--help'])).toContain('demo');
    },
    HANG_TEST_MS,
  );

  test('keep sources, tests and development packages out of the image', () => {
    const app = builder.at('final', '/app');
    expect(readdirSync(app).sort()).toEqual(['LICENSE', 'crds', 'dist', 'node_modules', 'package.json']);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      'dependencies' | 'devDependencies',
      Readonly<Record<string, string>>
    >;
    expect(Object.keys(dependencies).filter((name) => !existsSync(join(app, 'node_modules', name)))).toEqual([]);
    // Some development packages are also dependencies of packages in the image; these are not.
    const tools = ['jest', 'eslint', 'prettier', 'typescript', 'knip', 'node'].filter((name) => name in devDependencies);
    expect(tools.filter((name) => existsSync(join(app, 'node_modules', name)))).toEqual([]);
    expect(filesUnder(join(app, 'dist')).filter((file) => file.includes('.test.'))).toEqual([]);
  });

  test('leave nothing of the embedded cluster in the image', () => {
    const app = builder.at('final', '/app');
    const dist = filesUnder(join(app, 'dist'));
    expect(dist.filter((file) => /embedded-cluster|^\/demo\//.test(file))).toEqual([]);
    const importing = dist.filter(
      (file) => file.endsWith('.js') && readFileSync(join(app, 'dist', file), 'utf8').includes('#embedded-cluster/'),
    );
    expect(importing).toEqual([]);
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'packages/embedded-cluster/package.json'), 'utf8')) as {
      dependencies: Readonly<Record<string, string>>;
    };
    const shipped = lockedForProduction();
    const alone = ['@evenkeel/embedded-cluster', ...Object.keys(dependencies).filter((name) => !shipped.has(name))];
    expect(alone).toContain('rfc6902');
    expect(alone.filter((name) => existsSync(join(app, 'node_modules', name)))).toEqual([]);
  });

  test('give the same files again: those of make build', () => {
    if (!existsSync(join(ROOT, 'dist'))) throw new Error('dist/ is missing: run make build');
    const dist = builder.at('final', '/app/dist');
    expect(digestOf(dist)).toBe(digestOf(join(ROOT, 'dist')));
    expect(filesUnder(dist).length).toBeGreaterThan(100);
  });
});

/** Names of the packages that package-lock.json has not for development alone. */
function lockedForProduction(): ReadonlySet<string> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  return new Set(Object.entries(packages).flatMap(([path, { dev }]) => (dev === true ? [] : [path.replace('node_modules/', '')])));
}

function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .sort();
}

/** Digest over the names and contents of all files. */
function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const file of filesUnder(folder))
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(folder, file)));
  return hash.digest('hex');
}
