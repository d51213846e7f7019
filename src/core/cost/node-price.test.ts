import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GiB } from '#kube/units';
import { MACHINE_PRICES } from '#kube/machines/machine-prices';
import { estimateNodePrice, gibPerVcpuPriceOf, splitNodePrice } from './node-price.ts';

describe('a node price', () => {
  test('is split so that cores and GiB add up to it', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 50, noNaN: true }),
        fc.integer({ min: 1, max: 400_000 }),
        fc.integer({ min: 1, max: 8000 }),
        (price, cpu, gib) => {
          const split = splitNodePrice(price, { cpuMillicores: cpu, memoryBytes: gib * GiB }, 7.46);
          expect((cpu / 1000) * split.perCoreHourUsd + gib * split.perGiBHourUsd).toBeCloseTo(price, 9);
        },
      ),
    );
    expect(splitNodePrice(1, { cpuMillicores: 0, memoryBytes: 0 }, 7.46)).toEqual({ perCoreHourUsd: 0, perGiBHourUsd: 0 });
  });

  test('gives the same rates for every machine type of a family', () => {
    for (const family of ['e2', 'n2', 'c3', 'c2d']) {
      const rates = Object.entries(MACHINE_PRICES)
        .filter(([type]) => type.startsWith(`${family}-`) && !/medium|micro|small/.test(type))
        .map(([type, [vcpu, gib, onDemand]]) =>
          splitNodePrice(onDemand, { cpuMillicores: vcpu * 1000, memoryBytes: gib * GiB }, gibPerVcpuPriceOf(type)),
        );
      const [first] = rates;
      for (const rate of rates) expect(Math.abs(rate.perCoreHourUsd / (first?.perCoreHourUsd ?? 0) - 1)).toBeLessThan(0.002);
    }
  });

  test('of a family without a known proportion is split by the usual one, whatever its name', () => {
    expect([gibPerVcpuPriceOf('constructor-4'), gibPerVcpuPriceOf('m7g.xlarge'), gibPerVcpuPriceOf(null)]).toEqual([7.46, 7.46, 7.46]);
  });

  test('is estimated from the size within the range of the families', () => {
    const size = { cpuMillicores: 4000, memoryBytes: 16 * GiB };
    expect(estimateNodePrice(size, 'on-demand')).toBeGreaterThan(0.1);
    expect(estimateNodePrice(size, 'on-demand')).toBeLessThan(0.25);
    expect(estimateNodePrice(size, 'spot')).toBeLessThan(estimateNodePrice(size, 'on-demand'));
  });
});
