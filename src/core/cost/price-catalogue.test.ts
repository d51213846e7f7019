import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GiB } from '#kube/units';
import { MACHINE_PRICES } from '#kube/machines/machine-prices';
import { NO_STATED_PRICES, PriceCatalogue, type Offering, type StatedMachine } from './price-catalogue.ts';

const SIZE = { cpuMillicores: 4000, memoryBytes: 16 * GiB };

function offering(machineType: string | null, changes: Partial<Offering> = {}): Offering {
  return { machineType, capacityType: 'on-demand', region: 'us-central1', zone: 'us-central1-a', ...changes };
}

function machine(changes: Partial<StatedMachine>): StatedMachine {
  return { onDemand: null, spot: null, ...changes };
}

describe('the price of a machine', () => {
  test.each([
    ['e2-standard-4', 'on-demand', 0.134023],
    ['e2-standard-4', 'spot', 0.080424],
  ] as const)('%s %s is that of the default list', (machineType, capacityType, perHourUsd) => {
    const price = new PriceCatalogue().priceOf(offering(machineType, { capacityType }), null);
    expect(price).toEqual({ perHourUsd, source: 'list price, us-central1, 2026-08-06', estimate: false });
  });

  test('of no list is unknown while its size is', () => {
    const catalogue = new PriceCatalogue();
    expect(catalogue.priceOf(offering('m7g.xlarge'), null)).toBeNull();
    expect(catalogue.priceOf(offering('toString'), null)).toBeNull();
    expect(catalogue.priceOf(offering(null), null)).toBeNull();
    expect(catalogue.priceOf(offering('m7g.xlarge'), SIZE)).toMatchObject({ estimate: true });
  });

  test('is that of the file for the zone, then the region, then everywhere', () => {
    const catalogue = new PriceCatalogue({
      ...NO_STATED_PRICES,
      machines: new Map([['m7g.xlarge', machine({ onDemand: 0.3, spot: 0.1 })]]),
      zones: new Map([
        ['eu-west-1', new Map([['m7g.xlarge', machine({ onDemand: 0.2 })]])],
        ['eu-west-1a', new Map([['m7g.xlarge', machine({ onDemand: 0.1 })]])],
      ]),
    });
    const priceIn = (region: string | null, zone: string | null) => catalogue.priceOf(offering('m7g.xlarge', { region, zone }), SIZE);
    expect(priceIn('eu-west-1', 'eu-west-1a')).toEqual({ perHourUsd: 0.1, source: 'prices.file, eu-west-1a', estimate: false });
    expect(priceIn('eu-west-1', 'eu-west-1b')).toEqual({ perHourUsd: 0.2, source: 'prices.file, eu-west-1', estimate: false });
    expect(priceIn('us-east-1', null)).toEqual({ perHourUsd: 0.3, source: 'prices.file', estimate: false });
    expect(priceIn(null, null)?.perHourUsd).toBe(0.3);
    // The zone states no spot price.
    expect(catalogue.priceOf(offering('m7g.xlarge', { zone: 'eu-west-1a', capacityType: 'spot' }), SIZE)?.perHourUsd).toBe(0.1);
  });

  test('of a discount is that of the machine type, its family, or all', () => {
    const catalogue = new PriceCatalogue({
      ...NO_STATED_PRICES,
      discounts: new Map([
        ['*', 0.9],
        ['n2', 0.8],
        ['n2-standard-4', 0.7],
      ]),
    });
    const paid = (machineType: string) =>
      (catalogue.priceOf(offering(machineType), null)?.perHourUsd ?? 0) / (MACHINE_PRICES[machineType]?.[2] ?? 1);
    expect(paid('n2-standard-4')).toBeCloseTo(0.7, 9);
    expect(paid('n2-standard-8')).toBeCloseTo(0.8, 9);
    expect(paid('e2-standard-4')).toBeCloseTo(0.9, 9);
    expect(catalogue.priceOf(offering('n2-standard-4'), null)?.source).toBe(
      'list price, us-central1, 2026-08-06, times 0.7 of prices.file',
    );
  });

  test('of the file and of spot capacity has no discount: it is what is paid', () => {
    const catalogue = new PriceCatalogue({
      ...NO_STATED_PRICES,
      machines: new Map([['e2-standard-4', machine({ onDemand: 0.12 })]]),
      discounts: new Map([['*', 0.5]]),
    });
    expect(catalogue.priceOf(offering('e2-standard-4'), null)?.perHourUsd).toBe(0.12);
    expect(catalogue.priceOf(offering('e2-standard-4', { capacityType: 'spot' }), null)?.perHourUsd).toBe(0.080424);
  });

  test('by rates is that of the size, of a spot machine without a listed price too', () => {
    const catalogue = new PriceCatalogue({ ...NO_STATED_PRICES, rates: { perCoreHour: 0.02, perGiBHour: 0.005, spotRatio: 0.5 } });
    const price = { source: 'rates of prices.file', estimate: true };
    expect(catalogue.priceOf(offering('mine'), SIZE)).toEqual({ perHourUsd: 0.16, ...price });
    expect(catalogue.priceOf(offering('mine', { capacityType: 'spot' }), SIZE)).toEqual({ perHourUsd: 0.08, ...price });
  });

  test('of every listed type is known without a node, on demand', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(MACHINE_PRICES)), (machineType) => {
        const catalogue = new PriceCatalogue();
        expect(catalogue.priceOf(offering(machineType), null)?.perHourUsd).toBeGreaterThan(0);
      }),
    );
  });

  test('of a stated size is estimated without a node', () => {
    const sizes = new Map([['mine', { vcpu: 4, memoryGib: 16, gpus: 0 }]]);
    const catalogue = new PriceCatalogue({ ...NO_STATED_PRICES, sizes, rates: { perCoreHour: 0.02, perGiBHour: 0.005, spotRatio: 1 } });
    expect(catalogue.priceOf(offering('mine'), null)).toEqual({ perHourUsd: 0.16, source: 'rates of prices.file', estimate: true });
  });
});

describe('the size of a machine', () => {
  test('is that of the default list, with GPUs', () => {
    const catalogue = new PriceCatalogue();
    expect(catalogue.sizeOf('n1-standard-1')).toEqual({ vcpu: 1, memoryGib: 3.75, gpus: 0 });
    expect(catalogue.sizeOf('a2-highgpu-4g')).toEqual({ vcpu: 48, memoryGib: 340, gpus: 4 });
    expect([catalogue.sizeOf('m7g.xlarge'), catalogue.sizeOf('toString')]).toEqual([null, null]);
  });

  test('is that of the file where it states one', () => {
    const sizes = new Map([
      ['e2-standard-4', { vcpu: 3, memoryGib: 12, gpus: 0 }],
      ['m7g.xlarge', { vcpu: 4, memoryGib: 16, gpus: 0 }],
    ]);
    const catalogue = new PriceCatalogue({ ...NO_STATED_PRICES, sizes });
    expect(catalogue.sizeOf('e2-standard-4')).toEqual({ vcpu: 3, memoryGib: 12, gpus: 0 });
    expect(catalogue.sizeOf('m7g.xlarge')).toEqual({ vcpu: 4, memoryGib: 16, gpus: 0 });
    expect(catalogue.sizeOf('e2-standard-8')).toEqual({ vcpu: 8, memoryGib: 32, gpus: 0 });
  });

  test('of every listed type is known', () => {
    const catalogue = new PriceCatalogue();
    for (const machineType of Object.keys(MACHINE_PRICES)) {
      const size = catalogue.sizeOf(machineType);
      expect([machineType, Math.min(size!.vcpu, size!.memoryGib) > 0]).toEqual([machineType, true]);
    }
  });
});
