import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import type { UsageSeries } from '#kube/records/usage';
import { dealRecordings } from './deal-recordings.ts';
import { ProfileCurve } from './profile-curve.ts';
import { AS_RECORDED, parseRecording, RecordedCurve } from './recording.ts';
import { containerOfFile, type RecordingLibrary } from './recording-files.ts';
import { ArchiveUsageHistorySource, UsageArchive } from './usage-archive.ts';
import { parseUsageAnnotation } from './usage-annotation.ts';
import { UsagePlan } from './usage-plan.ts';
import { USAGE_PROFILE_KINDS, type UsageProfile, type UsageProfileKind } from './usage-profile.ts';

const MONDAY = Date.UTC(2026, 10, 2);
const aProfile = (kind: UsageProfileKind, over: Partial<UsageProfile> = {}): UsageProfile => ({
  kind,
  cpuMillicores: 100,
  memoryBytes: 200 * MiB,
  leakBytesPerHour: 0,
  memorySwing: 0.22,
  cacheShare: 0,
  startupCpuMillicores: null,
  startupMemoryBytes: null,
  startupSeconds: null,
  runSeconds: null,
  ...over,
});

describe('profiles', () => {
  test.each(USAGE_PROFILE_KINDS)('%s is a pure function of seed and time, and stays within its level', (kind) => {
    const curve = new ProfileCurve(aProfile(kind), 7, MONDAY);
    const again = new ProfileCurve(aProfile(kind), 7, MONDAY);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 35 * DAY_MS }), (after) => {
        const at = MONDAY + after;
        expect(again.cpuMillicores(at)).toBe(curve.cpuMillicores(at));
        expect(curve.cpuMillicores(at)).toBeGreaterThanOrEqual(0);
        expect(curve.cpuMillicores(at)).toBeLessThan(120);
        expect(curve.memoryBytes(at, HOUR_MS)).toBeGreaterThan(100 * MiB);
        expect(curve.memoryBytes(at, HOUR_MS)).toBeLessThan(215 * MiB);
      }),
    );
  });

  test('steps keeps a level for days and then changes it, and weekly-peak has two hours per week', () => {
    const hourly = (kind: UsageProfileKind): number[] =>
      Array.from({ length: 14 * 24 }, (_, hour) =>
        new ProfileCurve(aProfile(kind), 7, MONDAY).memoryBytes(MONDAY + hour * HOUR_MS, DAY_MS),
      );
    const moves = hourly('steps').map((bytes, hour, all) => Math.abs(bytes - (all[hour - 1] ?? bytes)) > 12 * MiB);
    expect(moves.filter(Boolean).length).toBeLessThanOrEqual(7);
    const cpu = Array.from({ length: 14 * 24 }, (_, hour) =>
      new ProfileCurve(aProfile('weekly-peak'), 7, MONDAY).cpuMillicores(MONDAY + (hour + 0.5) * HOUR_MS),
    );
    expect(cpu.filter((millicores) => millicores > 65).length).toBeGreaterThanOrEqual(2);
    expect(cpu.filter((millicores) => millicores > 65).length).toBeLessThanOrEqual(6);
  });

  test('memory varies with the load by memorySwing', () => {
    const night = MONDAY + 2 * HOUR_MS;
    const still = new ProfileCurve(aProfile('idle-nights', { memorySwing: 0 }), 7, MONDAY).memoryBytes(night, DAY_MS);
    const moving = new ProfileCurve(aProfile('idle-nights', { memorySwing: 0.8 }), 7, MONDAY).memoryBytes(night, DAY_MS);
    expect(still).toBeGreaterThan(190 * MiB);
    expect(moving).toBeLessThan(60 * MiB);
  });

  test('leak grows since the start of the container and starts again with it', () => {
    const curve = new ProfileCurve(aProfile('leak', { leakBytesPerHour: 10 * MiB }), 1, MONDAY);
    const fresh = curve.memoryBytes(MONDAY, 0);
    expect(curve.memoryBytes(MONDAY, 10 * HOUR_MS) - fresh).toBeCloseTo(100 * MiB);
  });

  test('idle nights are idle at night and on Sunday', () => {
    const curve = new ProfileCurve(aProfile('idle-nights'), 1, MONDAY);
    expect(curve.cpuMillicores(MONDAY + 3 * HOUR_MS)).toBeLessThan(5);
    expect(curve.cpuMillicores(MONDAY + 12 * HOUR_MS)).toBeGreaterThan(60);
    expect(curve.cpuMillicores(MONDAY - 12 * HOUR_MS)).toBeLessThan(5);
  });
});

describe('recordings', () => {
  test('drops and counts unusable rows', () => {
    const recording = parseRecording(
      'x.csv',
      't_s,cpu_m,mem_mib\n1000,10,100\n1300,NaN,90\n1600,-4,90\n1500,12,90\n1500,13,90\n1900,30,120\n',
    );
    expect(recording.dropped).toEqual({ notANumber: 1, negative: 1, unsorted: 1 });
    expect([...recording.offsetSeconds]).toEqual([0, 500, 900]);
    expect(recording.peakCpuMillicores).toBe(30);
    expect(recording.peakMemoryMib).toBe(120);
  });

  test.each([
    ['time,cpu\n1,2', /x\.csv:1: header .* must name t_s and cpu_m and\/or mem_mib/],
    ['t_s,cpu_m\n1,2\n3,lots', /x\.csv:3: "lots" is no number/],
    ['t_s,cpu_m\n1', /x\.csv:2: 1 values where the header names 2/],
    ['t_s,cpu_m\n1,NaN', /no usable row/],
  ])('reports file and line of errors', (text, message) => {
    expect(() => parseRecording('x.csv', text)).toThrow(message);
  });

  test('each row applies until the next, and the whole repeats', () => {
    const recording = parseRecording('x.csv', 't_s,cpu_m\n0,10\n300,20\n600,30\n');
    const fallback = new ProfileCurve(aProfile('steady'), 1, MONDAY);
    const curve = new RecordedCurve(recording, AS_RECORDED, fallback, MONDAY);
    const seconds = [0, 299, 300, 899, 900, 1200, 100];
    expect(seconds.map((second) => curve.cpuMillicores(MONDAY + second * 1000))).toEqual([10, 10, 20, 30, 10, 20, 10]);
    expect(curve.memoryBytes(MONDAY, 0)).toBe(fallback.memoryBytes(MONDAY, 0));
  });

  test('files that name a container are used unscaled, and then none is assigned', () => {
    const containers = [
      { namespace: 'shop', workload: 'cart', container: 'server' },
      { namespace: 'shop', workload: 'web', container: 'server' },
    ];
    expect(dealRecordings(['001.csv.gz', 'shop_web_server.csv.gz'], containers)).toEqual([
      { file: 'shop_web_server.csv.gz', container: containers[1], asRecorded: true },
    ]);
  });

  test('unnamed files are assigned to containers in order, and repeated when too few', () => {
    const of = (workload: string, container: string) => ({ namespace: 'b', workload, container });
    const first = { namespace: 'a', workload: 'z', container: 'c' };
    const dealt = dealRecordings(['2.csv', '1.csv'], [of('web', 'b'), of('web', 'a'), first]);
    expect(dealt.map(({ file, container }) => [file, container])).toEqual([
      ['1.csv', first],
      ['2.csv', of('web', 'a')],
      ['1.csv', of('web', 'b')],
    ]);
  });

  test.each([
    ['shop_web_server.csv.gz', { namespace: 'shop', workload: 'web', container: 'server' }],
    ['001.csv', undefined],
    ['a_b_c_d.csv', undefined],
  ])('%s names a container or not', (name, expected) => {
    expect(containerOfFile(name)).toEqual(expected);
  });

  test('an assigned recording peaks at 80 % of the request, else of the limit, else of 100m and 128Mi', () => {
    const library: RecordingLibrary = {
      names: ['1.csv'],
      load: () => parseRecording('1.csv', 't_s,cpu_m,mem_mib\n0,10,100\n300,40,400\n'),
    };
    const plan = new UsagePlan({ seed: 1, epoch: MONDAY, recordings: library });
    plan.deal([
      { namespace: 'shop', workload: 'web', container: 'big' },
      { namespace: 'shop', workload: 'web', container: 'unsized' },
    ]);
    const web = { namespace: 'shop', kind: 'Deployment', name: 'web' };
    const peakAt = MONDAY + 5 * MINUTE_MS;
    const big = plan.usageOf(web, { name: 'big', cpuMillicores: 500, memoryBytes: 256 * MiB }).curve;
    const unsized = plan.usageOf(web, { name: 'unsized', cpuMillicores: null, memoryBytes: null }).curve;
    expect(big.cpuMillicores(peakAt)).toBeCloseTo(400);
    expect(big.memoryBytes(peakAt, 0)).toBeCloseTo(0.8 * 256 * MiB);
    expect(unsized.cpuMillicores(peakAt)).toBeCloseTo(80);
    expect(unsized.memoryBytes(peakAt, 0)).toBeCloseTo(0.8 * 128 * MiB);
  });

  test('the demand of a container does not follow its later size', () => {
    const plan = new UsagePlan({ seed: 1, epoch: MONDAY });
    const web = { namespace: 'shop', kind: 'Deployment', name: 'web' };
    const before = plan.usageOf(web, { name: 'app', cpuMillicores: 500, memoryBytes: 256 * MiB });
    expect(plan.usageOf(web, { name: 'app', cpuMillicores: 50, memoryBytes: 64 * MiB })).toBe(before);
  });
});

describe('usage annotation', () => {
  test('sets profile and level by container', () => {
    expect(parseUsageAnnotation('{"app":{"profile":"leak","cpu":"0.12","memory":"200Mi","leakPerHour":"5Mi"}}')).toEqual({
      ok: true,
      byContainer: { app: { kind: 'leak', cpuMillicores: 120, memoryBytes: 200 * MiB, leakBytesPerHour: 5 * MiB } },
    });
  });

  test('names every problem with container and field', () => {
    const parsed = parseUsageAnnotation('{"app":{"profile":"wild","cpu":"fast","multiProcess":"yes","colour":"red"},"b":3}');
    expect(parsed.ok ? [] : parsed.problems).toEqual([
      expect.stringMatching(/app\.profile: must be one of steady/),
      expect.stringMatching(/app\.cpu: 'fast' is not a quantity/),
      expect.stringMatching(/app\.multiProcess: must be true or false/),
      expect.stringMatching(/app\.colour: unknown/),
      expect.stringMatching(/b: must be an object/),
    ]);
  });
});

describe('usage archive', () => {
  const ref = { namespace: 'shop', pod: 'web-1', container: 'app' };
  const workload = { namespace: 'shop', kind: 'Deployment', name: 'web' };
  async function collect(archive: UsageArchive, from: number, to: number, stepSeconds = 300) {
    const found: UsageSeries[] = [];
    const source = new ArchiveUsageHistorySource(archive);
    for await (const series of source.range({ from, to, stepSeconds }, new AbortController().signal)) found.push(series);
    return found;
  }

  test('keeps mean and highest CPU, highest memory and throttled share of 5 minutes', async () => {
    const archive = new UsageArchive();
    const series = archive.open('uid', ref, workload);
    for (let minute = 1; minute <= 10; minute++) {
      series.record(MONDAY + minute * MINUTE_MS, MINUTE_MS, minute * 10, minute * MiB, minute === 1 ? MINUTE_MS : 0);
    }
    series.recordOomKill(MONDAY + 7 * MINUTE_MS, 64 * MiB);
    const [found] = await collect(archive, MONDAY, MONDAY + 10 * MINUTE_MS);
    expect(found).toMatchObject({ ...ref, workload, stepSeconds: 300, oomKills: [{ memoryLimitBytes: 64 * MiB }] });
    expect(found?.samples).toEqual([
      expect.objectContaining({ at: MONDAY + 5 * MINUTE_MS, cpuMillicores: 30, cpuPeakMillicores: 50, memoryBytes: 5 * MiB }),
      expect.objectContaining({ at: MONDAY + 10 * MINUTE_MS, cpuMillicores: 80, cpuPeakMillicores: 100, throttledRatio: 0 }),
    ]);
    expect(found?.samples[0]?.throttledRatio).toBeCloseTo(0.2, 2);
  });

  test('has no throttled share for the time without a CPU limit', async () => {
    const archive = new UsageArchive();
    const series = archive.open('uid', ref, workload);
    for (let minute = 1; minute <= 15; minute++) {
      const throttledMs = minute <= 5 ? null : minute <= 8 ? 0 : minute === 9 ? MINUTE_MS : null;
      series.record(MONDAY + minute * MINUTE_MS, MINUTE_MS, 10, MiB, throttledMs);
    }
    const [found] = await collect(archive, MONDAY, MONDAY + 15 * MINUTE_MS);
    expect(found?.samples.map(({ throttledRatio }) => throttledRatio && Math.round(throttledRatio * 100) / 100)).toEqual([
      null,
      0.25,
      null,
    ]);
    const [hourly] = await collect(archive, MONDAY, MONDAY + 15 * MINUTE_MS, 900);
    expect(hourly?.samples[0]?.throttledRatio).toBeCloseTo(0.25, 2);
  });

  test('drops buckets older than 30 days and keeps gaps', async () => {
    const archive = new UsageArchive();
    const series = archive.open('uid', ref, workload);
    const recordAt = (at: number) => series.record(at, MINUTE_MS, 10, MiB, 0);
    for (let at = MONDAY + 5 * MINUTE_MS; at <= MONDAY + 31 * DAY_MS; at += 5 * MINUTE_MS) {
      if (at < MONDAY + 15 * DAY_MS || at >= MONDAY + 16 * DAY_MS) recordAt(at);
    }
    const [found] = await collect(archive, MONDAY, MONDAY + 31 * DAY_MS);
    expect(found?.samples[0]?.at).toBe(MONDAY + DAY_MS + 5 * MINUTE_MS);
    expect(found?.samples.length).toBe(29 * 288);
    archive.prune(MONDAY + 62 * DAY_MS);
    expect(archive.size).toBe(0);
  });

  test('computes longer steps from several buckets', async () => {
    const archive = new UsageArchive();
    const series = archive.open('uid', ref, workload);
    for (let five = 1; five <= 24; five++) series.record(MONDAY + five * 5 * MINUTE_MS, 5 * MINUTE_MS, five, five * MiB, 0);
    const [found] = await collect(archive, MONDAY, MONDAY + 2 * HOUR_MS, 3600);
    expect(found?.samples.map(({ at, cpuMillicores, memoryBytes }) => [at - MONDAY, cpuMillicores, memoryBytes])).toEqual([
      [HOUR_MS, 6.5, 12 * MiB],
      [2 * HOUR_MS, 18.5, 24 * MiB],
    ]);
  });
});
