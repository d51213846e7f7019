import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatCpu, formatMemory, formatQuantity, parseCount, parseCpuMillicores, parseMemoryBytes, parseQuantity } from './quantity.ts';

function canonical(text: string): string {
  const quantity = parseQuantity(text);
  if (!quantity.ok) throw new Error(quantity.message);
  return formatQuantity(quantity.value);
}

describe('quantities', () => {
  // Expected forms: k8s.io/apimachinery/pkg/api/resource, TestQuantityParse and TestQuantityString.
  test.each([
    ['0', '0'],
    ['0n', '0'],
    ['100m', '100m'],
    ['1000m', '1'],
    ['0.1', '100m'],
    ['.5', '500m'],
    ['5.', '5'],
    ['1.5', '1500m'],
    ['1Ki', '1Ki'],
    ['1024Ki', '1Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Mi', '512Ki'],
    ['512Ki', '512Ki'],
    ['1.5Ki', '1536'],
    ['0.5Ki', '512'],
    ['0.1Ki', '102400m'],
    ['1000Ki', '1000Ki'],
    ['1000k', '1M'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['12e2', '1200'],
    ['1E', '1E'],
    ['100e-3', '100e-3'],
    ['0.0000000001', '1n'],
    ['-1500m', '-1500m'],
    ['+5Mi', '5Mi'],
    ['0.1Mi', '104857600m'],
    ['1.0001Ki', '1024102400u'],
    ['-0.1Mi', '-104857600m'],
    ['8Ei', '9223372036854775807'],
    ['-8Ei', '-9223372036854775807'],
    ['9223372036854775808', '9223372036854775808'],
    ['1000E', '1e21'],
    ['1e500', '100e498'],
    ['1e-500', '1e-9'],
  ])('%s has the canonical form %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  test.each([
    '',
    ' ',
    '1 ',
    'm',
    '1mm',
    '1KI',
    '1ki',
    '1K',
    '--1',
    '1..2',
    '0x10',
    '1e',
    '1ee3',
    '1_000',
    'NaN',
    '1Mi1',
    '٣',
    'a'.repeat(1000),
  ])('refuses %j and describes the format', (text) => {
    const outcome = parseQuantity(text);
    expect(outcome).toEqual({ ok: false, message: expect.stringContaining('write a number') });
  });

  test('the canonical form parses to the same amount and is stable', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        fc.integer({ min: 0, max: 999 }),
        fc.constantFrom('n', 'u', 'm', '', 'k', 'M', 'G', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Ei', 'e3', 'e-2', 'E6', 'e30'),
        (whole, fraction, suffix) => {
          const text = `${whole}.${fraction}${suffix}`;
          const first = parseQuantity(text);
          if (!first.ok) return false;
          const reparsed = parseQuantity(formatQuantity(first.value));
          if (!reparsed.ok) return false;
          return reparsed.value.nano === first.value.nano && formatQuantity(reparsed.value) === formatQuantity(first.value);
        },
      ),
    );
  });
});

describe('CPU and memory', () => {
  test.each([
    ['250m', 250],
    ['2', 2000],
    ['0.1', 100],
    ['1u', 1],
    ['1500001u', 1501],
    ['1e-1', 100],
    ['0', 0],
  ])('%s of CPU is %d millicores, rounded up', (text, millicores) => {
    expect(parseCpuMillicores(text)).toEqual({ ok: true, value: millicores });
  });

  test.each([
    ['128Mi', 134217728],
    ['1G', 1000000000],
    ['1500m', 2],
    ['1.5Gi', 1610612736],
    ['0', 0],
  ])('%s of memory is %d bytes, rounded up', (text, bytes) => {
    expect(parseMemoryBytes(text)).toEqual({ ok: true, value: bytes });
  });

  test.each(['8Ei', '123456789012Mi', '9007199254740993', '1e30'])('%s is capped at the largest safe integer', (text) => {
    const max = { ok: true, value: Number.MAX_SAFE_INTEGER };
    expect([parseMemoryBytes(text), parseCpuMillicores(text), parseCount(text)]).toEqual([max, max, max]);
  });

  test.each([
    ['110', 110],
    ['1k', 1000],
    ['1Ki', 1024],
    ['2e3', 2000],
    ['1500m', 2],
  ])('a count of %s is %d, rounded up', (text, count) => {
    expect(parseCount(text)).toEqual({ ok: true, value: count });
  });

  test('YAML numbers are accepted', () => {
    expect(parseCpuMillicores(2)).toEqual({ ok: true, value: 2000 });
    expect(parseCpuMillicores(0.5)).toEqual({ ok: true, value: 500 });
  });

  test('negative amounts are refused', () => {
    expect(parseCpuMillicores('-1')).toEqual({ ok: false, message: "'-1' is negative; CPU must be 0 or greater" });
  });

  test('a formatted amount parses to the same value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (value) => {
        expect(parseCpuMillicores(formatCpu(value))).toEqual({ ok: true, value });
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (value) => {
        expect(parseMemoryBytes(formatMemory(value))).toEqual({ ok: true, value });
      }),
    );
    expect([formatCpu(250), formatCpu(2000), formatMemory(134217728), formatMemory(1610612736), formatMemory(1000)]).toEqual([
      '250m',
      '2',
      '128Mi',
      '1536Mi',
      '1000',
    ]);
  });

  test('the fast path and the exact path agree', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (value) => {
        expect(parseMemoryBytes(`${value}Mi`)).toEqual(parseMemoryBytes(`+${value}Mi`));
        expect(parseCpuMillicores(`${value}m`)).toEqual(parseCpuMillicores(`+${value}m`));
      }),
    );
  });
});
