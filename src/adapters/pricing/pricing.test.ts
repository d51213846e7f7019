import { describe, expect, test } from '@jest/globals';
import { GiB } from '#kube/units';
import { DefaultPriceSource } from './default-price-source.ts';
import { parsePriceFile } from './price-file.ts';

const node = (machineType: string | null, capacityType: 'spot' | 'on-demand' = 'on-demand') => ({
  machineType,
  capacityType,
  region: 'us-central1',
  zone: 'us-central1-a',
  labels: {},
  capacity: { cpuMillicores: 4000, memoryBytes: 16 * GiB },
});

function sourceFrom(text: string): DefaultPriceSource {
  const result = parsePriceFile(text, 'prices.yaml');
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return new DefaultPriceSource(result.prices);
}

describe('prices', () => {
  test('come from the default list with its date', () => {
    expect(new DefaultPriceSource().priceOf(node('e2-standard-4'))).toMatchObject({
      perHourUsd: 0.134023,
      source: 'list price, us-central1, 2026-08-06',
      estimate: false,
    });
  });

  test('of unknown machines are estimated and marked as estimates', () => {
    expect(new DefaultPriceSource().priceOf(node('kwok'))).toMatchObject({ source: 'estimate from vCPU and memory', estimate: true });
  });

  test('of the administrator override the list where set', () => {
    const source = sourceFrom('machines:\n  e2-standard-4: { onDemand: 0.1 }\n  mine: { onDemand: 0.5, spot: 0.2 }\n');
    expect(source.priceOf(node('e2-standard-4'))).toMatchObject({ perHourUsd: 0.1, source: 'prices.file' });
    expect(source.priceOf(node('e2-standard-4', 'spot')).perHourUsd).toBe(0.080424);
    expect(source.priceOf(node('mine', 'spot')).perHourUsd).toBe(0.2);
  });

  test('fall back on rates, split by the configured ratio', () => {
    const price = sourceFrom('rates: { perCoreHour: 0.02, perGiBHour: 0.005, spotRatio: 0.5 }\ncpuToMemory: 4\n').priceOf(
      node('kwok', 'spot'),
    );
    expect(price.perHourUsd).toBeCloseTo(0.08, 9);
    expect(price.perCoreHourUsd / price.perGiBHourUsd).toBeCloseTo(4, 9);
    expect(4 * price.perCoreHourUsd + 16 * price.perGiBHourUsd).toBeCloseTo(price.perHourUsd, 9);
  });

  test('differ by zone, and have discounts', () => {
    const source = sourceFrom('zones: { us-central1: { mine: { onDemand: 0.4 } } }\ndiscounts: { e2: 0.5 }\n');
    expect(source.priceOf(node('mine'))).toMatchObject({ perHourUsd: 0.4, source: 'prices.file, us-central1', estimate: false });
    expect(source.priceOf(node('e2-standard-4')).perHourUsd).toBeCloseTo(0.0670115, 9);
  });

  test('state sizes of machine types, with or without a price', () => {
    const result = parsePriceFile(
      'machines: { m7g.xlarge: { onDemand: 0.2, vcpu: 4, memoryGiB: 16 }, g5.xlarge: { vcpu: 4, memoryGiB: 16, gpu: 1 } }',
      'prices.yaml',
    );
    expect(result.ok && [...result.prices.sizes]).toEqual([
      ['m7g.xlarge', { vcpu: 4, memoryGib: 16, gpus: 0 }],
      ['g5.xlarge', { vcpu: 4, memoryGib: 16, gpus: 1 }],
    ]);
  });

  test('are unchanged by an empty file', () => {
    expect(sourceFrom('').priceOf(node('e2-standard-4')).perHourUsd).toBe(0.134023);
  });
});

describe('a wrong prices file', () => {
  test.each([
    ['machines: { e2-standard-4: { onDemand: -1 } }', 'prices.yaml: machines.e2-standard-4.onDemand must be a number of 0 or more, not -1'],
    ['machines: { a: { ondemand: 1 } }', 'prices.yaml: machines.a.ondemand is unknown; use one of onDemand, spot, vcpu, memoryGiB, gpu'],
    ['machines: { a: { onDemand: } }', 'prices.yaml: machines.a has no price; set onDemand, spot or both'],
    ['rates: { perCoreHour: , perGiBHour: 1 }', 'prices.yaml: rates needs both perCoreHour and perGiBHour'],
    [
      'discounts: { m7g: 0.5 }',
      'prices.yaml: discounts.m7g is no machine type or family of the default list, whose prices discounts lower; use one of them, or "*"',
    ],
    ['zones: { z: 1 }', 'prices.yaml: zones.z must be a mapping'],
    ['zones: { z: { a: {} } }', 'prices.yaml: zones.z.a has no price; set onDemand, spot or both'],
    ['discounts: { n2: 37 }', 'prices.yaml: discounts.n2 must be the part of the price that is paid, above 0 and at most 1, not 37'],
    ['discount: {}', 'prices.yaml: discount is unknown; use one of machines, zones, discounts, rates, cpuToMemory'],
    ['machines: { a: {} }', 'prices.yaml: machines.a has no price; set onDemand, spot or both'],
    ['machines: { a: { onDemand: 1, vcpu: 4 } }', 'prices.yaml: machines.a has a part of a size; set both vcpu and memoryGiB'],
    ['machines: { a: { onDemand: 1, gpu: 1 } }', 'prices.yaml: machines.a has a part of a size; set both vcpu and memoryGiB'],
    ['machines: { a: { vcpu: 0, memoryGiB: 16 } }', 'prices.yaml: machines.a.vcpu must be a number above 0 and at most 100000, not 0'],
    [
      'machines: { a: { vcpu: 4, memoryGiB: 16Gi } }',
      'prices.yaml: machines.a.memoryGiB must be a number above 0 and at most 100000, not "16Gi"',
    ],
    ['machines: { a: { vcpu: 4, memoryGiB: 16, gpu: 0.5 } }', 'prices.yaml: machines.a.gpu must be a whole number from 0 to 1000, not 0.5'],
    ['zones: { z: { a: { onDemand: 1, vcpu: 4 } } }', 'prices.yaml: zones.z.a.vcpu is unknown; use one of onDemand, spot'],
    ['machines: [1]', 'prices.yaml: machines must be a mapping'],
    ['rates: { perCoreHour: 1 }', 'prices.yaml: rates needs both perCoreHour and perGiBHour'],
    ['rates: { perCoreHour: 1, perGiBHour: 1, spotRatio: 2 }', 'prices.yaml: rates.spotRatio must be between 0 and 1'],
    ['cpuToMemory: lots', 'prices.yaml: cpuToMemory must be a number of 0 or more, not "lots"'],
    ['- 1', 'prices.yaml: the document must be a mapping'],
  ])('%s names path and remedy', (text, problem) => {
    const result = parsePriceFile(text, 'prices.yaml');
    expect(result.ok ? [] : result.problems).toContain(problem);
  });

  test('that is not YAML is reported', () => {
    const result = parsePriceFile('a: [', 'prices.yaml');
    expect(result.ok ? '' : result.problems[0]).toContain('prices.yaml: not valid YAML');
  });
});
