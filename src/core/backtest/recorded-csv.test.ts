import { describe, expect, test } from '@jest/globals';
import { parseRecordedCsv } from './recorded-csv.ts';
import { traceOf } from './time-grid.ts';

const MIB = 1024 * 1024;

describe('a recording as CSV', () => {
  const NOON = Date.UTC(2026, 0, 31, 12) / 1000;

  test.each([
    ['Unix seconds', 't_s,cpu_m,mem_mib\n1769860800,5,1\n'],
    ['the other name of the time column', 'timestamp,cpu_m,mem_mib\n1769860800,5,1\n'],
    ['a date in UTC', 'timestamp,cpu_m,mem_mib\n2026-01-31 12:00:00,5,1\n'],
    ['ISO 8601', 'timestamp,cpu_m,mem_mib\n2026-01-31T12:00:00Z,5,1\n'],
    ['a date with a time zone', 'timestamp,cpu_m,mem_mib\n2026-01-31T14:00:00.000+02:00,5,1\n'],
    ['columns in any order, with others between', 'mem_mib,pod,t_s,cpu_m\n1,x,1769860800,5\n'],
    ['quotes, blanks, a byte order mark, CRLF line ends', '\uFEFF"t_s", cpu_m ,"mem_mib"\r\n"1769860800", 5 ,"1"\r\n\r\n'],
    ['comments between', '# recorded by hand\nt_s,cpu_m,mem_mib\n# noon\n1769860800,5,1\n'],
    ['a header in capitals', 'Timestamp,CPU_m,MEM_MIB\n1769860800,5,1\n'],
    ['Unix milliseconds', 'timestamp,cpu_m,mem_mib\n1769860800000,5,1\n'],
    ['a quoted comma in an ignored column', 'note,t_s,cpu_m,mem_mib\n"a, ""b""",1769860800,5,1\n'],
  ])('%s', (_, text) => {
    expect(parseRecordedCsv(text)).toEqual({ ok: true, samples: { seconds: [NOON], cpuMillicores: [5], memoryBytes: [MIB] } });
  });

  test('an empty cell, NaN and null are missing values', () => {
    expect(parseRecordedCsv('t_s,cpu_m,mem_mib\n0,,3\n300,NaN,\n600,7,null')).toMatchObject({
      samples: { cpuMillicores: [NaN, NaN, 7], memoryBytes: [3 * MIB, NaN, NaN] },
    });
  });

  test('rows may have any order', () => {
    expect(parseRecordedCsv('t_s,cpu_m,mem_mib\n600,3,30\n0,1,10\n300,2,20\n')).toMatchObject({
      samples: { seconds: [0, 300, 600], cpuMillicores: [1, 2, 3], memoryBytes: [10 * MIB, 20 * MIB, 30 * MIB] },
    });
  });

  test('a column pod distinguishes replicas: each may have the same times', () => {
    expect(parseRecordedCsv('t_s,pod,cpu_m\n0,a,1\n0,b,2\n300,b,4\n300,a,3\n')).toEqual({
      ok: true,
      samples: { seconds: [0, 0, 300, 300], cpuMillicores: [1, 2, 4, 3], memoryBytes: null },
      pods: ['a', 'b', 'b', 'a'],
    });
    expect(parseRecordedCsv('t_s,pod,cpu_m\n0,,1\n300,,2\n')).not.toHaveProperty('pods');
  });

  test('a repeated time is merged on the grid; more than one in ten are refused as several containers', () => {
    const rows = (repeated: number) => Array.from({ length: 40 }, (_, row) => `${Math.max(0, row - repeated) * 300},${row}`);
    const parsed = parseRecordedCsv(['t_s,cpu_m', ...rows(4)].join('\n'));
    if (!parsed.ok) throw new Error(parsed.problem);
    expect(traceOf('t', parsed.samples).cpu?.slice(0, 2)).toEqual(Float64Array.of(2, 5));
    expect(parseRecordedCsv(['t_s,cpu_m', ...rows(5)].join('\n'))).toEqual({
      ok: false,
      line: 3,
      problem: expect.stringMatching(/5 of 40 rows .* several containers.* a file for each/),
    });
  });

  test.each([
    ['', 1, /empty/],
    ['cpu_m\n1\n', 1, /no column t_s or timestamp/],
    ['t_s,cpu\n1,1\n', 1, /no column cpu_m/],
    ['t_s,timestamp,cpu_m\n', 1, /keep one of them/],
    ['t_s,cpu_m,cpu_m\n0,1,1', 1, /twice/],
    ['t_s,cpu_m\n', 2, /no samples/],
    ['t_s,cpu_m\n0,\n300,nan\n', 4, /no samples/],
    ['t_s,cpu_m\n0,1\n300,1,1\n', 3, /3 cells where the header has 2/],
    ['t_s,cpu_m\n300,1\n300,1\n', 3, /1 of 2 rows/],
    ['t_s,pod,cpu_m\n0,a,1\n0,,2\n', 3, /has no pod, and 1 of 2 rows have one; fill the column pod in each row, or remove it/],
    ['t_s,pod,pod,cpu_m\n0,a,a,1\n', 1, /column pod appears twice/],
    ['t_s,pod,cpu_m\n0,a,1\n0,a,2\n0,b,2\n', 3, /1 of 2 rows of pod a have the time of another row.*several containers/],
    ['t_s,cpu_m\n0,1\n300,1\n1769860800,1\n', 4, /20484 days after the row before it in time.*is one of the two wrong/],
    ['t_s,cpu_m\n0,-1\n', 2, /cpu_m -1 is not a usage; it must be 0 or more/],
    ['t_s,mem_mib\n0,1\n300,Infinity\n', 3, /mem_mib Infinity is not a usage/],
    ['t_s,cpu_m\n0,much\n', 2, /"much" is not a number/],
    ['t_s,cpu_m\nyesterday,1\n', 2, /"yesterday" is not a time/],
    ['timestamp,cpu_m\n2026-02-31 99:00:00,1\n', 2, /not a time/],
    ['t_s,cpu_m\n-300,1\n', 2, /negative/],
    ['t_s,cpu_m\n1769860800000000,1\n', 2, /far in the future; give seconds, or milliseconds/],
    ['t_s,mem_mib\n0,1e300\n', 2, /mem_mib 1e300 is not a usage; it must be 0 or more, at most 1e15/],
  ])('%j: line %d, with the remedy', (text, line, problem) => {
    expect(parseRecordedCsv(text)).toEqual({ ok: false, line, problem: expect.stringMatching(problem) });
  });
});

describe('the grid', () => {
  const trace = (rows: readonly (readonly [number, number])[]) =>
    traceOf('t', {
      seconds: rows.map(([second]) => second),
      cpuMillicores: rows.map(([, value]) => value),
      memoryBytes: rows.map(([, value]) => value),
    });

  test('CPU of a slot is the mean, memory the maximum', () => {
    const { firstSlot, cpu, memory } = trace([
      [930, 1],
      [960, 3],
      [1200, 5],
    ]);
    expect({ firstSlot, cpu: [...(cpu ?? [])], memory: [...(memory ?? [])] }).toEqual({ firstSlot: 3, cpu: [2, 5], memory: [3, 5] });
  });

  test('a gap is filled for 15 minutes with the value before it', () => {
    const { cpu } = trace([
      [0, 1],
      [4 * 300, 2],
      [9 * 300, 3],
    ]);
    expect([...(cpu ?? [])]).toEqual([1, 1, 1, 1, 2, 2, 2, 2, NaN, 3]);
  });

  test('a missing value is a gap of its resource only; a resource without values is null', () => {
    const { cpu, memory } = traceOf('t', { seconds: [0, 300], cpuMillicores: [NaN, NaN], memoryBytes: [NaN, 2] });
    expect({ cpu, memory: [...(memory ?? [])] }).toEqual({ cpu: null, memory: [NaN, 2] });
  });
});
