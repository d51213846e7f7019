// Label matchers in every selector of a query. PromQL is read just far enough to find its selectors.

import { PrometheusFailure } from './failure.ts';

const TOKEN = /\s+|#[^\n]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\[[^\]]*\]|\.?\d[\w.]*|[A-Za-z_:][\w:]*|./gsu;
const NOT_CODE = /^(\s|#)/;
const NAME = /^[A-Za-z_:]/;
/** A list of labels in parentheses follows. */
const BEFORE_LABELS = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const KEYWORDS = new Set([...BEFORE_LABELS, 'and', 'or', 'unless', 'atan2', 'bool', 'offset']);
const NUMBERS = new Set(['inf', 'nan']);
/** What a keyword is before; before anything else its word is the name of a metric. */
const OPERAND = /^[\w:({"'`.+-]/;

/**
 * The query with the matchers in each selector; they only ever narrow it. Throws PrometheusFailure where that is not certain.
 * @param matchers as PromQL writes them, with commas between; empty: the query stays as it is
 */
export function narrowed(query: string, matchers: string): string {
  return matchers === '' ? query : new Narrowing(query, matchers).text();
}

class Narrowing {
  readonly #matchers: string;
  readonly #tokens: readonly string[];
  #inside: 'expression' | 'selector' | 'labels' = 'expression';
  #text = '';

  constructor(query: string, matchers: string) {
    this.#matchers = matchers;
    this.#tokens = query.match(TOKEN) ?? [];
  }

  text(): string {
    for (const [index, token] of this.#tokens.entries()) {
      if (this.#inside === 'selector') this.#takeInSelector(token);
      else if (this.#inside === 'labels') this.#takeInLabels(token);
      else this.#take(token, this.#codeAfter(index));
    }
    if (this.#inside !== 'expression') throw unclear('it does not end');
    return this.#text;
  }

  #take(token: string, next: string): void {
    this.#text += token;
    if (token === '{') {
      this.#inside = 'selector';
      this.#text += next === '}' ? this.#matchers : `${this.#matchers},`;
    } else if (NAME.test(token)) this.#takeName(token.toLowerCase(), next);
    else if (/^["'`}[\]]$/.test(token)) throw unclear(`${token} has no counterpart`);
  }

  #takeName(name: string, next: string): void {
    if (BEFORE_LABELS.has(name) && next === '(') this.#inside = 'labels';
    if (KEYWORDS.has(name)) {
      if (!OPERAND.test(next)) throw unclear(`${name} is the name of a metric`);
      return;
    }
    // A function, an aggregation before its labels, or a selector whose braces come.
    const isMetric = !NUMBERS.has(name) && next !== '(' && next !== '{' && !/^(by|without)$/i.test(next);
    if (isMetric) this.#text += `{${this.#matchers}}`;
  }

  #takeInSelector(token: string): void {
    if (token === '{' || /^["'`]$/.test(token)) throw unclear('a selector does not end');
    if (/^or$/i.test(token)) throw unclear('a selector holds `or`');
    if (token === '}') this.#inside = 'expression';
    this.#text += token;
  }

  #takeInLabels(token: string): void {
    if (token === ')') this.#inside = 'expression';
    this.#text += token;
  }

  #codeAfter(index: number): string {
    for (let at = index + 1; at < this.#tokens.length; at++) {
      const token = this.#tokens[at] ?? '';
      if (!NOT_CODE.test(token)) return token;
    }
    return '';
  }
}

function unclear(why: string): PrometheusFailure {
  return new PrometheusFailure('refused', `prometheus.matchers cannot be added to the query (${why}); write it in plain PromQL`);
}
