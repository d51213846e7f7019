// Titles of the tests of a file, read from its syntax: text anywhere else in it is no test.

import ts from 'typescript';

const DECLARES = new Set(['test', 'it', 'describe', 'rule']);

/** Titles as they are written, and of a table with `each` the texts of its rows, which `%s` puts into the title. */
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

/** `test` of `test(…)`, `test.skip(…)` and `test.each(…)(…)`. */
function nameOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression)) return nameOf(expression.expression);
  return '';
}

/** The first texts of the rows of `test.each([…])`. */
function rowsOf(expression: ts.Expression): readonly string[] {
  if (!ts.isCallExpression(expression)) return [];
  const [table] = expression.arguments;
  if (table === undefined || !ts.isArrayLiteralExpression(table)) return [];
  return table.elements.flatMap((row) => (ts.isArrayLiteralExpression(row) ? row.elements.flatMap(textsOf) : textsOf(row)));
}

function textsOf(node: ts.Node | undefined): readonly string[] {
  return node !== undefined && ts.isStringLiteralLike(node) ? [node.text] : [];
}
