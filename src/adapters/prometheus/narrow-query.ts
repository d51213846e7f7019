// Adds label matchers to every selector of a query. PromQL is parsed only as far as needed to find its selectors.

import { PrometheusFailure } from './client/failure.ts';

const TOKEN = /\s+|#[^\n]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\[[^\]]*\]|\.?\d[\w.]*|[A-Za-z_:][\w:]*|./gsu;
const NOT_CODE = /^(\s|#)/;
const NAME = /^[A-Za-z_:]/;
/** Keywords followed by a parenthesized list of labels. */
const BEFORE_LABELS = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const KEYWORDS = new Set([...BEFORE_LABELS, 'and', 'or', 'unless', 'atan2', 'bool', 'offset']);
const NUMBERS = new Set(['inf', 'nan']);
/** Start of an operand. A keyword not followed by one is the name of a metric. */
const OPERAND = /^[\w:({"'`.+-]/;

/**
 * Returns the query with the matchers added to each selector. @throws PrometheusFailure where a selector cannot be identified with
 * certainty
 * @param matchers comma-separated, as in PromQL; empty: the query is unchanged
 */
export function narrowQuery(query: string, matchers: string): string {
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
      if (this.#inside === 'selector') this.#parseSelector(token);
      else if (this.#inside === 'labels') this.#parseLabels(token);
      else this.#take(token, this.#codeAfter(index));
    }
    if (this.#inside !== 'expression') throw unparseable('a selector or label list is not closed');
    return this.#text;
  }

  #take(token: string, next: string): void {
    this.#text += token;
    if (token === '{') {
      this.#inside = 'selector';
      this.#text += next === '}' ? this.#matchers : `${this.#matchers},`;
    } else if (NAME.test(token)) this.#takeName(token.toLowerCase(), next);
    else if (/^["'`}[\]]$/.test(token)) throw unparseable(`${token} is unbalanced`);
  }

  #takeName(name: string, next: string): void {
    if (BEFORE_LABELS.has(name) && next === '(') this.#inside = 'labels';
    if (KEYWORDS.has(name)) {
      if (!OPERAND.test(next)) throw unparseable(`${name} is the name of a metric`);
      return;
    }
    // Excludes functions, aggregations before their labels, and selectors with braces.
    const isMetric = !NUMBERS.has(name) && next !== '(' && next !== '{' && !/^(by|without)$/i.test(next);
    if (isMetric) this.#text += `{${this.#matchers}}`;
  }

  #parseSelector(token: string): void {
    if (token === '{' || /^["'`]$/.test(token)) throw unparseable('a selector is not closed');
    if (/^or$/i.test(token)) throw unparseable('a selector contains `or`');
    if (token === '}') this.#inside = 'expression';
    this.#text += token;
  }

  #parseLabels(token: string): void {
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

function unparseable(why: string): PrometheusFailure {
  return new PrometheusFailure('refused', `prometheus.matchers cannot be added to the query (${why}); write it in plain PromQL`);
}
