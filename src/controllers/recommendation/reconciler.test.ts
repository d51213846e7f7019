import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { amounts, anAdvice, aPodRecord, aWorkloadRecord, pods } from '../../../test/builders/rightsizing.ts';
import { validatorOf, crds } from '../../../test/builders/crds.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';

let world: ResizeWorld;
const validate = validatorOf(crds().find(({ spec }) => spec.names.kind === 'Recommendation')!);

beforeEach(() => {
  world = new ResizeWorld();
  world.advice.set(WEB, [anAdvice()]);
});

describe('a Recommendation', () => {
  test('is created for every workload, also where no policy governs it, and is owned by it', async () => {
    await world.run(MINUTE_MS);
    expect(world.recommendation()).toMatchObject({
      metadata: {
        name: 'deployment-web',
        namespace: 'shop',
        ownerReferences: [{ kind: 'Deployment', name: 'web', uid: 'uid-web', blockOwnerDeletion: false }],
      },
      spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
      status: {
        state: 'recommended',
        mode: 'Recommend',
        replicas: 3,
        requests: { current: { cpu: '500m', memory: '512Mi' }, recommended: { cpu: '100m', memory: '128Mi' } },
        containers: [{ name: 'main', recommended: { requests: { cpu: '100m', memory: '128Mi' } } }],
        source: 'kubelet',
      },
    });
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.status().savingsPerMonthUsd).toBeCloseTo(3 * (0.4 * 0.03 + 0.375 * 0.004) * 730, 1);
  });

  test('is valid by its schema in every state', async () => {
    world.setPolicy('all', { mode: 'Auto' });
    for (let minute = 0; minute < 120; minute += 5) {
      await world.run(5 * MINUTE_MS);
      expect(validate(world.recommendation()) || validate.errors).toBe(true);
    }
    expect(world.status().state).toBe('applied');
  });

  test('explains its numbers: the last step of each resource is the recommended request', async () => {
    await world.run(MINUTE_MS);
    const inputs = world.status().inputs!;
    expect(inputs.filter(({ resource }) => resource === 'cpu').at(-1)?.value).toBe(100);
    expect(inputs.filter(({ resource }) => resource === 'memory').at(-1)?.value).toBe(128 * 2 ** 20);
  });

  test('is not published in mode Observe, and deleted when the mode changes to it', async () => {
    await world.run(MINUTE_MS);
    expect(world.recommendation()).toBeDefined();
    world.setPolicy('all', { mode: 'Observe' });
    await world.run(MINUTE_MS);
    expect(world.recommendation()).toBeUndefined();
    expect(world.decisions.unpublished(WEB)?.state).toBe('recommended');
  });

  test('is written only when its contents change', async () => {
    await world.run(MINUTE_MS);
    const before = world.statusWrites;
    world.advice.set(WEB, [anAdvice({ cpu: '102m' })]);
    await world.run(50 * MINUTE_MS);
    expect(world.statusWrites).toBe(before);
    world.advice.set(WEB, [anAdvice({ cpu: '120m' })]);
    await world.run(6 * MINUTE_MS);
    expect(world.statusWrites).toBe(before + 1);
  });

  test('keeps its targetRef where the workload’s kind is served in another version, and follows its policy', async () => {
    world.setPolicy('all', { mode: 'Recommend' });
    await world.run(MINUTE_MS);
    const before = world.recommendation()?.spec.targetRef;
    world.cluster.workloadList = world.cluster.workloadList.map((workload) => ({ ...workload, apiVersion: 'apps/v2' }));
    world.setPolicy('more-specific', { mode: 'Recommend', namespaces: ['shop'] });
    await world.run(10 * MINUTE_MS);
    expect(world.recommendation()?.spec).toEqual({ targetRef: before, policyRef: { name: 'more-specific' } });
  });

  test('does not exist in kube-system unless a policy names that namespace', async () => {
    const system = aWorkloadRecord({ namespace: 'kube-system', name: 'dns', uid: 'uid-dns' });
    world.addWorkload(system, []);
    await world.run(10 * MINUTE_MS);
    expect(world.recommendation('kube-system/Deployment/dns')).toBeUndefined();
    world.setPolicy('system', { namespaces: ['kube-system'] });
    await world.run(10 * MINUTE_MS);
    expect(world.recommendation('kube-system/Deployment/dns')?.spec.policyRef).toEqual({ name: 'system' });
  });
});

describe('mode Auto', () => {
  beforeEach(() => world.setPolicy('all', { mode: 'Auto' }));

  test('resizes one pod, then the others, and reports it in status, Events, history and on the workload', async () => {
    await world.run(5 * MINUTE_MS);
    expect(world.cpus()).toEqual([100, 500, 500]);
    expect(world.status()).toMatchObject({ state: 'applying', apply: { stage: 'Canary' } });
    await world.run(HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
    expect(world.status()).toMatchObject({
      state: 'applied',
      lastApplied: { by: 'evenkeel', pods: 3 },
      previous: { containers: [{ requests: { cpu: '500m' } }] },
    });
    expect(world.events.filter(({ reason }) => reason === 'Resized')).toHaveLength(3);
    expect(world.applied.map(({ pod, outcome }) => `${pod} ${outcome}`)).toEqual(['web-1 applied', 'web-2 applied', 'web-3 applied']);
    expect([...world.annotations.keys()]).toEqual(['/apis/apps/v1/namespaces/shop/deployments/web']);
    expect(world.policy('all').status).toMatchObject({ workloads: { total: 1, applied: 1 }, savings: { potentialPerMonthUsd: 0 } });
    expect(world.cycleRecords.reduce((sum, cycle) => sum + cycle.changed, 0)).toBe(3);
  });

  test('a pod that is created later is resized once it runs', async () => {
    await world.run(HOUR_MS);
    world.cluster.podList = [...world.cluster.podList, aPodRecord({ name: 'web-4', labels: { workload: 'web' } })];
    await world.run(6 * MINUTE_MS);
    expect(world.cpus()).toEqual([100, 100, 100, 100]);
  });

  test('killed after any write and started again, it has the same final state and resizes no pod twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 8 }), async (deaths) => {
        const victim = new ResizeWorld();
        victim.advice.set(WEB, [anAdvice()]);
        victim.setPolicy('all', { mode: 'Auto' });
        for (const writes of deaths) {
          victim.diesAfterWrites = writes;
          await victim.run(7 * MINUTE_MS);
          victim.start();
        }
        await victim.run(3 * HOUR_MS);
        expect(victim.cpus()).toEqual([100, 100, 100]);
        expect(victim.status()).toMatchObject({
          state: 'applied',
          previous: { containers: [{ requests: { cpu: '500m', memory: '512Mi' } }] },
        });
        const resizes = victim.applied.filter(({ outcome }) => outcome === 'applied').length;
        expect(resizes).toBeLessThanOrEqual(3);
      }),
      { numRuns: 60 },
    );
  });

  test('logs each change of state once with its reason, and each resize with its values', async () => {
    await world.run(2 * HOUR_MS);
    world.requestByUser({ rollback: { by: 'ops@example.com', at: new Date(world.clock.now()).toISOString() } });
    await world.run(2 * HOUR_MS);
    const turns = world.log.lines.filter(({ message }) => message === 'Decided');
    expect(turns.map(({ level, fields }) => [level, fields['was'], fields['state'], fields['reason']])).toEqual([
      ['debug', undefined, 'applying', undefined],
      ['debug', 'applying', 'applied', undefined],
      ['info', 'applied', 'awaiting', 'hold'],
    ]);
    expect(turns[2]?.fields).toMatchObject({ why: 'held after a roll-back: requested by ops@example.com' });
    const resizes = world.log.lines.filter(({ message }) => message === 'Resized pod');
    expect(resizes).toHaveLength(6);
    expect(resizes[0]?.fields).toEqual({
      object: 'shop/web-1',
      owner: WEB,
      change: 'main: cpu 500m → 100m, memory 512Mi → 128Mi',
      reason: 'over-provisioned',
      usage: expect.stringMatching(/^main: cpu \d+m, memory \d+Mi$/),
      policy: 'all',
      cycle: expect.stringMatching(/^cycle-/),
    });
    const warnings = world.log.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message, fields }) => [message, fields])).toEqual([
      ['rolled back to the previous values: requested by ops@example.com', { object: WEB, event: 'RolledBack' }],
    ]);
  });

  test('when the term ends during a step, no further pod is resized', async () => {
    world.advice.set(WEB, [anAdvice({ cpu: '900m', memory: '1Gi' })]);
    const term = new AbortController();
    let resizes = 0;
    world.refuse = () => {
      resizes += 1;
      term.abort(new Error('the lease was lost'));
      return null;
    };
    await expect(world.recommendations.reconcile(WEB, term.signal)).rejects.toThrow('the lease was lost');
    expect(resizes).toBe(1);
    expect(world.cpus()).toEqual([900, 500, 500]);
  });

  test('only the leader acts', async () => {
    world.leader = false;
    await world.run(HOUR_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('in the warm-up of ten minutes no request falls, and too small ones grow at once', async () => {
    const world = new ResizeWorld({ warmUpMs: 10 * MINUTE_MS });
    world.setPolicy('all', { mode: 'Auto' });
    world.advice.set(WEB, [anAdvice()]);
    const small = aWorkloadRecord({ name: 'small', uid: 'uid-small' });
    world.addWorkload(
      small,
      pods(1, { container: { requests: amounts('50m', '64Mi') } }).map((pod) => ({ ...pod, name: 'small-1', uid: 'uid-small-1' })),
    );
    world.advice.set('shop/Deployment/small', [anAdvice()]);
    await world.run(9 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500, 100]);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'warm-up' });
    await world.run(HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100, 100]);
  });

  test('stale usage blocks changes, and the warm-up starts again after an outage', async () => {
    const stalled = world.clock.now();
    world.usageConfirmedAt = () => stalled;
    await world.run(2 * MINUTE_MS);
    const before = world.cpus();
    await world.run(HOUR_MS);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'stale-data' });
    expect(world.cpus()).toEqual(before);
  });

  test('pods of a node without usage wait for it; the others do not', async () => {
    world.setPods((pod) => (pod.name === 'web-2' ? { ...pod, node: 'n2' } : pod));
    world.unreadNodes.add('n2');
    await world.run(2 * HOUR_MS);
    expect(world.cpus()).toEqual([100, 500, 100]);
    expect(world.status()).toMatchObject({ lastApplied: { pods: 2 } });
    expect(world.status().apply).toBeUndefined();
    world.unreadNodes.clear();
    await world.run(HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
    expect(world.status().state).toBe('applied');
  });

  test('a pod of which its node reports nothing waits; other pods on the same node do not', async () => {
    world.silentPods.add('web-2');
    await world.run(2 * HOUR_MS);
    expect(world.cpus()).toEqual([100, 500, 100]);
    world.silentPods.clear();
    await world.run(HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
  });

  test('without usage from any node nothing changes, and the state reports it', async () => {
    world.unreadNodes.add('n1');
    await world.run(2 * HOUR_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'stale-data' });
  });

  test('on a busy node that measures no pressure nothing is reduced until it has CPU to spare', async () => {
    world.cpuOfNodesWithoutPressure.set('n1', 13_000);
    await world.run(2 * HOUR_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.status()).toMatchObject({
      state: 'awaiting',
      reason: 'unmeasured',
      message: expect.stringContaining('its CPU usage is 81 %'),
    });
    world.cpuOfNodesWithoutPressure.set('n1', 12_000);
    await world.run(2 * HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
  });

  test('the pause stops everything', async () => {
    world.pause = { reason: 'incident 42', until: null };
    await world.run(HOUR_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'paused', message: 'Evenkeel is paused: incident 42' });
  });

  test('raises that their nodes have no capacity for are counted in the status of the workload and of its policy', async () => {
    world.advice.set(WEB, [anAdvice({ cpu: '900m', memory: '1Gi' })]);
    await world.run(MINUTE_MS);
    const actual = aPodRecord().containers[0]!.actual;
    const since = world.clock.now();
    world.setPods((pod) =>
      pod.name === 'web-3'
        ? pod
        : {
            ...pod,
            containers: pod.containers.map((each) => ({ ...each, actual })),
            resize: { state: 'deferred', message: "Node didn't have enough resource: cpu", since },
          },
    );
    await world.run(6 * MINUTE_MS);
    expect(world.status().waitingForNodeCapacity).toEqual({
      pods: 2,
      since: new Date(since).toISOString(),
      requests: { cpu: '800m', memory: '1Gi' },
    });
    expect(validate(world.recommendation()) || validate.errors).toBe(true);
    expect(world.policy('all').status?.waitingForNodeCapacity).toEqual({ workloads: 1, pods: 2 });
    world.setPods((pod) => ({ ...pod, resize: aPodRecord().resize }));
    await world.run(6 * MINUTE_MS);
    expect([world.status().waitingForNodeCapacity, world.policy('all').status?.waitingForNodeCapacity]).toEqual([undefined, undefined]);
  });

  test('a pool that is scaled to zero caps no forecast of a workload that ran there', async () => {
    let requestedMaxCpu: number | null | undefined;
    world.onAdvise = (_, rules) => (requestedMaxCpu = rules.get('main')?.cpu.max);
    await world.run(MINUTE_MS);
    const large = world.cluster.nodeList[0]!;
    const small = { ...large, name: 'n2', allocatable: { cpuMillicores: 1000, memoryBytes: 2 ** 30 } };
    world.cluster.nodeList = [small];
    world.setPods((pod) => ({ ...pod, node: 'n2' }));
    world.start();
    await world.run(10 * MINUTE_MS);
    expect(requestedMaxCpu).toBe(large.allocatable.cpuMillicores);
    expect(validate(world.recommendation()) || validate.errors).toBe(true);
  });

  test('maxConcurrent applies to workloads that are reconciled at the same moment', async () => {
    const names = ['web', 'api', 'queue', 'cache'];
    for (const name of names.slice(1)) {
      const its = pods(3, { labels: { workload: name } }).map((pod) => ({
        ...pod,
        name: `${name}-${pod.name}`,
        uid: `${name}-${pod.uid}`,
      }));
      world.addWorkload(aWorkloadRecord({ name, uid: `uid-${name}` }), its);
    }
    for (const name of names) world.advice.set(`shop/Deployment/${name}`, [anAdvice()]);
    world.setPolicy('all', { mode: 'Auto', maxConcurrent: 2 });
    await Promise.all(names.map((name) => world.reconcile(`shop/Deployment/${name}`)));
    expect(names.map((name) => world.status(`shop/Deployment/${name}`).reason ?? null)).toEqual([null, null, 'concurrency', 'concurrency']);
    expect(world.cpus().filter((cpu) => cpu === 100)).toHaveLength(2);
    await world.run(3 * HOUR_MS);
    expect(new Set(world.cpus())).toEqual(new Set([100]));
  });

  test('dry run validates one pod with the API server and changes nothing', async () => {
    const dry = new ResizeWorld({ dryRun: true });
    dry.advice.set(WEB, [anAdvice()]);
    dry.setPolicy('all', { mode: 'Auto' });
    await dry.run(HOUR_MS);
    expect(dry.cpus()).toEqual([500, 500, 500]);
    expect(dry.status()).toMatchObject({ state: 'awaiting', reason: 'dry-run' });
    expect(dry.status().apply).toBeUndefined();
    expect(dry.applied.map(({ outcome }) => outcome)).toEqual(['dry-run']);
    expect(dry.log.lines.filter(({ level, message }) => level === 'info' && message.startsWith('Dry run'))).toHaveLength(1);
    expect(dry.policy('all').status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DryRun', status: 'True', reason: 'SetBySetting' }),
    );
  });

  test('a quota’s refusal is reported in its own words and not retried at once', async () => {
    let requestedMaxCpu = 0;
    world.refuse = () => {
      requestedMaxCpu += 1;
      return { kind: 'refused', status: 403, message: 'exceeded quota: team, requested: …', code: 'quota' };
    };
    await world.run(30 * MINUTE_MS);
    // Once per pod: a quota counts each of them separately.
    expect(requestedMaxCpu).toBe(3);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'quota', message: expect.stringContaining('exceeded quota: team') });
    expect(world.status().conditions).toContainEqual(expect.objectContaining({ type: 'Degraded', status: 'True' }));
    world.refuse = () => null;
    await world.run(2 * HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
  });

  test('a namespace that is being deleted is ignored: nothing can be created in it', async () => {
    world.cluster.namespaceList = [{ name: 'shop', labels: {}, deletionAt: world.clock.now() }];
    await world.run(HOUR_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect([world.recommendation(), world.decisions.find(WEB)]).toEqual([undefined, undefined]);
  });

  test('a conflict is retried soon; a deleted pod is forgotten', async () => {
    let times = 0;
    world.refuse = () => ((times += 1) <= 2 ? { kind: 'conflict', message: 'moved on' } : null);
    await world.run(2 * MINUTE_MS);
    expect(world.cpus()).toEqual([100, 500, 500]);
    world.cluster.podList = world.cluster.podList.slice(0, 2);
    await world.run(HOUR_MS);
    expect(world.cpus()).toEqual([100, 100]);
    world.cluster.workloadList = [];
    await world.run(10 * MINUTE_MS);
    expect(world.decisions.find(WEB)).toBeUndefined();
  });

  test('without pods/resize every change is blocked', async () => {
    world.inPlace = false;
    await world.run(HOUR_MS);
    expect(world.status()).toMatchObject({ state: 'blocked', reason: 'no-in-place' });
  });

  test('a doubled error rate rolls a change back', async () => {
    world = new ResizeWorld({ prometheus: true });
    world.advice.set(WEB, [anAdvice()]);
    world.setPolicy('all', { mode: 'Auto', rollback: { onErrorRateQuery: 'errors' } });
    await world.run(2 * MINUTE_MS);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'stale-data' });
    world.errorRate = 0.2;
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([100, 500, 500]);
    expect(world.status().apply?.errorRateBefore).toBe(0.2);
    world.errorRate = 0.5;
    await world.run(2 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.status().rolledBack).toMatchObject({ reason: 'errors', message: expect.stringContaining('from 0.2 to 0.5') });
  });

  test('restarts roll a change back; the hold doubles at the next roll-back', async () => {
    const crash = (): void =>
      world.setPods((pod) => ({
        ...pod,
        containers: pod.containers.map((each) =>
          each.requests.cpuMillicores === 100
            ? { ...each, lastTermination: { reason: 'Error', exitCode: 1, finishedAt: world.clock.now() } }
            : each,
        ),
      }));
    await world.run(2 * MINUTE_MS);
    crash();
    await world.run(5 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'rolled-back', rolledBack: { count: 1, reason: 'restarts' } });
    await world.run(DAY_MS);
    crash();
    await world.run(10 * MINUTE_MS);
    expect(world.status().rolledBack).toMatchObject({ count: 2 });
    const { at, heldUntil } = world.status().rolledBack!;
    expect(Date.parse(heldUntil!) - Date.parse(at)).toBe(2 * DAY_MS);
  });

  test('each request by a user rolls back once', async () => {
    await world.run(HOUR_MS);
    world.requestByUser({ rollback: { by: 'ops@example.com', at: new Date(world.clock.now()).toISOString() } });
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'hold' });
    await world.run(DAY_MS + 2 * HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
  });

  test('the annotation evenkeel.io/mode Off disables resizes; a floor is respected', async () => {
    world.cluster.workloadList = [aWorkloadRecord({ annotations: { 'evenkeel.io/mode': 'Off' } })];
    await world.run(HOUR_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.recommendation()).toBeUndefined();
  });
});

describe('mode Approve', () => {
  test('applies what was approved, and requires another approval for new values', async () => {
    world.setPolicy('all', { mode: 'Approve' });
    await world.run(HOUR_MS);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'approval' });
    expect(world.cpus()).toEqual([500, 500, 500]);
    const containers = world.status().containers!.map(({ name, recommended }) => ({ name, ...recommended }));
    world.requestByUser({ approved: { by: 'ops@example.com', at: new Date(world.clock.now()).toISOString(), containers } });
    await world.run(2 * HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
    expect(world.status().lastApplied?.by).toBe('ops@example.com');
    world.advice.set(WEB, [anAdvice({ cpu: '300m' })]);
    await world.run(10 * MINUTE_MS);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'approval' });
    await world.run(HOUR_MS);
    // It stays stored, and each decision finds it anew.
    expect(world.events.filter(({ reason }) => reason === 'ApprovalLapsed')).toHaveLength(1);
  });
});
