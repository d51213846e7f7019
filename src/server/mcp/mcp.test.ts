// The MCP server over HTTP, with authentication off.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { dashboardWorld, type DashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../../test/fakes/clients/dashboard-client.ts';
import { connectClient } from '../../../test/fakes/clients/mcp-client.ts';

const TOOLS = [
  'list_workloads',
  'get_workload',
  'list_exceptions',
  'get_namespace_health',
  'list_scheduled_scales',
  'get_scheduled_scale',
  'get_workload_usage',
  'list_idle_workloads',
  'list_nodes',
  'get_scaling_status',
  'get_cluster_summary',
  'get_cluster_usage',
  'get_maintenance_status',
];
const CHECKOUT = { namespace: 'shop', name: 'checkout' };
const ARGUMENTS: Readonly<Record<string, object>> = { get_workload: CHECKOUT, get_workload_usage: CHECKOUT, get_scheduled_scale: CHECKOUT };

let world: DashboardWorld;
let dashboard: DashboardClient;
let client: Client;
beforeEach(async () => {
  world = dashboardWorld();
  dashboard = await startDashboard(world);
  client = await connectClient(dashboard.origin);
});
afterEach(async () => {
  await client.close();
  await dashboard.close();
});

describe('a client of the 1.x SDK', () => {
  test('lists the tools in a fixed order', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const tool of tools) {
      expect(tool.annotations).toEqual({
        title: tool.title,
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
      expect([tool.inputSchema['additionalProperties'], tool.outputSchema?.type]).toEqual([false, 'object']);
    }
  });

  test.each(TOOLS)('calls %s', async (name) => {
    await client.listTools();
    const result = await client.callTool({ name, arguments: { ...ARGUMENTS[name] } });
    const text = (result.content as readonly { readonly text: string }[])[0]?.text ?? '';
    if (name === 'get_scheduled_scale') {
      expect([result.isError, text.split(':')[0]]).toEqual([true, 'not_found']);
      return;
    }
    expect(result.isError).toBeUndefined();
    expect(JSON.parse(text)).toEqual(result.structuredContent);
  });
});
