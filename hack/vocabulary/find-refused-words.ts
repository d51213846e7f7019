// Finds refused words in a file's path and lines. Names are split at case, underscore and hyphen: `PolicyBook` is `policy book`.

import type { AllowedWord, RefusedWord, WordUse } from './refused-words.ts';

export interface Finding {
  readonly path: string;
  /** From 1; 0 for the path itself. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** As it is written there. */
  readonly found: string;
  /** As in the table. */
  readonly form: string;
  /** What to write instead. */
  readonly write: string;
}

interface Form {
  readonly form: string;
  readonly words: readonly string[];
  readonly refused: RefusedWord;
}

interface Word {
  readonly text: string;
  readonly at: number;
}

/** Part of a line: from `start` to before `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly found: string;
}

const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
const BETWEEN_WORDS = /^(\s*|[_-])$/;
const CODE_FILE = /\.(ts|js|cjs|go)$/;

export class RefusedWordFinder {
  readonly #formsByFirstWord = new Map<string, Form[]>();
  /** Most lines hold no refused word: one look with this pattern spares splitting them. */
  readonly #anyForm: RegExp;
  readonly #allowed: readonly AllowedWord[];
  readonly #usedEntries = new Set<AllowedWord>();

  constructor(table: readonly RefusedWord[], allowed: readonly AllowedWord[]) {
    this.#allowed = allowed;
    const forms = table.flatMap((refused) => refused.forms.map((form) => ({ form, words: form.split(' '), refused })));
    for (const form of forms.toSorted((a, b) => b.words.length - a.words.length)) {
      const [first = ''] = form.words;
      this.#formsByFirstWord.set(first, [...(this.#formsByFirstWord.get(first) ?? []), form]);
    }
    this.#anyForm = new RegExp(forms.map(({ words }) => words.join('[ _-]*')).join('|'), 'i');
  }

  /** Refused words of one file or folder name: the last part of the path. */
  findInName(path: string): readonly Finding[] {
    const start = path.lastIndexOf('/') + 1;
    return this.#findInLine(path, path.slice(start), 0).map((finding) => ({ ...finding, column: finding.column + start }));
  }

  findInText(path: string, text: string): readonly Finding[] {
    if (!this.#anyForm.test(text)) return [];
    return text.split('\n').flatMap((line, index) => this.#findInLine(path, line, index + 1));
  }

  /** Entries of the allow list that no line needed so far. */
  unusedEntries(): readonly AllowedWord[] {
    return this.#allowed.filter((entry) => !this.#usedEntries.has(entry));
  }

  #findInLine(path: string, line: string, number: number): readonly Finding[] {
    if (!this.#anyForm.test(line)) return [];
    const words = [...line.matchAll(WORD)].map((match): Word => ({ text: match[0], at: match.index }));
    // A file's name is a name throughout.
    const identifiers = number === 0 ? line : identifiersOf(path, line);
    const findings: Finding[] = [];
    let next = 0;
    for (const [index, word] of words.entries()) {
      if (index < next) continue;
      for (const { form, words: expected, refused } of this.#formsByFirstWord.get(word.text.toLowerCase()) ?? []) {
        const span = spanOf(expected, words.slice(index, index + expected.length), line);
        if (span === null || !isInPath(refused, path) || !isUsedAs(refused.use ?? 'text', span, line, identifiers)) continue;
        next = index + expected.length;
        if (!this.#isAllowed(form, path, line))
          findings.push({ path, line: number, column: span.start + 1, found: span.found, form, write: refused.write });
        break;
      }
    }
    return findings;
  }

  #isAllowed(form: string, path: string, line: string): boolean {
    const entry = this.#allowed.find((each) => each.form === form && each.path.test(path) && line.includes(each.line ?? ''));
    if (entry !== undefined) this.#usedEntries.add(entry);
    return entry !== undefined;
  }
}

function isInPath({ path }: RefusedWord, file: string): boolean {
  return path === undefined || path.test(file);
}

/** Where the expected words are written one after another, as one name or as prose; null where they are not. */
function spanOf(expected: readonly string[], words: readonly Word[], line: string): Span | null {
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined || words.length < expected.length) return null;
  const isWritten = words.every(({ text, at }, index) => {
    const before = words[index - 1] ?? { text: '', at };
    return (
      isForm(text.toLowerCase(), expected[index], index > 0 && index === words.length - 1) &&
      BETWEEN_WORDS.test(line.slice(before.at + before.text.length, at))
    );
  });
  const end = last.at + last.text.length;
  return isWritten ? { start: first.at, end, found: line.slice(first.at, end) } : null;
}

/** The last word of a name may be a plural: `PolicyBooks`. */
function isForm(word: string, expected: string | undefined, mayBePlural: boolean): boolean {
  return word === expected || (mayBePlural && word === `${expected}s`);
}

function isUsedAs(use: WordUse, { start, end, found }: Span, line: string, identifiers: string): boolean {
  switch (use) {
    case 'text':
      return true;
    case 'constant-prefix':
      return /^[A-Z]+$/.test(found) && /^_\w/.test(line.slice(end)) && !/\w$/.test(line.slice(0, start));
    case 'constant-suffix':
      return /^[A-Z]+_[A-Z_]+$/.test(found) && !/^\w/.test(line.slice(end));
    case 'name':
      return /[a-z][A-Z]/.test(found);
    case 'identifier':
      return !found.includes(' ') && identifiers.slice(start, end) === found;
  }
}

const COMMENT_LINE = /^\s*(\/\/|\/\*|\*)/;
const STRING_OR_COMMENT = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\s\/\/.*$|\/\*.*?\*\//g;
const TEMPLATE_TEXT = /`[^`]*?(?=\$\{)|\}[^`{}]*?(?=\$\{)|\}[^`{}]*?`|`[^`$]*`/g;

/**
 * The line with spaces in place of what is no identifier, at the same columns. Code keeps what is neither string nor comment, other
 * files keep keys (`name:`) and names in backticks. It reads single lines: a string of several is taken for code.
 */
function identifiersOf(path: string, line: string): string {
  if (!CODE_FILE.test(path)) return keepMatches(line, /^[\s-]*[\w.-]+(?=:)|`[^`]*`/g);
  return COMMENT_LINE.test(line) ? keepMatches(line, /`[^`]*`/g) : blank(blank(line, TEMPLATE_TEXT), STRING_OR_COMMENT);
}

function blank(line: string, pattern: RegExp): string {
  return line.replace(pattern, (text) => ' '.repeat(text.length));
}

function keepMatches(line: string, pattern: RegExp): string {
  let kept = '';
  for (const match of line.matchAll(pattern)) kept += ' '.repeat(match.index - kept.length) + match[0];
  return kept.padEnd(line.length);
}
