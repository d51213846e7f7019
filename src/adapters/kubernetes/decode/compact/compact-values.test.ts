import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { packAddress, packNumber, packTime, unpackAddress, unpackTime } from './compact-values.ts';

test('a time is the same after packing, also with milliseconds', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 8.64e15 }), (at) => unpackTime(packTime(at)) === at));
  expect(unpackTime(packTime(null))).toBeNull();
});

test.each(['0', '1234567890', '9007199254740993', '007', '1e3', '', ' 5', '-3', 'opaque'])(
  'a resource version "%s" is the same after packing',
  (text) => {
    expect(String(packNumber(text))).toBe(text);
  },
);

test.each(['10.0.0.1', '255.255.255.255', '0.0.0.0', '10.0.0.256', '10.0.0.01', '2001:db8::1', '', 'n1'])(
  'an address "%s" is the same after packing',
  (text) => {
    expect(unpackAddress(packAddress(text))).toBe(text);
  },
);
