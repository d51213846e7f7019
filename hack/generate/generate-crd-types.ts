// Writes src/apis/v1alpha1/ from crds/. `--check` writes nothing and exits with 1 when a file is stale.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { typesOf, type Crd } from './crd-to-typescript.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const OUT = join(ROOT, 'src/apis/v1alpha1');

/** Content of the generated files, by name. */
function generate(): ReadonlyMap<string, string> {
  const folder = join(ROOT, 'crds');
  const crds = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => parse(readFileSync(join(folder, name), 'utf8')) as Crd);
  const types = crds.flatMap((crd) => typesOf(crd));
  const plurals = crds.map((crd) => `  ${crd.spec.names.kind}: '${crd.spec.names.plural}',`);
  const generated = [
    '// Generated from crds/ by hack/generate/generate-crd-types.ts. Change the CRD and run `node hack/generate/generate-crd-types.ts`; never edit this file.',
    "import type { ObjectMeta } from './object-meta.ts';",
    ['/** Plural (the name in API paths) of each kind. */', 'export const PLURALS = {', ...plurals, '} as const;'].join('\n'),
    ...types.map((type) => type.text),
  ];
  const names = types.map((type) => `  ${type.name},`).sort();
  const index = [
    '// Generated from crds/ by hack/generate/generate-crd-types.ts: the names of the v1alpha1 API, in one place to import from.',
    '',
    "export { PLURALS } from './types.generated.ts';",
    "export type { ObjectMeta, OwnerReference } from './object-meta.ts';",
    `export type {\n${names.join('\n')}\n} from './types.generated.ts';`,
    '',
  ];
  return new Map([
    ['types.generated.ts', `${generated.join('\n\n')}\n`],
    ['index.ts', index.join('\n')],
  ]);
}

const check = process.argv.includes('--check');
for (const [name, text] of generate()) {
  const path = join(OUT, name);
  if (!check) {
    writeFileSync(path, text);
    continue;
  }
  let present: string;
  try {
    present = readFileSync(path, 'utf8');
  } catch {
    present = '';
  }
  if (present !== text) {
    console.error(`src/apis/v1alpha1/${name} is stale. Run: node hack/generate/generate-crd-types.ts`);
    process.exitCode = 1;
  }
}
