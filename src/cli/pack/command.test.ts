import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packCommand } from './command.ts';
import type { PackSummary } from './report/summary.ts';

const PODS = ['name,cpu_milli,memory_mib', ...Array.from({ length: 12 }, (_, at) => `web-${at},1000,1024`), 'db,3000,12000', ''].join('\n');
const POOLS = 'machine_type,vcpu,memory_gib,usd_per_hour\nsmall,2,4,0.1\nlarge,8,32,0.45\n';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-pack-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: '', err: '' };
  const code = await packCommand.run(args, {
    out: (line) => (printed.out += `${line}\n`),
    err: (line) => (printed.err += `${line.replaceAll(folder, '.')}\n`),
    environment: {},
    interrupted: new AbortController().signal,
  });
  return { code, ...printed };
}

function packFiles(pods: string, pools: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return run('--pods', file('pods.csv', pods), '--pools', file('pools.csv', pools), '--seconds', '1', ...args);
}

describe('evenkeel pack', () => {
  test('prints nodes by type, cost, lower bound, gap and the other methods', async () => {
    const { code, out, err } = await packFiles(PODS, POOLS);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const text of [
      '13 pods of 2 sizes: 15.0 cores',
      'large',
      'evenkeel pack',
      'first-fit-decreasing',
      'Karpenter-like',
      'least-waste',
    ]) {
      expect(out).toContain(text);
    }
    expect(out).toMatch(/^lower bound +0\.\d{4}$/m);
  });

  test('prints the same as JSON, with what a run needs to be repeated', async () => {
    const { out } = await packFiles(PODS, POOLS, '--json');
    const { methods, lowerBound, machineTypes, search } = JSON.parse(out) as PackSummary;
    const [own, ...others] = methods;
    expect(own!.usdPerHour).toBeCloseTo(0.85, 9);
    expect(own!.gap).toBeCloseTo(own!.usdPerHour! / lowerBound.usdPerHour - 1, 9);
    expect(['classes', 'patterns']).toContain(lowerBound.kind);
    expect(lowerBound.usdPerHour).toBeLessThanOrEqual(own!.usdPerHour!);
    for (const { usdPerHour } of others) expect(usdPerHour).toBeGreaterThanOrEqual(own!.usdPerHour!);
    expect(machineTypes.map(({ machineType, nodes }) => [machineType, nodes])).toEqual([
      ['large', 1],
      ['small', 4],
    ]);
    expect(search.steps).toBeGreaterThan(0);
  });

  test('writes each pod once, with its node, quoted where needed', async () => {
    const emit = join(folder, 'out/packing.csv');
    const { code } = await packFiles(`${PODS}"a, b",100,100\n`, POOLS, '--emit', emit);
    expect(code).toBe(0);
    const [header, ...rows] = readFileSync(emit, 'utf8').trimEnd().split('\n');
    expect(header).toBe('pod,node,machine_type');
    expect(rows.filter((row) => row.startsWith('web-')).map((row) => row.split(',')[0])).toHaveLength(12);
    expect(new Set(rows).size).toBe(14);
    expect(rows.some((row) => /^"a, b",(small|large)-\d+,(small|large)$/.test(row))).toBe(true);
    const perNode = Map.groupBy(rows, (row) => row.split(',').at(-2));
    for (const [node, pods] of perNode) expect(pods.length).toBeLessThanOrEqual(node!.startsWith('small') ? 3 : 9);
    expect(readdirSync(join(folder, 'out')).filter((name) => name.startsWith('packing'))).toEqual(['packing.csv']);
  });

  test('accepts a byte-order mark, CRLF, quotes, blank lines and columns in any order', async () => {
    const pods = '\uFEFF"memory_mib",name,cpu_milli\r\n\r\n 1024 ,"web ""1""",1000\r\n2048,"two\r\nlines",500\r\n';
    const { code, out, err } = await packFiles(pods.replace('two\r\nlines', 'two lines'), POOLS.replaceAll('\n', '\r\n'));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('2 pods of 2 sizes');
  });

  test('uses allocatable where given, and no more nodes than max', async () => {
    const pools =
      'machine_type,vcpu,memory_gib,usd_per_hour,alloc_cpu_milli,alloc_memory_mib,max\nsmall,2,4,0.1,1900,3000,\nlarge,8,32,0.2,7900,,1\n';
    const { out } = await packFiles(PODS, pools, '--json');
    const { machineTypes } = JSON.parse(out) as PackSummary;
    expect(machineTypes.map(({ machineType, nodes, pods }) => [machineType, nodes, pods])).toEqual([
      ['small', 8, 8],
      ['large', 1, 5],
    ]);
  });

  test('writes a report: one page without scripts, with the tables, and a row of the picture for each type', async () => {
    const page = join(folder, 'out/report.html');
    const { code, err } = await packFiles(PODS, POOLS.replace('large', '<large>'), '--report', page);
    expect({ code, err }).toEqual({ code: 0, err: 'evenkeel pack: report written to ./out/report.html\n' });
    const html = readFileSync(page, 'utf8');
    for (const text of ['first-fit-decreasing', 'lower bound', '&lt;large&gt;', 'class="cpu"', '4 nodes', '1 node<'])
      expect(html).toContain(text);
    expect(html).not.toMatch(/<script|<large>|https?:\/\/(?!www\.w3\.org)/);
    expect(html.match(/<path class="memory"/g)).toHaveLength(2);
    expect((await packFiles(PODS, POOLS, '--report', 'report.md')).err).toContain('--report: "report.md" must end in .html');
  });

  test('counts GPUs', async () => {
    const pools = 'machine_type,vcpu,memory_gib,usd_per_hour,gpu\nplain,8,32,0.4,\ngpu,8,32,2,1\n';
    const { out } = await packFiles('name,cpu_milli,memory_mib,gpu\na,1000,1000,1\nb,1000,1000,\nc,1000,1000,1\n', pools, '--json');
    expect((JSON.parse(out) as PackSummary).machineTypes.map(({ machineType, nodes }) => [machineType, nodes])).toEqual([['gpu', 2]]);
  });

  test('lists pods of low priority that stay pending, and ends with code 3', async () => {
    const pods = 'name,cpu_milli,memory_mib,priority\na,3000,16,\nb,3000,16,5\n';
    const pools = 'machine_type,vcpu,memory_gib,usd_per_hour,max\nlarge,5,32,0.45,1\n';
    const { code, out } = await packFiles(pods, pools);
    expect(code).toBe(3);
    expect(out).toContain(
      'Pending: 1 pod of low priority finds no place within max.\n  a (priority 0): the pools that it may use are full: large (max 1)',
    );
    expect(out).toContain('1 pod of 1 size: 3.0 cores');
  });

  test('finds nothing where max is exhausted', async () => {
    const pods = 'name,cpu_milli,memory_mib\na,3000,16\nb,3000,16\nc,3000,16\n';
    const { code, out, err } = await packFiles(pods, 'machine_type,vcpu,memory_gib,usd_per_hour,max\nlarge,5,32,0.45,2\n');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe('evenkeel pack: no packing was found within the max of the machine types; raise max, or add a machine type\n');
  });
});

function deployment(name: string, replicas: number, podSpec: string, labels = `{ app: ${name} }`): string {
  return [
    'apiVersion: apps/v1',
    'kind: Deployment',
    `metadata: { name: ${name}, namespace: shop }`,
    'spec:',
    `  replicas: ${replicas}`,
    '  template:',
    `    metadata: { labels: ${labels} }`,
    `    spec: ${podSpec}`,
    '',
  ].join('\n');
}

function packManifests(manifests: readonly string[], ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return run('--pods', file('pods.yaml', manifests.join('---\n')), '--pools', file('pools.csv', POOLS), '--seconds', '1', ...args);
}

const REQUESTS = 'containers: [{ name: main, resources: { requests: { cpu: 500m, memory: 512Mi } } }]';
const HOST = 'topologyKey: kubernetes.io/hostname';
const SELF = 'labelSelector: { matchLabels: { app: web } }';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

describe('evenkeel pack of manifests', () => {
  test('takes each replica of a workload, with init containers, limits without requests, and pods', async () => {
    const init = 'initContainers: [{ name: init, resources: { requests: { cpu: 1500m } } }]';
    const limits = 'containers: [{ name: main, resources: { limits: { cpu: 250m, memory: 1Gi } } }]';
    const emit = join(folder, 'manifests.csv');
    const manifests = [
      deployment('web', 3, `{ ${REQUESTS}, ${init} }`),
      deployment('api', 2, `{ ${limits} }`),
      `apiVersion: v1\nkind: Pod\nmetadata: { name: one }\nspec: { ${REQUESTS} }\n`,
      'apiVersion: v1\nkind: Service\nmetadata: { name: web }\n',
    ];
    const { code, out } = await packManifests(manifests, '--json', '--emit', emit);
    expect(code).toBe(0);
    const { pods, requested } = JSON.parse(out) as PackSummary;
    expect({ pods, requested }).toEqual({ pods: 6, requested: { cores: 3 * 1.5 + 2 * 0.25 + 0.5, memoryGib: 3 * 0.5 + 2 + 0.5, gpus: 0 } });
    const names = readFileSync(emit, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.split(',')[0]);
    expect(names.sort()).toEqual(['one', 'shop/api-0', 'shop/api-1', 'shop/web-0', 'shop/web-1', 'shop/web-2']);
  });

  test.each([
    ['anti-affinity to its own pods', `affinity: { podAntiAffinity: { ${REQUIRED}: [{ ${HOST}, ${SELF} }] } }`, 4],
    ['a hard spread between hosts', `topologySpreadConstraints: [{ maxSkew: 2, whenUnsatisfiable: DoNotSchedule, ${HOST}, ${SELF} }]`, 2],
    [
      'a soft spread, which changes nothing',
      `topologySpreadConstraints: [{ maxSkew: 2, whenUnsatisfiable: ScheduleAnyway, ${HOST}, ${SELF} }]`,
      1,
    ],
  ])('keeps %s', async (_, rule, nodes) => {
    const { out } = await packManifests([deployment('web', 4, `{ ${REQUESTS}, ${rule} }`)], '--json');
    expect((JSON.parse(out) as PackSummary).methods[0]!.nodes).toBe(nodes);
  });

  test('a hard spread allows more pods on a node than the packing: the bound leaves it out', async () => {
    const rule = `topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable: DoNotSchedule, ${HOST}, ${SELF} }]`;
    const { lowerBound: spread } = JSON.parse(
      (await packManifests([deployment('web', 4, `{ ${REQUESTS}, ${rule} }`)], '--json')).out,
    ) as PackSummary;
    const { lowerBound: free } = JSON.parse((await packManifests([deployment('web', 4, `{ ${REQUESTS} }`)], '--json')).out) as PackSummary;
    expect(spread.usdPerHour).toBeCloseTo(free.usdPerHour, 9);
  });

  test('an object without a namespace is in the default one', async () => {
    const rule = `affinity: { podAntiAffinity: { ${REQUIRED}: [{ ${HOST}, ${SELF}, namespaces: [default] }] } }`;
    const inDefault = deployment('web', 4, `{ ${REQUESTS}, ${rule} }`).replace(', namespace: shop', '');
    const { out } = await packManifests([inDefault], '--json');
    expect((JSON.parse(out) as PackSummary).methods[0]!.nodes).toBe(4);
  });

  test('accepts workloads of one name and different kinds', async () => {
    const emit = join(folder, 'kinds.csv');
    const web = deployment('web', 1, `{ ${REQUESTS} }`);
    const { code, err } = await packManifests([web, web.replace('kind: Deployment', 'kind: StatefulSet')], '--emit', emit);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const rows = readFileSync(emit, 'utf8').trimEnd().split('\n').slice(1);
    expect(rows.map((row) => row.split(',')[0]).sort()).toEqual(['Deployment/shop/web-0', 'StatefulSet/shop/web-0']);
  });

  test('leaves out pods that have ended', async () => {
    const pod = `{ apiVersion: v1, kind: Pod, metadata: { name: done }, spec: { ${REQUESTS} }, status: { phase: Succeeded } }\n`;
    const { out } = await packManifests([pod, deployment('web', 1, `{ ${REQUESTS} }`)], '--json');
    expect((JSON.parse(out) as PackSummary).pods).toBe(1);
  });

  test('keeps a node selector and affinity by machine type', async () => {
    const selector = 'nodeSelector: { node.kubernetes.io/instance-type: large }';
    const affinity = `affinity: { nodeAffinity: { ${REQUIRED}: { nodeSelectorTerms: [{ matchExpressions: [{ key: node.kubernetes.io/instance-type, operator: NotIn, values: [small] }] }] } } }`;
    for (const rule of [selector, affinity]) {
      const { out } = await packManifests([deployment('web', 1, `{ ${REQUESTS}, ${rule} }`)], '--json');
      expect((JSON.parse(out) as PackSummary).machineTypes.map(({ machineType }) => machineType)).toEqual(['large']);
    }
  });

  test.each([
    [
      'contradictory rules',
      `{ ${REQUESTS}, nodeSelector: { node.kubernetes.io/instance-type: medium } }`,
      'its node selector and affinity match no machine type',
    ],
    ['a node label that pools do not have', `{ ${REQUESTS}, nodeSelector: { disk: ssd } }`, 'requires the node label disk'],
    [
      'a spread over zones',
      `{ ${REQUESTS}, topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable: DoNotSchedule, topologyKey: topology.kubernetes.io/zone, ${SELF} }] }`,
      'has a rule between zones, and no pool that it may use states a zone; add the column zone',
    ],
    ['a host port', '{ containers: [{ name: main, ports: [{ containerPort: 80, hostPort: 80 }] }] }', 'has host ports'],
    [
      'a node by name',
      `{ ${REQUESTS}, affinity: { nodeAffinity: { ${REQUIRED}: { nodeSelectorTerms: [{ matchFields: [{ key: metadata.name, operator: In, values: [n1] }] }] } } } }`,
      'has node affinity to a node by name; remove it',
    ],
    [
      'anti-affinity to others',
      `{ ${REQUESTS}, affinity: { podAntiAffinity: { ${REQUIRED}: [{ ${HOST}, labelSelector: { matchLabels: { app: db } } }] } } }`,
      'its anti-affinity selects other pods than its own',
    ],
    [
      'anti-affinity to pods of other namespaces',
      `{ ${REQUESTS}, affinity: { podAntiAffinity: { ${REQUIRED}: [{ ${HOST}, ${SELF}, namespaces: [bank] }] } } }`,
      'has anti-affinity to pods of other namespaces',
    ],
    [
      'anti-affinity to pods of all namespaces',
      `{ ${REQUESTS}, affinity: { podAntiAffinity: { ${REQUIRED}: [{ ${HOST}, ${SELF}, namespaceSelector: {} }] } } }`,
      'has anti-affinity to pods of other namespaces',
    ],
    [
      'a negative request',
      '{ containers: [{ name: main, resources: { requests: { cpu: "-1" } } }] }',
      'spec.containers[0].resources.requests.cpu: "-1" is negative',
    ],
    ['negative overhead', `{ ${REQUESTS}, overhead: { memory: -16Gi } }`, 'spec.overhead.memory: "-16Gi" is negative'],
    [
      'a request of the whole pod that is no quantity',
      `{ ${REQUESTS}, resources: { requests: { cpu: lots } } }`,
      'spec.resources.requests.cpu: "lots" is not a quantity',
    ],
    [
      'a spread without a skew',
      `{ ${REQUESTS}, topologySpreadConstraints: [{ maxSkew: 0, whenUnsatisfiable: DoNotSchedule, ${HOST}, ${SELF} }] }`,
      'maxSkew is not a whole number from 1 to 1000000',
    ],
    [
      'a request that is no quantity',
      '{ containers: [{ name: main, resources: { requests: { memory: much } } }] }',
      'spec.containers[0].resources.requests.memory: "much" is not a quantity',
    ],
    [
      'an absurd request',
      '{ containers: [{ name: main, resources: { requests: { memory: 1Ei } } }] }',
      'requests more memory than any machine has',
    ],
    [
      'a resource that pools do not state',
      '{ containers: [{ name: main, resources: { requests: { example.com/fpga: 1 } } }] }',
      'requests example.com/fpga, which the pools do not state',
    ],
    ['a container that is no object', '{ containers: [main] }', 'expected an object'],
  ])('refuses %s', async (_, podSpec, expected) => {
    const { code, out, err } = await packManifests([deployment('web', 1, podSpec)]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(expected);
    expect(err).toMatch(/^evenkeel pack: \.\/pods\.yaml:1: (Deployment )?shop\/web: /);
  });

  test('refuses kinds whose pods it cannot count, duplicate names and invalid YAML', async () => {
    const cronJob = 'apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: a }\nspec: {}\n';
    expect((await packManifests([cronJob])).err).toContain('CronJob a: has pods at some times alone');
    const twice = deployment('web', 1, `{ ${REQUESTS} }`);
    expect((await packManifests([twice, twice])).err).toContain('./pods.yaml:10: pod shop/web-0 is also on line 1; names must be unique');
    expect((await packManifests(['kind: [\n'])).err).toContain('./pods.yaml:');
    expect((await packManifests([deployment('web', -1, `{ ${REQUESTS} }`)])).err).toContain('the number of replicas is -1');
  });
});

describe('invalid input of evenkeel pack', () => {
  const rejects = async (pods: string, pools: string): Promise<string> => {
    const emit = join(folder, 'never.csv');
    const { code, out, err } = await packFiles(pods, pools, '--emit', emit);
    expect({ code, out, written: readdirSync(folder).includes('never.csv') }).toEqual({ code: 2, out: '', written: false });
    return err;
  };

  test.each([
    ['a negative quantity', 'name,cpu_milli,memory_mib\na,-5,1\n', ':2:3: cpu_milli: "-5" must be a whole number from 0 to 10000000'],
    [
      'an absurd quantity',
      'name,cpu_milli,memory_mib\na,1,999999999999\n',
      ':2:5: memory_mib: "999999999999" must be a whole number from 0 to',
    ],
    ['no number', 'name,cpu_milli,memory_mib\na,500m,1\n', ':2:3: cpu_milli: "500m" must be a whole number'],
    ['not a number', 'name,cpu_milli,memory_mib\na,NaN,1\n', ':2:3: cpu_milli: "NaN" must be'],
    ['an exponent', 'name,cpu_milli,memory_mib\na,1e3,1\n', ':2:3: cpu_milli: "1e3" must be'],
    ['a missing value', 'name,cpu_milli,memory_mib\na,,1\n', ':2:3: cpu_milli: is missing; it is required'],
    ['a missing name', 'name,cpu_milli,memory_mib\n,1,1\n', ':2:1: name: is missing; it is required'],
    ['an unknown column', 'name,cpu_mili,memory_mib\na,1,1\n', ':1:6: unknown column "cpu_mili"; did you mean cpu_milli?'],
    ['a column twice', 'name,cpu_milli,memory_mib,name\na,1,1,b\n', ':1:27: column name is given twice; remove one'],
    ['a missing column', 'name,cpu_milli\na,1\n', ':1:1: column memory_mib is missing; add it'],
    ['too few cells', 'name,cpu_milli,memory_mib\na,1\n', ':2:1: has 2 cells; the header has 3'],
    ['a duplicate name', 'name,cpu_milli,memory_mib\na,1,1\nb,1,1\na,1,1\n', ':4:1: name: "a" is also on line 2; names must be unique'],
    ['an open quote', 'name,cpu_milli,memory_mib\n"a,1,1\n', ':2:1: has a quote that is never closed'],
    ['text after a quote', 'name,cpu_milli,memory_mib\n"a"b,1,1\n', ':2:4: has text after a closing quote; expected a comma'],
    ['a quote inside a cell', 'name,cpu_milli,memory_mib\nb"a,1,1\n', ':2:2: has a quote inside a cell'],
    ['an empty file', '', ': is empty; the first line must be name,cpu_milli,memory_mib,gpu'],
    ['no pod', 'name,cpu_milli,memory_mib\n', ': has no pod; add one for each that is to be packed'],
    ['control characters', 'name,cpu_milli,memory_mib\na\u001b[31m,1,1\n', ':2:1: name: "a\\u001b[31m" must have no control characters'],
  ])('in pods: %s', async (_, pods, expected) => {
    expect(await rejects(pods, POOLS)).toContain(`./pods.csv${expected}`);
  });

  test.each([
    ['no price', 'machine_type,vcpu,memory_gib\na,1,1\n', ':1:1: column usd_per_hour is missing; add it'],
    ['an empty price', 'machine_type,vcpu,memory_gib,usd_per_hour\na,1,1,\n', ':2:7: usd_per_hour: is missing; it is required'],
    [
      'a negative price',
      'machine_type,vcpu,memory_gib,usd_per_hour\na,1,1,-1\n',
      ':2:7: usd_per_hour: "-1" must be a number from 0 to 100000',
    ],
    ['a type twice', 'machine_type,vcpu,memory_gib,usd_per_hour\na,1,1,1\na,2,2,2\n', ':3:1: machine_type: "a" is also on line 2'],
    ['no type', 'machine_type,vcpu,memory_gib,usd_per_hour\n', ': has no machine type; add one line for each'],
    [
      'more allocatable than the machine has',
      'machine_type,vcpu,memory_gib,usd_per_hour,alloc_cpu_milli\na,1,1,1,1500\n',
      ':2:9: alloc_cpu_milli: 1500 is more than the machine has (1 vCPU); lower it',
    ],
  ])('in pools: %s', async (_, pools, expected) => {
    expect(await rejects(PODS, pools)).toContain(`./pools.csv${expected}`);
  });

  test('in pools: fewer nodes than the pods need, before the search', async () => {
    const pools = 'machine_type,vcpu,memory_gib,usd_per_hour,max\na,4,16,1,2\nb,1,1,1,1\n';
    const pods = `name,cpu_milli,memory_mib\n${Array.from({ length: 10 }, (_, at) => `p${at},1000,16\n`).join('')}`;
    expect(await rejects(pods, pools)).toContain(
      './pools.csv: within max, the machine types offer 9000m CPU, and the pods request 10000m; raise max, or add a machine type',
    );
  });

  test('names at most ten pods that fit on no machine type, and counts them', async () => {
    const large = Array.from({ length: 12 }, (_, at) => `huge-${at},9000,100`).join('\n');
    const err = await rejects(`${PODS}${large}\n`, POOLS);
    expect(err.split('\n')).toHaveLength(12);
    expect(err).toContain('./pods.csv:15: pod huge-0 (9000m CPU, 100 MiB) fits on no machine type');
    expect(err).toContain('12 pods fit on no machine type (the most of any type are 8000m CPU, 32768 MiB and 0 GPUs)');
  });

  test('counts the problems past twenty', async () => {
    const bad = Array.from({ length: 30 }, (_, at) => `p${at},x,1`).join('\n');
    const err = await rejects(`name,cpu_milli,memory_mib\n${bad}\n`, POOLS);
    expect(err.trimEnd().split('\n')).toHaveLength(21);
    expect(err).toContain('and 10 more problems');
  });

  test('in options and paths', async () => {
    expect(await run()).toMatchObject({ code: 2, out: '' });
    expect((await run()).err).toContain('--pods is required');
    expect((await run('--pods', 'a', '--pools', 'b', '--seconds', '0')).err).toContain(
      '--seconds: "0" must be a number of seconds from 1 to 86400',
    );
    expect((await run('--pods', join(folder, 'none.csv'), '--pools', join(folder, 'none2.csv'))).err).toMatch(
      /none\.csv: cannot be read[^]*none2\.csv: cannot be read/,
    );
    mkdirSync(join(folder, 'sub'), { recursive: true });
    const blocked = file('blocked', '');
    expect((await packFiles(PODS, POOLS, '--emit', join(folder, 'pods.csv'))).err).toContain(
      '--emit: ./pods.csv is an input and would be overwritten',
    );
    expect((await packFiles(PODS, POOLS, '--emit', join(folder, 'sub'))).err).toContain('--emit: ./sub is a folder; give a file');
    const both = join(folder, 'both.html');
    expect((await packFiles(PODS, POOLS, '--emit', both, '--report', both)).err).toContain(
      '--report: ./both.html is the file of --emit, too',
    );
    expect((await packFiles(PODS, POOLS, '--report', '/proc/x.html')).err).toContain('--report: /proc is not writable: ');
    expect((await packFiles(PODS, POOLS, '--emit', join(blocked, 'x.csv'))).err).toContain('--emit: ./blocked is not writable');
  });

  test('an interrupt ends it without output', async () => {
    const printed: string[] = [];
    const interrupted = AbortSignal.abort();
    const args = ['--pods', file('pods.csv', PODS), '--pools', file('pools.csv', POOLS)];
    const print = (line: string): void => void printed.push(line);
    const code = await packCommand.run(args, { out: print, err: print, environment: {}, interrupted });
    expect({ code, printed }).toEqual({ code: 130, printed: ['evenkeel pack: interrupted; nothing was written'] });
  });
});
