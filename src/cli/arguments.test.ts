import { describe, expect, test } from '@jest/globals';
import { describeOptions, flag, parseArguments, text, wholeNumber } from './arguments.ts';

const TABLE = {
  nodes: { value: 'N', help: 'how many', read: wholeNumber(1, 500), default: 6 },
  name: { value: 'TEXT', help: 'what', read: text(), default: null },
  compare: { help: 'both', read: flag(), default: false },
} as const;

describe('parseArguments', () => {
  test('options that are not given have their default', () => {
    expect(parseArguments(TABLE, [])).toMatchObject({ ok: true, values: { nodes: 6, name: null, compare: false } });
  });

  test('a value follows a space or an equals sign, a switch has none', () => {
    expect(parseArguments(TABLE, ['--nodes', '3', '--name=a=b', '--compare'])).toMatchObject({
      ok: true,
      values: { nodes: 3, name: 'a=b', compare: true },
    });
    expect(parseArguments(TABLE, ['--compare=false'])).toMatchObject({ ok: true, values: { compare: false } });
  });

  test('all problems are reported at once, with the given value and what is allowed', () => {
    const parsed = parseArguments(TABLE, ['--nodes', '0', '--colour', 'blue', '--compare=maybe', 'stray', '--name']);
    expect(parsed).toEqual({
      ok: false,
      problems: [
        '--nodes: "0" must be a whole number from 1 to 500',
        '--colour: unknown option; use one of --nodes, --name, --compare',
        '--compare: "maybe" must be true or false',
        'stray: unknown option; use one of --nodes, --name, --compare',
        '--name: needs a value (TEXT)',
      ],
    });
  });

  test('an option given twice is an error', () => {
    expect(parseArguments(TABLE, ['--nodes', '3', '--nodes', '4'])).toMatchObject({ ok: false, problems: ['--nodes: given twice'] });
  });

  test('names inherited from Object are not options', () => {
    expect(parseArguments(TABLE, ['--constructor'])).toMatchObject({ ok: false });
  });

  test('the help lists every option', () => {
    expect(describeOptions(TABLE)).toEqual([
      expect.stringMatching(/--nodes N +how many/),
      expect.stringMatching(/--name TEXT +what/),
      expect.stringMatching(/--compare +both/),
    ]);
  });
});
