import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { EVERYONE_IS_ADMIN } from '../../src/core/access/scope.ts';
import { PROMPTS, resourcesFor } from '../../src/server/mcp/resources.ts';
import { LIST_ARGUMENTS } from '../../src/server/mcp/tool.ts';
import { TOOLS } from '../../src/server/mcp/tools/index.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8');

test('docs/mcp.md lists each tool with its arguments, in order', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` +\| ([^|]*?) *\|/gm)].map(([, name, given]) => [name, given]);
  const expected = TOOLS.map(({ name, arguments: given, required }) => [
    name,
    Object.keys(given)
      .filter((argument) => !(argument in LIST_ARGUMENTS))
      .map((argument) => (required.includes(argument) ? argument : `${argument}?`))
      .join(', '),
  ]);
  expect(rows.filter(([name]) => name?.includes('_'))).toEqual(expected);
});

test('docs/mcp.md names each resource and prompt', () => {
  const names = [...resourcesFor(EVERYONE_IS_ADMIN).map(({ uri }) => uri), ...PROMPTS.map(({ name }) => name)];
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
