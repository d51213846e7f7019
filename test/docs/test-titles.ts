// Test titles of a file, read from its syntax tree: other text in the file is not a title.

import ts from 'typescript';

const DECLARES = new Set(['test', 'it', 'describe', 'rule']);

/** Titles as written in a source text. For `each` it also returns the strings of the table's rows, which `%s` inserts into the title. */
export function titlesOf(source: string): readonly string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && DECLARES.has(nameOf(node.expression)))
      titles.push(...textsOf(node.arguments[0]), ...rowsOf(node.expression));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('titles.test.ts', source, ts.ScriptTarget.Latest));
  return titles;
}

/** `test` for `test(…)`, `test.skip(…)` and `test.each(…)(…)`. */
function nameOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression)) return nameOf(expression.expression);
  return '';
}

/** The strings in the rows of `test.each([…])`. */
function rowsOf(expression: ts.Expression): readonly string[] {
  if (!ts.isCallExpression(expression)) return [];
  const [table] = expression.arguments;
  if (table === undefined || !ts.isArrayLiteralExpression(table)) return [];
  return table.elements.flatMap((row) => (ts.isArrayLiteralExpression(row) ? row.elements.flatMap(textsOf) : textsOf(row)));
}

function textsOf(node: ts.Node | undefined): readonly string[] {
  return node !== undefined && ts.isStringLiteralLike(node) ? [node.text] : [];
}
