// docs/modes-and-approving.md followed literally on a real control plane: its commands are read from the page and run by a shell with the
// permissions that the page names, and its claims are read back with kubectl.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { Recommendation as ApiRecommendation } from '../../src/apis/http/types.generated.ts';
import type { Recommendation, RecommendationStatus } from '../../src/apis/v1alpha1/index.ts';
import { buildBinaries } from '../../hack/real-cluster/binaries.ts';
import { DAY_MS, HOUR_MS, MiB, SECOND_MS } from '#kube/units';
import type { Controller } from '../e2e/controller-process.ts';
import { read, send } from '../e2e/dashboard.ts';
import { TestFixture } from '../e2e/processes.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS, type StateAndReason } from '../eventually.ts';
import { codeIn, DocumentedCommands, ReadersShell } from './documented-commands.ts';
import { CONTROLLER_USER, startControllerWithHistory, startInstalledCluster } from './installed-controller.ts';
import type { RealCluster } from './real-cluster.ts';
import { runningForAnHour } from './simulated-pods.ts';

/** The workload of the page is in `shop`; each other namespace has a policy in the mode of its name. */
const APPS = [
  { namespace: 'shop', name: 'web' },
  { namespace: 'observe', name: 'web' },
  { namespace: 'recommend', name: 'web' },
  { namespace: 'auto', name: 'web' },
  { namespace: 'auto', name: 'excluded' },
] as const;
type App = (typeof APPS)[number];
const WEB = APPS[0];

const USES = { cpuMillicores: 100, memoryBytes: 100 * MiB };
const BEFORE = { requests: { cpu: '200m', memory: '256Mi' }, limits: { memory: '512Mi' } };
/** 20 % above the usage, rounded up; limits are unchanged. */
const SHOWN = { requests: { cpu: '125m', memory: '120Mi' }, limits: { memory: '512Mi' } };
const REPLICAS = 2;

const page = new DocumentedCommands('docs/modes-and-approving.md');

let fixture: TestFixture;
let cluster: RealCluster;
let controller: Controller;
let shell: ReadersShell;

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await startInstalledCluster(fixture, 'modes', 2);
  for (const namespace of new Set(APPS.map((app) => app.namespace))) await post('/api/v1/namespaces', { metadata: { name: namespace } });
  for (const app of APPS) await createDeployment(app);
  await permitReader();
  const { kubectl } = await buildBinaries(['kubectl'], () => undefined);
  shell = new ReadersShell(fixture.folder, { kubectl, kubeconfig: await cluster.serviceAccountKubeconfig('shop', 'ann') });
  const workloads = APPS.map((app) => ({ ...app, container: 'app', uses: USES }));
  controller = await startControllerWithHistory(fixture, cluster, { workloads, spanMs: 2 * DAY_MS });
  await createPolicy('shop', { mode: 'Approve' });
  await createPolicy('observe', { mode: 'Observe' });
  // The default mode.
  await createPolicy('recommend', {});
  await createPolicy('auto', { mode: 'Auto' });
}, HANG_TEST_MS);

afterAll(() => fixture.tearDown(), HANG_TEST_MS);

describe('docs/modes-and-approving.md, commands', () => {
  test(
    'the values are shown by kubectl, and by evenkeel in each format of the page',
    async () => {
      await awaitApproval();
      const [, row = ''] = (await shell.succeed(page.line(/get rec .*-o wide/))).split('\n');
      expect(row.split(/ +/)).toEqual(expect.arrayContaining(['deployment-web', 'awaiting', 'approval', '200m', '125m', '256Mi', '120Mi']));
      const command = page.command('read the values');
      const formats = ['', '-o table', '-o yaml', '-o csv', '-o patch'];
      expect(page.rows.find(({ code }) => code.includes(command))?.code).toEqual([command, '-o table', 'yaml', 'csv', 'patch']);
      const [table = '', asTable, yaml = '', csv = '', patch] = await Promise.all(
        formats.map((format) => shell.succeed(`${command} ${format}`)),
      );
      expect(table).toMatch(/^shop +Deployment +web +app +200m +125m +256Mi +120Mi +awaiting +approval/m);
      expect(asTable).toBe(table);
      expect(parse(yaml)).toMatchObject([
        { namespace: 'shop', kind: 'Deployment', name: 'web', containers: [{ name: 'app', current: BEFORE, recommended: SHOWN }] },
      ]);
      expect(csv).toContain('\nshop,Deployment,web,app,200m,125m,256Mi,120Mi,awaiting,approval,');
      expect(await shell.succeed(page.command('copy a `resources:` block'))).toBe(patch);
    },
    HANG_TEST_MS,
  );

  test('the patch is one that kubectl applies to the workload', async () => {
    const file = join(fixture.folder, 'web.yaml');
    const patch = await shell.succeed(`${page.command('copy a `resources:` block')} | tee '${file}'`);
    const apply = /^# Deployment shop\/web: (kubectl patch .*)FILE$/m.exec(patch)?.[1] ?? '';
    const patched = JSON.parse(await shell.succeed(`${apply}'${file}' --dry-run=server -o json`)) as Deployment;
    expect(patched.spec.template.spec.containers).toMatchObject([{ name: 'app', image: 'registry.example/app:1', resources: SHOWN }]);
  });

  test('a dry run changes nothing', async () => {
    const before = await recommendation(WEB);
    for (const task of ['approve the values', 'reject them for 7 days', 'stop automatic changes for a time']) {
      expect(await shell.succeed(`${page.command(task)} --dry-run`)).toContain('(dry run: nothing was stored)');
    }
    expect((await recommendation(WEB)).spec).toEqual(before.spec);
    expect(await heldUntil()).toBeUndefined();
  });

  test('before a change there is nothing to roll back, and without a hold nothing to resume', async () => {
    expect(await shell.refuse(page.command('return to the values before'))).toContain('Nothing was changed yet');
    expect(await shell.refuse(page.command('end a hold, also that of a roll-back'))).toContain('Deployment shop/web is not on hold');
  });
});

/** One way to decide about the workload of the page. */
interface Way {
  hold(): Promise<unknown>;
  endHold(): Promise<unknown>;
  reject(): Promise<unknown>;
  endRejection?(): Promise<unknown>;
  approve(): Promise<unknown>;
  rollBack(): Promise<unknown>;
  endHoldOfRollBack(): Promise<unknown>;
  /** Messages of the refusals; kubectl alone refuses nothing. */
  readonly refused?: { approve(): Promise<string>; rollBack(): Promise<string> };
}

const byCommand: Way = {
  hold: () => shell.succeed(page.command('stop automatic changes for a time')),
  endHold: () => shell.succeed(page.command('end a hold, also that of a roll-back')),
  reject: () => shell.succeed(page.command('reject them for 7 days')),
  approve: () => shell.succeed(page.command('approve the values')),
  rollBack: () => shell.succeed(page.command('return to the values before')),
  endHoldOfRollBack: () => shell.succeed(page.command('end a hold, also that of a roll-back')),
  refused: {
    approve: () => shell.refuse(page.command('approve the values')),
    rollBack: () => shell.refuse(page.command('return to the values before')),
  },
};

const withValues = (pattern: RegExp): Promise<string> => shell.succeed(`${page.line(/^values=/)}\n${page.line(pattern)}`);
const byKubectl: Way = {
  hold: () => shell.succeed(page.line(/held-until=\$\(date -u -d '\+24 hours'/)),
  endHold: () => shell.succeed(page.line(/held-until-$/)),
  reject: () => withValues(/rejected: \{by/),
  endRejection: () => shell.succeed(page.line(/'spec: \{rejected: null\}'/)),
  approve: () => withValues(/approved: \{by/),
  rollBack: () => shell.succeed(page.line(/rollback: \{by/)),
  endHoldOfRollBack: () => shell.succeed(page.line(/held-until=\$\(date -u \+/)),
};

/** The requests and bodies of the page's sentence about the API, which names the full path of the first alone. */
const apiRequests = codeIn(/^The API has the same requests: .*?\n\n/ms.exec(page.text)?.[0] ?? '');

/** Status and message of a request that the page names. */
async function request(method: string, verb: string, body: unknown): Promise<{ readonly status: number; readonly message: string }> {
  const [, first = ''] = apiRequests[0]?.split(' ') ?? [];
  expect(apiRequests).toContain(`${method} ${verb === 'approve' ? first : `…/${verb}`}`);
  const path = first.replace('/approve', `/${verb}`);
  const { status, envelope } = await send(
    controller.dashboard,
    method,
    path.slice(1).replace('{ns}', 'shop').replace('{name}', 'web'),
    body,
  );
  return { status, message: envelope.error?.message ?? '' };
}
const accept = async (method: string, verb: string, body: unknown = {}): Promise<void> => {
  expect(await request(method, verb, body)).toEqual({ status: 200, message: '' });
};
const refuse = async (method: string, verb: string, body: unknown = {}): Promise<string> => {
  const { status, message } = await request(method, verb, body);
  expect(status).toBe(409);
  return message;
};
const seen = async (): Promise<Pick<ApiRecommendation, 'containers'>> => {
  const { containers } = await read<ApiRecommendation>(controller.dashboard, 'recommendations/shop/web');
  return { containers };
};
const byApi: Way = {
  hold: () => accept('PUT', 'hold', JSON.parse(apiRequests.find((code) => code.startsWith('{"for"')) ?? '')),
  endHold: () => accept('DELETE', 'hold'),
  reject: () => accept('POST', 'reject'),
  approve: async () => accept('POST', 'approve', await seen()),
  rollBack: () => accept('POST', 'rollback'),
  endHoldOfRollBack: () => accept('DELETE', 'hold'),
  refused: {
    approve: async () => refuse('POST', 'approve', await seen()),
    rollBack: () => refuse('POST', 'rollback'),
  },
};

describe.each([
  ['evenkeel', byCommand],
  ['kubectl alone', byKubectl],
  ['the API', byApi],
])('docs/modes-and-approving.md by %s', (_, way) => {
  test(
    'a hold lasts 24 hours, and is ended',
    async () => {
      await way.hold();
      const { until } = await statusOf(WEB, 'is on hold: the workload was annotated', ({ reason }) => reason === 'hold');
      expect(until).toBe(new Date((await heldUntil()) ?? '').toISOString());
      const hours = (Date.parse(until ?? '') - Date.now()) / HOUR_MS;
      expect(Math.round(hours)).toBe(24);
      await way.endHold();
      await awaitApproval();
      expect(await heldUntil()).toBeUndefined();
    },
    HANG_TEST_MS,
  );

  test(
    'rejected values are not recommended again for 7 days',
    async () => {
      await way.reject();
      const { until } = await statusOf(WEB, 'is rejected: a user rejected its values', ({ reason }) => reason === 'rejected');
      const { spec } = await recommendation(WEB);
      expect(spec.rejected?.containers).toEqual([{ name: 'app', ...SHOWN }]);
      expect(Date.parse(until ?? '') - Date.parse(spec.rejected?.at ?? '')).toBe(7 * DAY_MS);
      if (way.endRejection === undefined) return;
      await way.endRejection();
      await awaitApproval();
    },
    HANG_TEST_MS,
  );

  test(
    'approving applies exactly the values shown, in place; a second approval is refused with the remedy',
    async () => {
      const before = await podsOf(WEB);
      expect(before.map(({ resources }) => resources)).toEqual(onAllPods(BEFORE));
      await awaitSecondAfterRollBack();
      await way.approve();
      await statusOf(WEB, 'is applied: its values were approved', ({ state }) => state === 'applied');
      const { spec } = await recommendation(WEB);
      expect(spec.approved?.containers).toEqual([{ name: 'app', ...SHOWN }]);
      expect(spec.rejected).toBeUndefined();
      // Applied counts the pods with usage from their node: a busy machine may miss one for a moment.
      await everyPodHas(SHOWN, WEB, 'the approved values on every pod: one that was missed gets them when its kubelet responds again');
      expect(await podsOf(WEB)).toEqual(before.map((pod) => ({ ...pod, resources: SHOWN })));
      if (way.refused === undefined) return;
      expect(await way.refused.approve()).toMatch(/No change is due: in force on .*\. Approve once the Recommendation awaits approval\./);
    },
    HANG_TEST_MS,
  );

  test(
    'a roll-back returns to the values before and holds for 24 hours; a second one answers with both times',
    async () => {
      const before = await podsOf(WEB);
      await way.rollBack();
      await everyPodHas(BEFORE, WEB, 'the values before on every pod: a roll-back was requested');
      expect(await podsOf(WEB)).toEqual(before.map((pod) => ({ ...pod, resources: BEFORE })));
      const status = await statusOf(WEB, 'is on hold: it was rolled back', ({ reason }) => reason === 'hold');
      const { at = '', heldUntil: end = '' } = status.rolledBack ?? {};
      expect(Date.parse(end) - Date.parse(at)).toBe(DAY_MS);
      expect(status.until).toBe(end);
      expect(await cluster.kubectl('get', 'events', '-n', 'shop')).toContain('RolledBack');
      if (way.refused === undefined) {
        await awaitSecondAfterRollBack();
        await way.rollBack();
        await statusOf(WEB, 'has a new hold: kubectl requested a second roll-back', (now) => (now.rolledBack?.at ?? '') > at);
        expect((await podsOf(WEB)).map(({ resources }) => resources)).toEqual(onAllPods(BEFORE));
      } else {
        expect(await way.refused.rollBack()).toContain(`Already rolled back at ${at}; automatic changes are on hold until ${end}.`);
      }
      await way.endHoldOfRollBack();
      await awaitApproval();
    },
    HANG_TEST_MS,
  );
});

describe('docs/modes-and-approving.md, modes', () => {
  test(
    'Observe computes the values and shows them by the API, and writes no Recommendation',
    async () => {
      await eventuallyReads(
        'the API has the values: usage is known',
        HANG_MS,
        () => read<ApiRecommendation>(controller.dashboard, 'recommendations/observe/web'),
        ({ mode, containers }) => mode === 'Observe' && containers[0]?.recommended.requests.cpuMillicores === 125,
      );
      expect(await cluster.kubectl('get', 'rec', '-n', 'observe', '-o', 'name')).toBe('');
    },
    HANG_TEST_MS,
  );

  test(
    'Recommend is the default, and writes Recommendations; an approval is refused with the remedy',
    async () => {
      const { mode } = await statusOf(APPS[2], 'recommends: its policy has no mode', ({ state }) => state === 'recommended');
      expect(mode).toBe('Recommend');
      const administrator = `--kubeconfig '${cluster.kubeconfig}'`;
      const command = page.command('approve the values').replace('shop/', 'recommend/');
      expect(await shell.refuse(`${command} ${administrator}`)).toContain('Set the mode to Approve first, then approve.');
    },
    HANG_TEST_MS,
  );

  test(
    'Auto applies the values, and Off excludes one workload of its policy',
    async () => {
      await eventuallyReads(
        'the API reports the exclusion: the annotation of the workload has mode Off',
        HANG_MS,
        () => read<ApiRecommendation>(controller.dashboard, 'recommendations/auto/excluded'),
        ({ mode, state }) => mode === 'Off' && state === 'excluded',
      );
      await everyPodHas(SHOWN, APPS[3], 'the values on every pod: the policy is in mode Auto');
      expect(await cluster.kubectl('get', 'rec', '-n', 'auto', '-o', 'name')).toBe('recommendation.evenkeel.io/deployment-web\n');
    },
    HANG_TEST_MS,
  );

  test('no policy may have mode Off', async () => {
    await expect(createPolicy('off', { mode: 'Off' })).rejects.toThrow(/spec\.mode/);
  });

  test('nothing was applied in modes Observe, Recommend and Off', async () => {
    for (const app of [APPS[1], APPS[2], APPS[4]]) expect((await podsOf(app)).map(({ resources }) => resources)).toEqual(onAllPods(BEFORE));
    const resized = cluster.audit(({ user, objectRef }) => user.username === CONTROLLER_USER && objectRef?.subresource === 'resize');
    expect(new Set(resized.map(({ objectRef }) => objectRef?.namespace))).toEqual(new Set(['shop', 'auto']));
    expect(resized.filter(({ requestURI }) => requestURI.includes('/excluded-'))).toEqual([]);
  });
});

test('every command of docs/modes-and-approving.md was run', () => {
  expect(page.unused).toEqual([]);
});

interface Deployment {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly object[] } } };
}

interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly labels?: Readonly<Record<string, string>> };
  readonly status: { readonly containerStatuses?: readonly { readonly restartCount: number; readonly resources?: object }[] };
}

/** Name, UID and restarts of the workload's pods, with the resources that the kubelets report. */
async function podsOf({ namespace, name }: App) {
  const list = await cluster.kubectl('get', 'pods', '-n', namespace, '-l', `app=${name}`, '-o', 'json');
  return (JSON.parse(list) as { readonly items: readonly Pod[] }).items.map(({ metadata, status }) => ({
    name: metadata.name,
    uid: metadata.uid,
    restarts: status.containerStatuses?.[0]?.restartCount,
    resources: inOrder(status.containerStatuses?.[0]?.resources),
  }));
}

async function everyPodHas(wanted: object, app: App, state: StateAndReason): Promise<void> {
  const isWanted = ({ resources }: { readonly resources: object }): boolean => JSON.stringify(resources) === JSON.stringify(wanted);
  await eventuallyReads(
    state,
    HANG_MS,
    () => podsOf(app),
    (pods) => pods.every(isWanted),
  );
}

/** Requests, then limits, as in the constants of this suite. */
function inOrder({ requests, limits }: { readonly requests?: object; readonly limits?: object } = {}): object {
  return { requests, limits };
}

function onAllPods(resources: object): readonly object[] {
  return Array.from({ length: REPLICAS }, () => resources);
}

async function recommendation({ namespace, name }: App): Promise<Recommendation> {
  return JSON.parse(await cluster.kubectl('get', 'rec', '-n', namespace, `deployment-${name}`, '-o', 'json')) as Recommendation;
}

function statusOf(app: App, state: StateAndReason, isMet: (status: RecommendationStatus) => boolean): Promise<RecommendationStatus> {
  const readStatus = async (): Promise<RecommendationStatus> => (await recommendation(app)).status ?? {};
  return eventuallyReads(`the Recommendation of ${app.namespace}/${app.name} ${state}`, HANG_MS, readStatus, isMet);
}

/** Waits until the values of both resources await approval. */
async function awaitApproval(): Promise<void> {
  await statusOf(WEB, 'awaits approval: the policy is in mode Approve, and nothing blocks the change', ({ reason, containers = [] }) => {
    return reason === 'approval' && JSON.stringify(inOrder(containers[0]?.recommended)) === JSON.stringify(SHOWN);
  });
}

/** Times that a shell writes have whole seconds, and an approval that is not later than a roll-back has lapsed. */
async function awaitSecondAfterRollBack(): Promise<void> {
  const { status } = await recommendation(WEB);
  const after = Date.parse(status?.rolledBack?.at ?? '1970-01-01T00:00:00Z') + SECOND_MS;
  await eventually('a second has passed since the roll-back: time passes', HANG_MS, () => Date.now() >= after);
}

async function heldUntil(): Promise<string | undefined> {
  const { metadata } = JSON.parse(await cluster.kubectl('get', 'deployment', '-n', 'shop', 'web', '-o', 'json')) as Deployment;
  return metadata.annotations?.['evenkeel.io/held-until'];
}

function post(path: string, body: object): Promise<unknown> {
  return cluster.api.expect({ method: 'POST', path, body });
}

async function createDeployment({ namespace, name }: App): Promise<void> {
  const labels = { app: name };
  const annotations = { 'kwok.x-k8s.io/usage-cpu': '100m', 'kwok.x-k8s.io/usage-memory': '100Mi', ...runningForAnHour() };
  const container = { name: 'app', image: 'registry.example/app:1', resources: BEFORE };
  await post(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
    metadata: { name, labels, ...(name === 'excluded' ? { annotations: { 'evenkeel.io/mode': 'Off' } } : {}) },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec: { containers: [container] } },
    },
  });
}

function createPolicy(namespace: string, mode: { readonly mode?: string }): Promise<unknown> {
  const rule = { percentile: 0.95, margin: 0.2, limit: { rule: 'Keep' } };
  return post('/apis/evenkeel.io/v1alpha1/podresizepolicies', {
    apiVersion: 'evenkeel.io/v1alpha1',
    kind: 'PodResizePolicy',
    metadata: { name: namespace },
    spec: {
      ...mode,
      namespaces: [namespace],
      cpu: rule,
      memory: rule,
      minConfidence: 0,
      cooldown: '1s',
      interval: '2s',
      rollback: { within: '1s' },
    },
  });
}

/** The ServiceAccount of the page's reader, with the verbs that the page names. */
async function permitReader(): Promise<void> {
  const sentence = /as kubectl does: (.*?) on `recommendations\.evenkeel\.io`, and for `hold`\s+and `resume` (.*?) on the workload/s.exec(
    page.text,
  );
  const [, onRecommendations = '', onWorkload = ''] = sentence ?? [];
  const metadata = { name: 'ann' };
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/shop';
  await post('/api/v1/namespaces/shop/serviceaccounts', { metadata });
  await post(`${rbac}/roles`, {
    metadata,
    rules: [
      { apiGroups: ['evenkeel.io'], resources: ['recommendations'], verbs: codeIn(onRecommendations) },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: codeIn(onWorkload) },
    ],
  });
  await post(`${rbac}/rolebindings`, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'ann' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'shop', name: 'ann' }],
  });
}
