// The MCP server of a controller: a client of the 1.x SDK calls every tool on a cluster whose containers have secret environment variables.

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { connectClient, type Json } from '../fakes/clients/mcp-client.ts';
import { knownSecret } from '../fakes/known-secrets.ts';
import { NAMESPACE, startConstantCluster } from './constant-cluster.ts';
import { startController } from './controller-process.ts';
import { TestFixture } from './processes.ts';

let fixture: TestFixture;
beforeEach(() => {
  fixture = new TestFixture();
});
afterEach(() => fixture.tearDown());

test(
  'answers from the cluster, without environment variables, and its first calls are access events of their own',
  async () => {
    const containers = [{ name: 'app', resources: { requests: { cpu: '1' } }, uses: { cpuMillicores: 100, memoryMib: 100 } }];
    const workload = { kind: 'Deployment', name: 'web', replicas: 1, containers } as const;
    const { demo, cluster } = await startConstantCluster(fixture, 'mcp', [workload], 60);
    const password = knownSecret('an environment variable', 'db-password-8841');
    const container = { name: 'app', image: 'app:1', env: [{ name: 'PASSWORD', value: password }] };
    const template = { metadata: { annotations: { password } }, spec: { containers: [container] } };
    await cluster.merge(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/web`, { spec: { template } });
    await eventually('the variable: a pod has it', HANG_MS, async () =>
      JSON.stringify(await cluster.pods(NAMESPACE)).includes(password) ? true : undefined,
    );
    const controller = await startController(fixture, { 'kubernetes.kubeconfig': demo.kubeconfig });
    const client = await connectClient(controller.dashboard);
    fixture.addCleanup(() => client.close());
    const call = async (name: string, given: object = {}): Promise<Json> => {
      const result = await client.callTool({ name, arguments: { ...given } });
      fixture.recordOutput(`the answer of ${name}`, JSON.stringify(result));
      return result;
    };
    await eventually('a replica: the workload has one', HANG_MS, async () => {
      const { structuredContent } = await call('list_workloads', { namespace: NAMESPACE });
      return structuredContent?.items[0]?.replicas === 1 ? true : undefined;
    });
    const { tools } = await client.listTools();
    const target = { namespace: NAMESPACE, name: 'web' };
    const answers = new Map<string, Json>();
    for (const { name, inputSchema } of tools) {
      answers.set(name, await call(name, (inputSchema.required ?? []).length === 0 ? {} : target));
    }
    expect(answers.size).toBe(13);
    expect([...answers].filter(([, { isError }]) => isError === true).map(([name]) => name)).toEqual(['get_scheduled_scale']);
    expect(answers.get('get_workload').structuredContent.item).toMatchObject({ namespace: NAMESPACE, kind: 'Deployment', name: 'web' });
    expect(answers.get('list_nodes').structuredContent.total).toBe(3);
    const events = (await (await fetch(`${controller.dashboard}/api/v1/access-events?limit=20`)).json()) as Json;
    expect(events.data.map(({ action }: Json) => action)).toContain('mcp/list_workloads');
  },
  HANG_TEST_MS,
);
