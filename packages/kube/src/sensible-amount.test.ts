import { describe, expect, test } from '@jest/globals';
import { parseSensibleAmount } from './sensible-amount.ts';

describe('parseSensibleAmount', () => {
  test.each<['cpu' | 'memory', string | number, number]>([
    ['cpu', 2, 2000],
    ['cpu', 0.5, 500],
    ['cpu', '1m', 1],
    ['cpu', 0, 0],
    ['memory', '1.5Gi', 1_610_612_736],
    ['memory', 134_217_728, 134_217_728],
    ['memory', '128974848000m', 128_974_848],
    ['memory', '0', 0],
  ])('%s %j is %j', (resource, given, value) => {
    expect(parseSensibleAmount(resource, given)).toEqual({ ok: true, value });
  });

  test.each<['cpu' | 'memory', string | number, string]>([
    ['memory', '100m', '100m is a tenth of a byte; write 100Mi'],
    ['memory', '500m', '500m is 0.5 bytes; write 500Mi'],
    ['memory', 512, '512 is 512 bytes; write 512Mi'],
    ['memory', '1', '1 is 1 byte; write 1Mi'],
    ['memory', '2000000.5', '2000000.5 is 2000000.5 bytes; write a whole number of bytes of at least 1Mi, such as 100Mi'],
    ['cpu', '500u', '500u is less than a thousandth of a core; write an amount such as 250m or 2'],
    ['memory', '-5', "'-5' is negative; memory must be 0 or greater"],
  ])('%s %j is refused', (resource, given, message) => {
    expect(parseSensibleAmount(resource, given)).toMatchObject({ ok: false, message });
  });
});
