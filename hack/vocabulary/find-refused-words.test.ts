import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { RefusedWordFinder } from './find-refused-words.ts';
import { ALLOWED_WORDS, REFUSED_WORDS, UNREAD_FILES, type AllowedWord } from './refused-words.ts';
import { listTextFiles } from './text-files.ts';

const FILE = 'src/core/a.ts';

function formsIn(text: string, path = FILE, allowed: readonly AllowedWord[] = []): readonly string[] {
  return new RefusedWordFinder(REFUSED_WORDS, allowed).findInText(path, text).map(({ form }) => form);
}

describe('A refused word is found', () => {
  test.each([
    ['in a comment', '// The node has told no usage.', ['told']],
    ['in a string', "const message = 'nobody holds the lease';", ['nobody']],
    ['at the beginning of a sentence', 'Nobody holds the lease.', ['nobody']],
    ['at the beginning of a camelCase name', 'const tellFollowers = 1;', ['tell']],
    ['inside a camelCase name', 'const lastToldAt = 1;', ['told']],
    ['after an abbreviation', 'class HTTPTells {}', ['tells']],
    ['in a snake_case name', 'evenkeel_nap_seconds', ['nap']],
    ['in a constant', 'const DEED_BYTES = 1;', ['deed']],
    ['in a private name', 'this.#standing()', ['standing']],
    ['twice in a line', 'told and told', ['told', 'told']],
    ['as two words of one name', 'class PolicyBook {}', ['policy book']],
    ['as two words of a path', "import { a } from './policy-book.ts';", ['policy book']],
    ['as two words of prose', 'the policy book resolves it', ['policy book']],
    ['as the plural of a name', 'policyBooks; other resizes', ['policy book', 'other resizes']],
    ['in camel case in a string or in YAML', "'status.newNormal'; required: [newNormal]", ['new normal', 'new normal']],
    ['across several spaces', 'a calm  start', ['calm start']],
    ['once, where the longer form holds a shorter one', 'PersonalWishes', ['personal wishes']],
  ])('%s', (_, text, forms) => {
    expect(formsIn(text)).toEqual(forms);
  });

  test('with its place and what to write', () => {
    const finder = new RefusedWordFinder([{ forms: ['told'], write: 'report' }], []);
    expect(finder.findInText('docs/a.md', 'one\n  Told him\n')).toEqual([
      { path: 'docs/a.md', line: 2, column: 3, found: 'Told', form: 'told', write: 'report' },
    ]);
  });

  test('in the name of a file or folder, once for all that the folder holds', () => {
    const finder = new RefusedWordFinder(REFUSED_WORDS, []);
    expect(finder.findInName('docs/naps/loans-end.md')).toMatchObject([{ line: 0, column: 11, found: 'loans' }]);
    expect(finder.findInName('src/state/node-room')).toMatchObject([{ line: 0, column: 11, found: 'node-room' }]);
  });
});

describe('Nothing is found', () => {
  test.each([
    ['in a longer word', 'outstanding understands snaps, talent and stubborn'],
    ['where words of a form are apart', 'The policy is no book. calm: start()'],
  ])('%s', (_, text) => {
    expect(formsIn(text)).toEqual([]);
  });
});

describe('A name alone is refused', () => {
  test.each([
    ['as a variable', 'const { clock } = world;', ['world']],
    ['as part of a name', 'interface ControllerWorld {}', ['world']],
    ['in an expression of a template', 'const text = `the world is ${world.name} here`;', ['world']],
    ['in backticks of a comment', '// Reads `world` once.', ['world']],
  ])('%s', (_, text, forms) => {
    expect(formsIn(text)).toEqual(forms);
  });

  test.each([
    ['in a comment', ' * The world moves on.'],
    ['in a comment behind code', 'next(); // the world moves on'],
    ['in a string', "const text = 'all the world';"],
    ['in a template', 'const text = `all the world is ${name} the world`;'],
  ])('not %s', (_, text) => {
    expect(formsIn(text)).toEqual([]);
  });

  test('outside the folders that it is refused in', () => {
    expect(formsIn('const world = 1;', 'packages/embedded-cluster/src/a.ts')).toEqual([]);
    expect(formsIn('const world = 1;', 'src/core/a.test.ts')).toEqual([]);
  });

  test('as a key of YAML, not in a description', () => {
    expect(formsIn('  openings:\n    description: The last openings and closings.\n', 'crds/a.yaml')).toEqual(['openings']);
  });

  test('not as prose of several words that is one name in code', () => {
    expect(formsIn("approve('the new normal', newNormal)")).toEqual(['new normal']);
  });
});

describe('A constant', () => {
  test.each([
    ['MOST_BYTES', ['most']],
    ['LONGEST_MS, LEAST_RUNS', ['longest', 'least']],
    ['RESTORED_AT_ONCE and AT_ONCE', ['at once', 'at once']],
    ['MAX_BYTES is at most 3, ALMOST_ALL, mostUsed, "at once"', []],
  ])('%s', (text, forms) => {
    expect(formsIn(text)).toEqual(forms);
  });
});

describe('The allow list', () => {
  const entry: AllowedWord = { form: 'asleep', path: /^src\/server\//, line: 'oneOf(', reason: 'contract' };

  test('allows a word in its path and on its line', () => {
    expect(formsIn("oneOf(['asleep'])", 'src/server/a.ts', [entry])).toEqual([]);
    expect(formsIn('asleep', 'src/server/a.ts', [entry])).toEqual(['asleep']);
    expect(formsIn("oneOf(['asleep'])", 'src/core/a.ts', [entry])).toEqual(['asleep']);
    expect(formsIn("oneOf(['told'])", 'src/server/a.ts', [entry])).toEqual(['told']);
  });

  test('names the entries that nothing needs', () => {
    const finder = new RefusedWordFinder(REFUSED_WORDS, [entry]);
    expect(finder.unusedEntries()).toEqual([entry]);
    finder.findInText('src/server/a.ts', "oneOf(['asleep'])");
    expect(finder.unusedEntries()).toEqual([]);
  });
});

describe('The table', () => {
  test('has each form once, in lower case', () => {
    const forms = REFUSED_WORDS.flatMap((refused) => refused.forms);
    expect(forms).toEqual([...new Set(forms)]);
    expect(forms.filter((form) => !/^[a-z]+( [a-z]+)*$/.test(form))).toEqual([]);
  });

  test('replaces no word by another that it refuses', () => {
    expect(formsIn(REFUSED_WORDS.map(({ write }) => write.replace(/\(.*\)/, '')).join('\n'))).toEqual([]);
  });

  test('allows forms that it refuses', () => {
    const forms = new Set(REFUSED_WORDS.flatMap((refused) => refused.forms));
    expect(ALLOWED_WORDS.filter(({ form }) => !forms.has(form))).toEqual([]);
  });
});

describe('The files that are read', () => {
  const root = join(import.meta.dirname, '..', '..');
  const paths = listTextFiles(root).map(({ path }) => path);

  test('are sources, manifests, charts and documents', () => {
    expect(paths).toEqual(
      expect.arrayContaining([
        'README.md',
        'crds/recommendations.yaml',
        'docs/decisions',
        'src/core',
        'charts/evenkeel/values.yaml',
        FILE_OF_THIS,
      ]),
    );
    expect(paths.filter((path) => path.includes('node_modules') || path.startsWith('dist/') || path.endsWith('.png'))).toEqual([]);
  });

  test('are text', () => {
    const binary = listTextFiles(root).filter(({ path, isFolder }) => !isFolder && readFileSync(join(root, path)).includes(0));
    expect(binary).toEqual([]);
  });

  test('are excluded by patterns that match at least one', () => {
    expect(UNREAD_FILES.filter((unread) => !paths.some((path) => unread.path.test(path)))).toEqual([]);
  });
});

const FILE_OF_THIS = 'hack/vocabulary/find-refused-words.test.ts';
