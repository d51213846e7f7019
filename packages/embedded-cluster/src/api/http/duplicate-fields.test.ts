import { describe, expect, test } from '@jest/globals';
import { duplicateFields } from './duplicate-fields.ts';

describe('duplicate fields', () => {
  test.each([
    ['{}', []],
    ['{"a":1,"b":{"a":2}}', []],
    ['{"a":1,"a":2}', ['a']],
    ['{"a":{"b":1,"c":[1,{"d":1,"d":2}],"b":2}}', ['a.c[1].d', 'a.b']],
    ['{"a":"a","b":"{,}:\\"a\\"","c":["a","a"]}', []],
    ['[{"a":1},{"a":1},{"a":1,"\\u0061":2}]', ['[2].a']],
  ])('%s: %j', (text, expected) => {
    expect(duplicateFields(text)).toEqual(expected);
  });
});
