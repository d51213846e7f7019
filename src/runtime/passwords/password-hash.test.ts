import { expect, test } from '@jest/globals';
import { hashPassword, isPassword } from './password-hash.ts';

test('a password has its hash, and no other one has', async () => {
  const hash = await hashPassword('correct horse battery');
  expect(hash).toMatch(/^scrypt\$15\$8\$3\$[A-Za-z0-9+/=]{24}\$[A-Za-z0-9+/=]{44}$/);
  expect([await isPassword('correct horse battery', hash), await isPassword('correct horse batterY', hash)]).toEqual([true, false]);
  expect(await hashPassword('correct horse battery')).not.toBe(hash);
});

test.each(['', 'scrypt', 'scrypt$1$1$1$AAAAAAAAAAAAAAAAAAAAAA==$AAAA', 'correct horse battery'])(
  'no password has the malformed hash %j',
  async (hash) => {
    expect(await isPassword('correct horse battery', hash)).toBe(false);
  },
);

test('a password is the same however its characters are composed', async () => {
  expect(await isPassword('cafe\u0301 au lait please', await hashPassword('caf\u00e9 au lait please'))).toBe(true);
});
