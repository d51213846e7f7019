import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { MiB } from '../model/units.ts';
import { DEFAULT_RECOMMENDER_RULES } from './advice.ts';
import { CHECKPOINT_VERSION, ContainerModel } from './container-model.ts';
import { Recommender } from './recommender.ts';

// 60 hours of 5-minute samples, written by version 1: CPU 200m for two hours and 300m for the third, memory 100 and 120 MiB by turns.
const WRITTEN_BY_VERSION_1 = [
  'H4sIAAAAAAACA2NkYMi783dPhRMDw4SJp/eCaBD4UQ+mGtocGPCAvnmhjmBl5pfxqkMACQYFRgXGCjTRW3Mh5jAwzAPTd+eimzsPKv/BHkxlXJZxtIHpPlDkgCToZu5m3m',
  'lJf5IaZjAMU0BOaOQwCDIwMjCWxDEysGfEMjJwBKYxMrBrJzMycKRnMzKwH0tnZOBgzWNkYLfJYmTgMM9nZGCPBUkEMDIyMM/wvOd3Muh7+C+fmIDioJqQ7WEakboxEF5D',
  'yL4ww0gTEnijBlJu4AHP+z53/TQDi4Pfhd6KXON7OuBk0OMQrvCcyOQY2vMYGZj8ldK8mwISQuwiUDjPvdn8WQLVgoNCd4Zvi8KtjpGBD9ULjAyMH11X+Cz1jwj6Ffoocl',
  'bwo8BEf36/Om9fc0YGRntfMy9OZ0a7Amt7dUYGRiHfO57ljj8tM8zNlUnljppMH5NrgyQCrf3/+MZ6MzIwrfPh8dS1fmbpbk5bDmPoi+DOIBhE5S0I/hfkHuQQZBakEqQS',
  'hE/l10jcEMVb8oG7/Hh8N3oJOzEyMJldPp7CvQpUe/7DARjg6D89wT9cDhp1Me1djNG+gjW+IIJHGk40DlU8XNtX5IRFFSMnqH31HFTTX49jZGDZnsLIwGyUysjAciaTkY',
  'H5ayYjA0tWDiMDc0UOIwPLnFxGBub5IIKLcdk07hkaMx/O+jL304KTi1mmZ8wUnp02d8d8q0XHluDjDXd9TtN2TX80Y9WsK3NvL9ix2Gna0xnrZsnNbZ4vtGj5EtrzzmVJ',
  'TPw+5eqMr7O/z7u4EJWXPIV1+vkZ9rNXzLVccGERPpWMDHyo3vgx+cvUrOmrZ12Ze2fBzsX1055PWTlJroqRgZmxMbNep3ZBCk7mUFNbPu32lOmTGBlYPBrj6qVqKWe8mY',
  'MbrpyzdM6iObOhEJ/KQ4txQ7iTnaeUTuzqZmRg6SjJXCluv9ARd32DAHStb3C6Z9TFtHcxAITNlj3mEQAA',
].join('');
const NOW = 1700215231000;
const checkpoint = (): Uint8Array => new Uint8Array(gunzipSync(Buffer.from(WRITTEN_BY_VERSION_1, 'base64')));

describe('a checkpoint of version 1', () => {
  test('is read: what was learnt is kept, and said of the same container', () => {
    const model = ContainerModel.restore(checkpoint());
    const advice = model?.advise('app', NOW, DEFAULT_RECOMMENDER_RULES);
    expect(advice).toMatchObject({ samples: 720, enoughHistory: true, coverage: 1 });
    expect(advice?.cpu?.peak).toBeCloseTo(300, -1);
    expect(advice?.cpu?.target).toBeGreaterThanOrEqual(200);
    expect(advice?.cpu?.target).toBeLessThanOrEqual(350);
    expect(advice?.memory?.target).toBeGreaterThanOrEqual(120 * MiB);
    expect(advice?.memory?.target).toBeLessThanOrEqual(140 * MiB);
    expect(advice?.confidence).toBeGreaterThan(0.2);
  });

  test('gives calm advice, too, and goes on learning as the newest version', () => {
    const model = ContainerModel.restore(checkpoint());
    const calm = { ...DEFAULT_RECOMMENDER_RULES, calm: true };
    expect(model?.advise('app', NOW, calm)?.cpu?.target).toBeGreaterThanOrEqual(200);
    for (let slot = 0; slot < 24; slot++)
      model?.observe('p', { at: NOW + (slot + 1) * 300_000, cpuMillicores: 250, memoryBytes: 100 * MiB });
    const again = model?.checkpoint();
    expect(again?.[0]).toBe(CHECKPOINT_VERSION);
    expect(ContainerModel.restore(again ?? new Uint8Array())?.samples).toBe(744);
  });

  test('cut, or of a version to come, it is refused and changes nothing', () => {
    const recommender = new Recommender();
    const key = 'shop/Deployment/web/app';
    const future = checkpoint();
    future[0] = CHECKPOINT_VERSION + 1;
    expect(recommender.restore({ key, version: 1, data: checkpoint().subarray(0, 900) })).toBe(false);
    expect(recommender.restore({ key, version: CHECKPOINT_VERSION + 1, data: future })).toBe(false);
    expect([...recommender.workloads()]).toEqual([]);
    expect(recommender.restore({ key, version: 1, data: checkpoint() })).toBe(true);
  });
});
