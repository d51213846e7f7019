import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FakePrometheus, labelsOf, rangeOf } from '../../../test/fakes/fake-prometheus.ts';
import { serveSeries } from '../../../test/fakes/labelled-prometheus.ts';
import { score } from '../../core/backtest/score.ts';
import { traceOf } from '../../core/backtest/time-grid.ts';
import { backtestCommand } from './command.ts';
import type { BacktestSummary } from './report/summary.ts';

const MIB = 1024 * 1024;
const START = 1_700_000_100;
const DAYS = 4;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-backtest-'));
  mkdirSync(join(folder, 'usage/shop'), { recursive: true });
  writeFileSync(join(folder, 'usage/shop/cart.csv'), csv());
  writeFileSync(join(folder, 'usage/web.csv.gz'), gzipSync(csv(60)));
  writeFileSync(join(folder, 'usage/notes.txt'), 'no recording');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A daily wave with an hourly burst and a gap of an hour. */
function rows(step = 300): { seconds: number[]; cpu: number[]; memory: number[] } {
  const out = { seconds: [] as number[], cpu: [] as number[], memory: [] as number[] };
  for (let second = 0; second < DAYS * 86_400; second += step) {
    if (second >= 2.5 * 86_400 && second < 2.5 * 86_400 + 3600) continue;
    const wave = 1.5 + Math.sin((second / 86_400) * 2 * Math.PI);
    out.seconds.push(START + second);
    out.cpu.push(Math.round(100 * wave * (second % 7500 < 600 ? 3 : 1)));
    out.memory.push(Math.round(300 * wave));
  }
  return out;
}

function csv(step?: number): string {
  const { seconds, cpu, memory } = rows(step);
  return ['cpu_m,extra,t_s,mem_mib', ...seconds.map((second, row) => `${cpu[row]},x,${second},${memory[row]}`), ''].join('\n');
}

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const spoken = { out: '', err: '' };
  const code = await backtestCommand.run(args, {
    out: (line) => (spoken.out += `${line}\n`),
    err: (line) => (spoken.err += `${line}\n`),
    environment: {},
    interrupted: new AbortController().signal,
  });
  return { code, ...spoken };
}

describe('evenkeel backtest', () => {
  test('replays a folder and prints each resource, overall and by workload, compared with the others', async () => {
    const { code, out, err } = await run(join(folder, 'usage'), '--jobs', '1');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const text of ['CPU: 2 workloads', 'Memory: 2 workloads', 'VPA + updater', 'KRR simple, daily', 'clairvoyant, hour max']) {
      expect(out).toContain(text);
    }
    expect(out).toMatch(/^Evenkeel against VPA( +[-+]?[\d-]+( %)?){9}$/m);
    expect(out).toMatch(/^shop\/cart +/m);
    expect(out).toMatch(/^web +/m);
  });

  test('--json: one document with stable fields', async () => {
    const { out } = await run(join(folder, 'usage/shop/cart.csv'), join(folder, 'absent.csv'), '--json', '--pace', 'hourly');
    const document = JSON.parse(out) as BacktestSummary;
    const figures = [
      'slack',
      'sparePerUsed',
      'overrun',
      'worstDecileOverrun',
      'unserved',
      'episodesPerWeek',
      'changesPerDay',
      'costJ',
      'refusedOverrun',
    ];
    const methods = ['evenkeel', 'evenkeelGated', 'vpa', 'vpaInPlace', 'krr', 'clairvoyantDay', 'clairvoyantDayP99', 'clairvoyantHour'];
    expect(Object.keys(document)).toEqual(['setting', 'overall', 'workloads', 'problems']);
    expect(document.setting).toEqual({ goal: 'Balanced', pace: 'Hourly' });
    expect(document.problems).toEqual([{ source: join(folder, 'absent.csv'), line: null, problem: expect.any(String) }]);
    expect(Object.keys(document.workloads[0] ?? {})).toEqual(['name', 'source', 'days', 'warmUpDays', 'resources']);
    for (const resource of ['cpu', 'memory'] as const) {
      const overall = document.overall[resource];
      expect(Object.keys(overall ?? {})).toEqual(['workloads', 'scoredDays', 'methods', 'againstVpa']);
      expect(Object.keys(overall?.againstVpa ?? {})).toEqual(figures);
      for (const scored of [overall, document.workloads[0]?.resources[resource]]) {
        expect(Object.keys(scored?.methods ?? {})).toEqual(methods);
        expect(Object.keys(scored?.methods.krr ?? {})).toEqual(figures);
        expect(scored?.scoredDays).toBeGreaterThan(1);
      }
    }
  });

  test('--emit: scoring the written requests against the input gives the printed values', async () => {
    const emitted = join(folder, 'out');
    const { out } = await run(join(folder, 'usage'), '--emit', emitted, '--json', '--goal', 'safe', '--warm-up', '2');
    const summary = JSON.parse(out) as BacktestSummary;
    expect(summary.setting).toMatchObject({ goal: 'Safe', pace: 'Daily' });
    expect(readdirSync(emitted).sort()).toEqual(['shop', 'web.csv']);
    const [header, ...changes] = readFileSync(join(emitted, 'shop/cart.csv'), 'utf8').trim().split('\n');
    expect(header).toBe('t_s,cpu_m,mem_mib');
    const parsed = changes.map((line) => line.split(',').map(Number));
    const { seconds, cpu, memory } = rows();
    const trace = traceOf('cart', { seconds, cpuMillicores: cpu, memoryBytes: memory.map((mib) => mib * MIB) });
    const inForce = (slot: number, column: number) =>
      parsed.filter(([second = 0]) => second <= (trace.firstSlot + slot) * 300).at(-1)?.[column] ?? NaN;
    for (const [resource, column, unit] of [['cpu', 1, 1] as const, ['memory', 2, MIB] as const]) {
      const values = trace[resource] ?? new Float64Array();
      const requests = Float64Array.from(values, (_, slot) => inForce(slot, column) * unit);
      const scored = score(values, requests, 2 * 288, resource);
      const printed = summary.workloads.find(({ name }) => name === 'shop/cart')?.resources[resource]?.methods.evenkeel;
      for (const figure of ['slack', 'overrun', 'costJ', 'changesPerDay', 'episodesPerWeek'] as const) {
        expect({ resource, figure, value: scored?.[figure] }).toEqual({ resource, figure, value: printed?.[figure] });
      }
    }
  });

  test('--resource omits the other resource from tables and files', async () => {
    const emitted = join(folder, 'cpu-alone');
    const { out } = await run(join(folder, 'usage/shop/cart.csv'), '--resource', 'cpu', '--emit', emitted);
    expect(out).not.toContain('Memory');
    expect(readFileSync(join(emitted, 'cart.csv'), 'utf8').split('\n')[1]).toMatch(/^\d+,\d+,$/);
  });

  test('pace Daily changes less often than Hourly', async () => {
    const changes = async (...args: string[]) => {
      const { out } = await run(join(folder, 'usage/shop'), '--json', '--resource', 'cpu', ...args);
      return (JSON.parse(out) as BacktestSummary).overall.cpu?.methods.evenkeel.changesPerDay ?? NaN;
    };
    expect(await changes()).toBeLessThan(await changes('--pace', 'hourly'));
  });

  test('requests of three replicas follow the one with the highest usage', async () => {
    const replicas = join(folder, 'replicas.csv');
    const { seconds } = rows();
    const of = (pod: string, cpu: number) => seconds.map((second) => `${second},${pod},${cpu}`);
    writeFileSync(replicas, ['t_s,pod,cpu_m', ...of('web-0', 50), ...of('web-1', 800), ...of('web-2', 60)].join('\n'));
    const emitted = join(folder, 'of-replicas');
    const { code, err } = await run(replicas, '--emit', emitted);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const changes = readFileSync(join(emitted, 'replicas.csv'), 'utf8').trim().split('\n').slice(1);
    for (const change of changes) expect(Number(change.split(',')[1])).toBeGreaterThanOrEqual(800);
    expect(changes.length).toBeGreaterThan(0);
  });

  test('an invalid file is reported with line and remedy, and does not stop the others', async () => {
    const bad = join(folder, 'bad.csv');
    writeFileSync(bad, 't_s,cpu_m\n0,1\n300,-4\n');
    const short = join(folder, 'short.csv');
    writeFileSync(short, 't_s,cpu_m\n0,1\n');
    const broken = join(folder, 'broken.csv.gz');
    writeFileSync(broken, gzipSync(csv()).subarray(0, 500));
    const { code, out, err } = await run(bad, short, broken, join(folder, 'absent.csv'), join(folder, 'usage/web.csv.gz'));
    expect(code).toBe(1);
    expect(err).toContain(`${bad}:3: cpu_m -4 is not a usage; it must be 0 or more`);
    expect(err).toMatch(/short\.csv: no CPU usage to score.*record longer/);
    expect(err).toMatch(/broken\.csv\.gz: cannot be read: unexpected end of file/);
    expect(err).toMatch(/absent\.csv: no such file or folder; check the path/);
    expect(out).toContain('CPU: 1 workload,');
  });

  test.each([
    [[], /nothing to replay: give CSV files/],
    [['x.csv', '--goal', 'cheap'], /--goal: "cheap" must be savings, balanced or safe/],
    [['x.csv', '--resource', 'disk'], /must be cpu or memory/],
    [['x.csv', '--warm-up', '-1'], /must be a number of days/],
    [['x.csv', '--fast'], /unknown option/],
    [['x.csv', '--report', 'report.pdf'], /must end in .md or .html/],
    [['x.csv', '--namespace', 'shop'], /--namespace requires --prometheus URL/],
    [['--prometheus', 'http://x', '--days', '100'], /must be a whole number from 1 to 90/],
    [
      ['--prometheus', 'http://x', '--matchers', 'prod-eu'],
      /the matchers for --prometheus must be label matchers such as cluster="prod-eu"/,
    ],
    [['--prometheus', 'localhost'], /--prometheus is not a URL/],
    [['--prometheus', 'http://x', '--token-file', '/absent/token'], /reading the token for --prometheus from \/absent\/token failed/],
  ])('%j is a usage error: exit code 2', async (args, message) => {
    const { code, err } = await run(...args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) });
  });

  test('output that would overwrite an input or another output is rejected', async () => {
    const over = await run(join(folder, 'usage'), '--emit', join(folder, 'usage'));
    expect(over).toMatchObject({ code: 2, err: expect.stringMatching(/is an input and would be overwritten/) });
    mkdirSync(join(folder, 'twin'), { recursive: true });
    writeFileSync(join(folder, 'twin/cart.csv'), csv());
    const twins = await run(join(folder, 'twin'), join(folder, 'usage/shop'), '--emit', join(folder, 'twins'));
    expect(twins).toMatchObject({ code: 2, err: expect.stringMatching(/would both be written as cart.csv/) });
  });

  test('an input is not overwritten through another path', async () => {
    const inside = join(folder, 'inside');
    mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, 'cart.csv'), csv());
    symlinkSync(inside, join(folder, 'link'));
    const { code, err } = await run(join(inside, 'cart.csv'), '--emit', join(folder, 'link'));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/link\/cart\.csv is an input and would be overwritten/) });
    expect(readFileSync(join(inside, 'cart.csv'), 'utf8')).toBe(csv());
  });

  test('a file given twice, by any path, is one recording', async () => {
    const { out } = await run(join(folder, 'usage/shop/cart.csv'), join(folder, 'usage/../usage/shop/cart.csv'), '--json');
    expect((JSON.parse(out) as BacktestSummary).workloads).toHaveLength(1);
  });

  test('output of --emit inside an input folder is not read again', async () => {
    const read = join(folder, 'again');
    mkdirSync(read, { recursive: true });
    writeFileSync(join(read, 'cart.csv'), csv());
    const names = async () => {
      const { out, err } = await run(read, '--emit', join(read, 'out'), '--json');
      return { err, names: (JSON.parse(out) as BacktestSummary).workloads.map(({ name }) => name) };
    };
    expect(await names()).toEqual({ err: '', names: ['cart'] });
    expect(await names()).toEqual({ err: expect.stringMatching(/again\/out is skipped: it is the folder of --emit/), names: ['cart'] });
  });

  test('a folder that is not writable is reported before the replay', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const emitted = await run(join(folder, 'usage'), '--emit', join(file, 'out'));
    expect(emitted).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/--emit: .*a-file\/out is not writable: .*choose another/),
    });
    const report = await run(join(folder, 'usage'), '--report', join(file, 'report.md'));
    expect(report).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/--report: .*a-file is not writable/) });
  });

  test('a file that cannot be written is reported, and does not stop the others', async () => {
    const emitted = join(folder, 'half');
    mkdirSync(join(emitted, 'web.csv/in-the-way'), { recursive: true });
    const { code, out, err } = await run(join(folder, 'usage'), '--emit', emitted);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/half\/web\.csv: cannot be written: /) });
    expect(out).toContain('CPU: 2 workloads');
    expect(readdirSync(emitted).sort()).toEqual(['shop', 'web.csv']);
  });

  test('--prometheus: each container of each workload is replayed, replicas combined, and the password is never displayed', async () => {
    const server = await FakePrometheus.start();
    try {
      server.on(labelsOf(/^container_/, 'namespace', 'pod', 'container'));
      const wave = (second: number) => 1.5 + Math.sin((second / 86_400) * 2 * Math.PI);
      const pods = ['web-7d4f9c5b8d-x2k4v', 'web-7d4f9c5b8d-zzzzz'].map((pod) => ({ pod, container: '../app' }));
      server.on(
        rangeOf(
          /cpu_usage/,
          pods.map((pod) => [pod, (second) => wave(second) / 4]),
        ),
      );
      server.on(
        rangeOf(
          /working_set/,
          pods.map((pod) => [pod, (second) => wave(second) * 300 * MIB]),
        ),
      );
      const emitted = join(folder, 'from-prometheus');
      const address = server.url.replace('://', '://user:hunter2@');
      const { code, out, err } = await run('--prometheus', address, '--namespace', 'shop', '--days', '5', '--json', '--emit', emitted);
      const summary = JSON.parse(out) as BacktestSummary;
      expect({ code, names: summary.workloads.map(({ name }) => name) }).toEqual({ code: 0, names: ['shop/Deployment/web/__app'] });
      expect(summary.workloads[0]?.days).toBeCloseTo(5, 1);
      expect(readFileSync(join(emitted, 'shop/Deployment/web/__app.csv'), 'utf8')).toMatch(/^t_s,cpu_m,mem_mib\n\d+,/);
      expect(err).toContain('reading 5 days of namespace shop');
      expect(out + err).not.toContain('hunter2');
    } finally {
      await server.stop();
    }
  });

  test('a Prometheus of several clusters is rejected without matchers', async () => {
    const server = await FakePrometheus.start();
    try {
      const of = (cluster: string, value: number) =>
        ['container_cpu_usage_seconds_total', 'container_memory_working_set_bytes'].map((name) => {
          return { labels: { __name__: name, cluster, namespace: 'shop', pod: 'web-0', container: 'app' }, value };
        });
      server.on(serveSeries(() => [...of('a', 1), ...of('b', 2)]));
      const args = ['--prometheus', server.url, '--namespace', 'shop', '--days', '5', '--json'];
      const { code, err } = await run(...args);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/label cluster is "a", "b"; set --matchers to this cluster/) });
      const ofOne = await run(...args, '--matchers', 'cluster="a"');
      expect({ code: ofOne.code, workloads: (JSON.parse(ofOne.out) as BacktestSummary).workloads.length }).toEqual({
        code: 0,
        workloads: 1,
      });
    } finally {
      await server.stop();
    }
  });

  test('a namespace without data in Prometheus is reported', async () => {
    const server = await FakePrometheus.start();
    try {
      const { code, err } = await run('--prometheus', server.url, '--namespace', 'shop');
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/namespace shop: .*let it scrape \/metrics\/cadvisor/) });
    } finally {
      await server.stop();
    }
  });

  test('an interrupt ends it', async () => {
    const code = await backtestCommand.run([join(folder, 'usage')], {
      out: () => undefined,
      err: () => undefined,
      environment: {},
      interrupted: AbortSignal.abort(new Error('SIGINT')),
    });
    expect(code).toBe(130);
  });
});
