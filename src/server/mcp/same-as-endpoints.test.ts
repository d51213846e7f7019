// In 200 random clusters, what a tool answers is what its endpoint answers, field by field, and holds the tool's output schema.

import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { DashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { randomCluster, WITH_USAGE } from '../../../test/builders/random-cluster.ts';
import { CountingMetrics } from '../../../test/fakes/counting-metrics.ts';
import type { Json } from '../../../test/fakes/clients/mcp-client.ts';
import { applicationOf } from '../../../test/fakes/clients/dashboard-client.ts';
import type { Application, QueryInput, QueryName } from '../../application/index.ts';
import { EVERYONE_IS_ADMIN } from '../../core/access/scope.ts';
import { DASHBOARD_API } from '../openapi/document.ts';
import { schemaCompiler } from '../openapi/validator.ts';
import { mcpMetrics } from './mcp-metrics.ts';
import { ToolCalls, type McpCaller } from './tool-calls.ts';
import { TOOLS } from './tools/index.ts';

const WORLDS = 200;
const PER_TEST = 20;
const CALLER: McpCaller = { scope: EVERYONE_IS_ADMIN, requestId: 'r', address: '127.0.0.1' };

const validators = new Map<string, ValidateFunction>();
/** Tools of which an answer was compared. */
const compared = new Set<string>();
beforeAll(() => {
  const compile = schemaCompiler(DASHBOARD_API.schemas);
  for (const tool of TOOLS) validators.set(tool.name, compile(tool.output));
});

class Compared {
  readonly #application: Application;
  readonly #calls: ToolCalls;

  constructor({ logger, timer, ...world }: DashboardWorld) {
    this.#application = applicationOf({ ...world, logger, timer });
    const metrics = mcpMetrics(new CountingMetrics());
    this.#calls = new ToolCalls({ application: this.#application, metrics, timer, logger, schemas: DASHBOARD_API.schemas });
  }

  /** The answer of a tool, which holds its schema. */
  async tool(name: string, given: object = {}): Promise<Json> {
    const tool = TOOLS.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    compared.add(name);
    const answer = await this.#calls.run(tool, given, CALLER);
    if (answer.kind !== 'answer') throw new Error(answer.message);
    const validate = validators.get(name);
    expect([name, validate?.(answer.data), validate?.errors]).toEqual([name, true, null]);
    return answer.data;
  }

  /** The items of all pages. */
  async items(name: string, given: object = {}): Promise<readonly Json[]> {
    const items: Json[] = [];
    let cursor: string | null = null;
    let total: number;
    do {
      const page: Json = await this.tool(name, { ...given, ...(cursor === null ? {} : { cursor }) });
      items.push(...page.items);
      ({ nextCursor: cursor, total } = page);
    } while (cursor !== null);
    expect(items).toHaveLength(total);
    return items;
  }

  /** `data` of an endpoint. */
  async endpoint<Name extends QueryName>(name: Name, input: QueryInput<Name>): Promise<Json> {
    const answer: Json = await this.#application.ask(name, EVERYONE_IS_ADMIN, input);
    return answer.kind === 'page' ? answer.items : answer.item;
  }
}

/** Compares large answers, for which `toEqual` alone is slow. */
function expectSame(shown: Json, data: Json): void {
  if (JSON.stringify(shown) !== JSON.stringify(data)) expect(shown).toEqual(data);
}

/** The fields of the data that the tool shows. */
function shownOf(data: Json, shown: Json): Json {
  if (Array.isArray(shown)) return shown.map((item, index) => shownOf(data?.[index], item));
  if (typeof shown !== 'object' || shown === null || typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, shownOf(data[key], value)]));
}

/** Every field of the tool's items is that of the endpoint's, in the same order. */
function expectFields(items: readonly Json[], data: readonly Json[]): void {
  expect(items).toHaveLength(data.length);
  expectSame(items, shownOf(data, items));
}

const ALL = { limit: 1000, format: 'json' } as const;

async function compareLists(of: Compared): Promise<void> {
  const savings = { ...ALL, sort: '-savingsPerMonthUsd' } as const;
  expectFields(await of.items('list_workloads'), await of.endpoint('listRecommendations', savings));
  for (const status of ['awaiting', 'idle', 'applied'] as const) {
    const given = { status, namespace: 'shop' };
    expectFields(
      await of.items('list_workloads', given),
      await of.endpoint('listRecommendations', { ...savings, state: [status], namespace: ['shop'] }),
    );
  }
  expectSame(
    await of.items('list_exceptions', { type: 'limit' }),
    await of.endpoint('listLimitExceptions', { ...ALL, sort: '-openedAt', state: ['open'] }),
  );
  expectSame(
    await of.items('list_idle_workloads'),
    await of.endpoint('listIdleWorkloads', { ...ALL, sort: '-projectedSavings.cpuMillicores' }),
  );
  expectFields(await of.items('list_nodes'), await of.endpoint('listNodes', { ...ALL, sort: '-utilization.cpuRatio' }));
  expect([await of.items('list_scheduled_scales'), await of.items('list_exceptions', { type: 'storage' })]).toEqual([[], []]);
}

async function compareHealth(of: Compared): Promise<void> {
  const recommendations: readonly Json[] = await of.endpoint('listRecommendations', { ...ALL, sort: 'name' });
  const exceptions: readonly Json[] = await of.endpoint('listLimitExceptions', { ...ALL, sort: 'name', state: ['open'] });
  const namespaces: readonly Json[] = await of.endpoint('listNamespaces', { ...ALL, sort: '-health' });
  const count = (list: readonly Json[], namespace: string, state: string): number =>
    list.filter((item) => item.namespace === namespace && item.state === state).length;
  expect(await of.items('get_namespace_health')).toEqual(
    namespaces.map(({ name, health, workloads }) => ({
      namespace: name,
      status: health,
      workloads,
      idle: count(recommendations, name, 'idle'),
      awaiting: count(recommendations, name, 'awaiting'),
      openLimitExceptions: count(exceptions, name, 'open'),
      openStorageExceptions: null,
    })),
  );
}

async function compareWorkload(of: Compared, world: DashboardWorld): Promise<void> {
  const { cluster } = world;
  for (const { namespace, kind, name } of cluster.workloadList.slice(0, WITH_USAGE)) {
    const target = { namespace, name, kind };
    const { item } = await of.tool('get_workload', target);
    const { audit, classes, containers, ...rest } = await of.endpoint('getRecommendation', { target });
    const prefix = (shown: readonly Json[], all: readonly Json[]): void => expectSame(shown, all.slice(0, shown.length));
    for (const [field, value] of Object.entries(rest)) expectSame(item[field], value);
    prefix(item.containers, containers);
    prefix(item.classes, classes);
    for (const list of ['containers', 'wouldChangeIt'] as const) prefix(item.audit[list], audit[list]);
    expect(audit.rules).toEqual(expect.arrayContaining(item.audit.rules));
    expect(item.audit.money.totalPerMonthUsd).toEqual(audit.money.totalPerMonthUsd);
    const usage = await of.tool('get_workload_usage', { ...target, duration: '24h' });
    const series = await of.endpoint('getWorkloadUsage', { target, duration: '24h', step: `${usage.item.stepSeconds}s` });
    const shown = series.series.filter((each: Json) => each.name === 'used' || each.name === 'replicas');
    expectSame(usage.item, { ...series, series: shown.slice(0, usage.item.series.length) });
    expect(usage.item.series[0].points.length).toBeGreaterThanOrEqual(24);
  }
}

async function compareCluster(of: Compared): Promise<void> {
  expectSame((await of.tool('get_cluster_summary')).item, await of.endpoint('getCluster', {}));
  const { item } = await of.tool('get_cluster_usage', { duration: '24h' });
  expectSame(item, await of.endpoint('getClusterUsage', { duration: '24h', step: `${item.stepSeconds}s` }));
  const { item: maintenance } = await of.tool('get_maintenance_status');
  const awaiting = await of.endpoint('listRecommendations', { ...ALL, sort: 'name', state: ['awaiting'] });
  const cycles = await of.endpoint('listResizeStats', { ...ALL, sort: '-startedAt' });
  expect(maintenance.mode).toBe((await of.endpoint('getMode', {})).mode);
  expect(maintenance.resize).toEqual({ next: null, deferred: awaiting.length, latest: cycles[0] ?? null });
  const { item: scaling } = await of.tool('get_scaling_status');
  const starting = await of.endpoint('listNodes', { ...ALL, sort: '-createdAt', phase: ['bootstrapping'] });
  expect(scaling.bootstrapping.map(({ node }: Json) => node)).toEqual(starting.map(({ name }: Json) => name));
}

describe('tools answer what their endpoints answer', () => {
  test.each(Array.from({ length: WORLDS / PER_TEST }, (_, index) => index * PER_TEST))('in the clusters from %s', async (first) => {
    for (let seed = first; seed < first + PER_TEST; seed += 1) {
      const world = randomCluster(seed);
      const of = new Compared(world);
      await compareLists(of);
      await compareHealth(of);
      await compareWorkload(of, world);
      await compareCluster(of);
    }
  });
});

test('every tool is compared, but for one that is not available yet', () => {
  expect(TOOLS.map(({ name }) => name).filter((name) => !compared.has(name))).toEqual(['get_scheduled_scale']);
});
