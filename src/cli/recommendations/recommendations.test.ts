import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Recommendation, RecommendationSpec, RecommendationStatus } from '../../apis/v1alpha1/index.ts';
import type { ApiRequest, ApiTransport } from '#kube/api-transport';
import type { Command, Terminal } from '../command.ts';
import type { ClusterConnection } from '../connect.ts';
import { APPROVE, REJECT, ROLLBACK } from './decide-commands.ts';
import { HOLD, RESUME } from './hold-commands.ts';
import { createRecommendCommand } from './recommend-command.ts';
import { requestCommand } from './request-command.ts';

const NOW = '2026-11-26T10:00:00Z';

/** The request of 500m and 512Mi with a recommendation of 120m and 256Mi, of a workload in mode Approve. */
function aRecommendation(name: string, status: Partial<RecommendationStatus> = {}, kind = 'Deployment'): Recommendation {
  return {
    apiVersion: 'evenkeel.io/v1alpha1',
    kind: 'Recommendation',
    metadata: { name: `${kind.toLowerCase()}-${name}`, namespace: 'shop', resourceVersion: '7' },
    spec: { targetRef: { apiVersion: 'apps/v1', kind, name } },
    status: {
      state: 'awaiting',
      reason: 'approval',
      mode: 'Approve',
      savingsPerMonthUsd: 2.391,
      containers: [
        {
          name: 'app',
          current: { requests: { cpu: '500m', memory: '512Mi' } },
          recommended: { requests: { cpu: '120m', memory: '256Mi' }, limits: { memory: '256Mi' } },
        },
      ],
      ...status,
    },
  };
}

let stored: Recommendation[];
let annotations: Readonly<Record<string, string>>;
let patchStatus: number;
let patches: Pick<ApiRequest, 'path' | 'body' | 'query'>[];

beforeEach(() => {
  stored = [aRecommendation('web')];
  annotations = {};
  patchStatus = 200;
  patches = [];
});

/** Answers lists, the review of the caller, reads of workloads and patches. */
const transport = {
  request: ({ method, path, body, query }: ApiRequest) => {
    const answer = (status: number, wire: unknown) => Promise.resolve({ status, headers: {}, body: wire });
    if (path.endsWith('/selfsubjectreviews')) {
      return answer(201, { metadata: { creationTimestamp: NOW }, status: { userInfo: { username: 'ann' } } });
    }
    if (method === 'PATCH') {
      patches.push({ path, body, ...(query === undefined ? {} : { query }) });
      return answer(patchStatus, {});
    }
    if (path.endsWith('/recommendations')) {
      const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
      const items = stored.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
      return answer(200, { metadata: { resourceVersion: '9' }, items });
    }
    return answer(200, { metadata: { annotations } });
  },
} as unknown as ApiTransport;

async function run(command: Command, ...args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal: Terminal = {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    environment: {},
    interrupted: new AbortController().signal,
  };
  const code = await command.run(args, terminal);
  return { code, out: out.join('\n'), err: err.join('\n') };
}
const connect = () => Promise.resolve({ transport, close: () => undefined } as unknown as ClusterConnection);
const request = (...args: Parameters<typeof requestCommand>) => requestCommand(args[0], connect);

describe('evenkeel approve, reject and rollback', () => {
  test('approve stores the displayed values with user and server time, unless the object has changed', async () => {
    expect(await run(request(APPROVE), 'shop/web')).toEqual({
      code: 0,
      out: 'approved for Deployment shop/web: app: cpu 500m → 120m, memory 512Mi → 256Mi, memory limit unset → 256Mi',
      err: '',
    });
    expect(patches).toEqual([
      {
        path: '/apis/evenkeel.io/v1alpha1/namespaces/shop/recommendations/deployment-web',
        query: { fieldManager: 'evenkeel-cli' },
        body: {
          metadata: { resourceVersion: '7' },
          spec: {
            approved: {
              by: 'ann',
              at: '2026-11-26T10:00:00.000Z',
              containers: [{ name: 'app', requests: { cpu: '120m', memory: '256Mi' }, limits: { memory: '256Mi' } }],
            },
            rejected: null,
          },
        },
      },
    ]);
  });

  test('a dry run is sent as one', async () => {
    expect((await run(request(REJECT), 'shop/web', '--dry-run')).out).toMatch(/^rejected .*\(dry run: nothing was stored\)$/);
    expect(patches[0]?.query).toEqual({ fieldManager: 'evenkeel-cli', dryRun: 'All' });
  });

  test.each<[string, Partial<RecommendationStatus>, RegExp]>([
    ['in mode Auto', { mode: 'Auto' }, /Deployment shop\/web is in mode Auto: its values are applied without an approval/],
    ['that is blocked', { state: 'blocked', message: 'cooldown' }, /The change is blocked: cooldown/],
    ['without a due change', { state: 'optimal' }, /No change is due\. Approve once the Recommendation awaits approval/],
    ['without a recommendation', { containers: [] }, /nothing is recommended yet/],
  ])('approve is refused for a workload %s', async (_, status, message) => {
    stored = [aRecommendation('web', status)];
    const { code, err } = await run(request(APPROVE), 'shop/web');
    expect([code, patches]).toEqual([1, []]);
    expect(err).toMatch(message);
  });

  test('approve ends a rejection', async () => {
    stored = [aRecommendation('web', { state: 'optimal', reason: 'rejected' })];
    expect((await run(request(APPROVE), 'shop/web')).code).toBe(0);
    expect(patches[0]?.body).toMatchObject({ spec: { rejected: null, approved: { by: 'ann' } } });
  });

  test.each([
    ['hold', 'is on hold until 2026-11-27T10:00:00Z: not now. End the hold (evenkeel resume, or DELETE …/hold), then approve.'],
    ['paused', 'Changes are paused: not now. End the pause, then approve.'],
    ['dry-run', 'in dry run: not now. End the dry run, then approve.'],
  ])('approve is refused during a %s, since it would be carried out hours later', async (reason, message) => {
    stored = [aRecommendation('web', { state: 'awaiting', reason, until: '2026-11-27T10:00:00Z', message: 'not now' })];
    const { code, err } = await run(request(APPROVE), 'shop/web');
    expect([code, patches]).toEqual([1, []]);
    expect(err).toContain(message);
  });

  test('approve names limits and the values of node classes, which it covers, too', async () => {
    const recommended = { requests: { cpu: '4' }, limits: { memory: '256Mi' } };
    const current = { requests: { cpu: '4' }, limits: { memory: '1Gi' } };
    stored = [
      aRecommendation('web', {
        containers: [{ name: 'app', current, recommended }],
        classes: [{ name: 'big', containers: [{ name: 'app', current, recommended: { requests: { cpu: '8' } } }] }],
      }),
    ];
    expect((await run(request(APPROVE), 'shop/web')).out).toBe(
      'approved for Deployment shop/web: app: memory limit 1Gi → 256Mi; app on big: cpu 4 → 8',
    );
  });

  test.each(['../web', 'shop/..', 'Shop/web', 'shop/web%2f'])('%s is refused before anything is read', async (argument) => {
    const { code, err } = await run(request(REJECT), argument);
    expect([code, err]).toEqual([2, `evenkeel reject: ${argument}: name the workload as NAMESPACE/NAME, such as shop/web`]);
  });

  test('rollback is refused in mode Off, where it would stay pending until the mode changes', async () => {
    stored = [aRecommendation('web', { mode: 'Off', state: 'excluded', previous: { at: NOW, containers: [] } })];
    const { code, err } = await run(request(ROLLBACK), 'shop/web');
    expect([code, patches]).toEqual([1, []]);
    expect(err).toContain('Deployment shop/web is in mode Off: this mode changes nothing');
  });

  test('values that are approved already are not approved anew, so that a roll-back returns to before all parts', async () => {
    await run(request(APPROVE), 'shop/web');
    const { approved } = (patches[0]?.body as { spec: Required<RecommendationSpec> }).spec;
    stored = stored.map((each) => ({ ...each, spec: { ...each.spec, approved } }));
    expect((await run(request(APPROVE), 'shop/web')).out).toMatch(/^already approved for Deployment shop\/web: /);
    expect(patches).toHaveLength(1);
  });

  test('an approval of values that are approved already ends a rejection that was stored besides', async () => {
    await run(request(APPROVE), 'shop/web');
    const { approved } = (patches[0]?.body as { spec: Required<RecommendationSpec> }).spec;
    stored = stored.map((each) => ({ ...each, spec: { ...each.spec, approved, rejected: approved } }));
    expect((await run(request(APPROVE), 'shop/web')).out).toMatch(/^approved for /);
    expect(patches.at(-1)?.body).toMatchObject({ spec: { rejected: null } });
  });

  test('values that are rejected already are not rejected anew', async () => {
    await run(request(REJECT), 'shop/web');
    const { rejected } = (patches[0]?.body as { spec: Required<RecommendationSpec> }).spec;
    stored = stored.map((each) => ({ ...each, spec: { ...each.spec, rejected } }));
    expect((await run(request(REJECT), 'shop/web')).out).toMatch(/^already rejected for Deployment shop\/web: /);
    expect(patches).toHaveLength(1);
  });

  test('a kind that no workload of the name has is named', async () => {
    expect((await run(request(APPROVE), 'shop/web', '--kind', 'StatefulSet')).err).toBe(
      'evenkeel approve: shop/web is no StatefulSet, but a Deployment',
    );
  });

  test('an object that was changed meanwhile is named with the remedy', async () => {
    patchStatus = 409;
    expect(await run(request(APPROVE), 'shop/web')).toMatchObject({
      code: 1,
      err: 'evenkeel approve: the object has changed meanwhile: read the values again, then repeat the command',
    });
  });

  test('rollback asks for the values before the last change, and names an earlier roll-back', async () => {
    stored = [aRecommendation('web', { previous: { at: NOW, containers: [] } })];
    expect((await run(request(ROLLBACK), 'shop/web')).code).toBe(0);
    expect(patches[0]?.body).toMatchObject({ spec: { rollback: { by: 'ann', at: '2026-11-26T10:00:00.000Z' }, approved: null } });
    stored = [aRecommendation('web', { classes: [{ name: 'small' }, { name: 'large', previous: { at: NOW, containers: [] } }] })];
    expect((await run(request(ROLLBACK), 'shop/web')).code).toBe(0);
    stored = [aRecommendation('web', { rolledBack: { at: NOW, heldUntil: '2026-11-27T10:00:00Z' } })];
    expect((await run(request(ROLLBACK), 'shop/web')).err).toMatch(
      /Already rolled back at 2026-11-26T10:00:00Z; .*until 2026-11-27T10:00:00Z/,
    );
  });

  test.each([
    [['shop/wbe'], 1, /no Recommendation for shop\/wbe; did you mean shop\/web\?/],
    [['shopp/web'], 1, /no Recommendation for shopp\/web; did you mean shop\/web\?/],
    [
      ['other/cart'],
      1,
      /no Recommendation for other\/cart: modes Observe and Off write none, and in other modes usage must be known first/,
    ],
    [['web'], 2, /web: name the workload as NAMESPACE\/NAME, such as shop\/web/],
    [[], 2, /name the workload as NAMESPACE\/NAME/],
    [['shop/web', 'shop/cart'], 2, /one workload at a time/],
    [['shop/web', '--knd', 'x'], 2, /--knd: unknown option/],
  ] as const)('%j is refused with what to write', async (args, code, message) => {
    const result = await run(request(APPROVE), ...args);
    expect(result.code).toBe(code);
    expect(result.err).toMatch(message);
  });

  test('a name of several kinds needs --kind', async () => {
    stored = [aRecommendation('web'), aRecommendation('web', {}, 'StatefulSet')];
    expect((await run(request(APPROVE), 'shop/web')).err).toContain('choose one by --kind (Deployment, StatefulSet)');
    expect((await run(request(APPROVE), 'shop/web', '--kind', 'statefulset')).code).toBe(0);
  });
});

describe('evenkeel hold and resume', () => {
  test('hold sets the annotation of the workload by the time of the server', async () => {
    expect((await run(request(HOLD as never), 'shop/web', '--for', '2h')).out).toBe(
      'Deployment shop/web is on hold until 2026-11-26T12:00:00.000Z',
    );
    expect(patches[0]).toMatchObject({
      path: '/apis/apps/v1/namespaces/shop/deployments/web',
      body: { metadata: { annotations: { 'evenkeel.io/held-until': '2026-11-26T12:00:00.000Z' } } },
    });
    expect((await run(request(HOLD as never), 'shop/web', '--for', '1s')).err).toContain('must be a duration from 1m to 90d');
  });

  test('resume removes the annotation, or sets it to now where a roll-back holds', async () => {
    expect((await run(request(RESUME), 'shop/web')).err).toContain('is not on hold');
    annotations = { 'evenkeel.io/held-until': NOW };
    expect((await run(request(RESUME), 'shop/web')).err).toContain('is not on hold');
    annotations = { 'evenkeel.io/held-until': '2026-11-27T00:00:00Z' };
    expect((await run(request(RESUME), 'shop/web')).code).toBe(0);
    stored = [aRecommendation('web', { rolledBack: { at: NOW, heldUntil: '2026-11-27T10:00:00Z' } })];
    await run(request(RESUME), 'shop/web');
    const classes = [{ name: 'small' }, { name: 'large', rolledBack: { at: NOW, heldUntil: '2026-11-27T10:00:00Z' } }];
    stored = [aRecommendation('web', { classes })];
    await run(request(RESUME), 'shop/web');
    expect(patches.map(({ body }) => body)).toEqual([
      { metadata: { annotations: { 'evenkeel.io/held-until': null } } },
      { metadata: { annotations: { 'evenkeel.io/held-until': '2026-11-26T10:00:00.000Z' } } },
      { metadata: { annotations: { 'evenkeel.io/held-until': '2026-11-26T10:00:00.000Z' } } },
    ]);
  });
});

describe('evenkeel recommend', () => {
  const recommend = (...args: readonly string[]) => run(createRecommendCommand(connect), ...args);

  test('prints present and recommended values side by side', async () => {
    expect((await recommend()).out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['NAMESPACE', 'KIND', 'NAME', 'CONTAINER', 'CPU NOW', 'CPU', 'MEMORY NOW', 'MEMORY', 'STATE', 'REASON', 'USD/MONTH'],
      ['shop', 'Deployment', 'web', 'app', '500m', '120m', '512Mi', '256Mi', 'awaiting', 'approval', 'saves 2.39'],
    ]);
  });

  test('prints one workload, and refuses what is no name', async () => {
    stored = [aRecommendation('web'), aRecommendation('api')];
    expect((await recommend('shop/api', '-o', 'csv')).out.split('\n')).toHaveLength(2);
    expect((await recommend('-n', '..')).err).toBe('evenkeel recommend: --namespace: .. is not the name of a namespace');
  });

  test('prints all kinds of a name, and refuses a second way to name the namespace', async () => {
    stored = [aRecommendation('web'), aRecommendation('web', {}, 'StatefulSet')];
    expect((await recommend('shop/web', '-o', 'csv')).out.split('\n')).toHaveLength(3);
    expect(await recommend('shop/web', '-n', 'data')).toMatchObject({
      code: 2,
      err: 'evenkeel recommend: --namespace: leave it out where a workload is named as NAMESPACE/NAME',
    });
  });

  test('warns where a patch would copy the values of mode Auto, and names no command for a kind that takes no merge', async () => {
    stored = [aRecommendation('web', { mode: 'Auto' }), aRecommendation('canary', {}, 'Rollout')];
    const { out } = await recommend('-o', 'patch');
    expect(out).toContain('# Mode Auto applies these values and follows usage; values that hold for weeks need mode Recommend or Approve.');
    expect(out).toContain('# Rollout shop/canary: copy the resources into its manifest');
  });

  test('prints a patch that can be copied', async () => {
    stored = [aRecommendation('web'), aRecommendation('report', {}, 'CronJob')];
    expect((await recommend('-n', 'shop', '-o', 'patch')).out)
      .toBe(`# Write each patch to a file of its own: evenkeel recommend NAMESPACE/NAME -o patch > FILE
# CronJob shop/report: kubectl patch cronjob report -n shop --patch-file FILE
spec:
  jobTemplate:
    spec:
      template:
        spec:
          containers:
            - name: app
              resources:
                requests:
                  cpu: 120m
                  memory: 256Mi
                limits:
                  memory: 256Mi
---
# Deployment shop/web: kubectl patch deployment web -n shop --patch-file FILE
spec:
  template:
    spec:
      containers:
        - name: app
          resources:
            requests:
              cpu: 120m
              memory: 256Mi
            limits:
              memory: 256Mi`);
  });

  test('prints CSV whose cells no spreadsheet evaluates', async () => {
    stored = [aRecommendation('web', { reason: '=1+1' })];
    expect((await recommend('-o', 'csv')).out.split('\n')).toEqual([
      'namespace,kind,name,container,cpu_now,cpu,memory_now,memory,state,reason,usd/month',
      "shop,Deployment,web,app,500m,120m,512Mi,256Mi,awaiting,'=1+1,saves 2.39",
    ]);
  });

  test('prints YAML', async () => {
    expect((await recommend('-o', 'yaml')).out).toContain('    - name: app\n      current:\n        requests:\n          cpu: 500m');
  });

  test('an unknown format is refused with those that exist', async () => {
    expect(await recommend('-o', 'xml')).toMatchObject({ code: 2, err: expect.stringContaining('must be one of table, yaml, csv, patch') });
  });

  test('without Recommendations says so', async () => {
    stored = [];
    expect(await recommend('-n', 'shop')).toEqual({ code: 0, out: '', err: 'evenkeel recommend: no Recommendations in namespace shop' });
  });
});
