// The search for secrets finds them in every form, so that a search without a hit means something.

import { expect, test } from '@jest/globals';
import { findSecrets, knownSecret } from './fakes/known-secrets.ts';

const SECRET = knownSecret('the password of a test', 'p@ss/w:rd ü "x"');

test.each<[string, string]>([
  ['as it is', `wrong password ${SECRET}`],
  ['in JSON', JSON.stringify({ message: `for ${SECRET}!` })],
  ['in a URL', `GET /auth?password=${encodeURIComponent(SECRET)}`],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in base64 behind one byte', Buffer.from(`a${SECRET}`).toString('base64')],
  ['in base64 behind a user name', Buffer.from(`ana:${SECRET}`).toString('base64')],
  ['in base64 behind two bytes', Buffer.from(`ab${SECRET}c`).toString('base64')],
])('a secret is found %s, and the message does not have it', (_form, line) => {
  const [message = '', ...more] = findSecrets('the log', ['nothing', line]);
  expect([more, message.startsWith('the password of a test is in the log: ')]).toEqual([[], true]);
  expect(findSecrets('the message', [message])).toEqual([]);
});

test('other texts are no hit, and a text that is found by chance is no secret', () => {
  expect(findSecrets('the log', ['p@ss/w:rd', '', Buffer.from('another text').toString('base64')])).toEqual([]);
  expect(() => knownSecret('short', 'secret')).toThrow(RangeError);
});
