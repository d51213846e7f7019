// Admission: quotas, LimitRanges, priorities, service accounts; and rules of single kinds.

import { expect } from '@jest/globals';
import { area, type CaseContext } from '../contract-case.ts';
import type { Json, RawResponse } from '../raw-client.ts';
import { expectInvalid, expectStatus, inNamespace, inNamespaceForPods, type NamespaceClient } from '../namespace-client.ts';
import { aConfigMap, aContainer, aPod, aPodWith, aService } from '../objects.ts';

const QUOTAS = 'resourcequotas';
const PROBED = { 'count/configmaps': '0' };
const DRY_RUN = { dryRun: 'All' };

async function quota(api: NamespaceClient, given: CaseContext, hard: Json, more: Json = {}): Promise<void> {
  // A scoped quota counts only pods.
  const scoped = more['scopes'] !== undefined;
  const counted: Json = scoped ? hard : { ...hard, ...PROBED };
  await api.made(QUOTAS, { metadata: { name: 'team' }, spec: { hard: counted, ...more } });
  await given.eventually('the quota has its use: the quota controller counts it', async () => {
    const { status } = await api.stored(QUOTAS, 'team');
    return Object.keys(counted).every((key) => status?.used?.[key] !== undefined);
  });
  // A real server decides from a cache: a dry run of a forbidden object shows when the cache has the quota.
  await given.eventually('the quota is enforced: the cache of quotas follows every write', async () => {
    const probe = scoped ? api.create('pods', aPod('probe'), DRY_RUN) : api.create('configmaps', { metadata: { name: 'probe' } }, DRY_RUN);
    return (await probe).status === 403;
  });
}

function forbids(answer: RawResponse, name: string, why: string | RegExp, kind = 'pods'): void {
  const message = typeof why === 'string' ? `${kind} "${name}" is forbidden: ${why}` : why;
  expectStatus(answer, 403, 'Forbidden', message, { name, kind });
}

async function bounds(api: NamespaceClient, given: CaseContext, ...limits: Json[]): Promise<void> {
  await api.made('limitranges', { metadata: { name: 'bounds' }, spec: { limits } });
  // A real server reads LimitRanges from a cache: a dry run of a pod without resources shows when the cache has them.
  await given.eventually('the LimitRange is applied: the cache of LimitRanges follows every write', async () => {
    const answer = await api.create('pods', aPod('probe'), { dryRun: 'All' });
    return answer.status === 403 || answer.body.metadata.annotations?.['kubernetes.io/limit-ranger'] !== undefined;
  });
}

const OF_PODS = inNamespaceForPods({
  'a quota refuses what exceeds it, with the amounts': async (api, given) => {
    await quota(api, given, { 'requests.cpu': '1', pods: '5' });
    await api.made('pods', aPodWith('first', { requests: { cpu: '600m' } }));
    const answer = await api.create('pods', aPodWith('second', { requests: { cpu: '600m' } }));
    forbids(answer, 'second', 'exceeded quota: team, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1');
  },

  'a quota of pods counts them': async (api, given) => {
    await quota(api, given, { pods: '1' });
    await api.made('pods', aPod('first'));
    forbids(await api.create('pods', aPod('second')), 'second', 'exceeded quota: team, requested: pods=1, used: pods=1, limited: pods=1');
  },

  'several exceeded limits are reported together': async (api, given) => {
    await quota(api, given, { 'requests.cpu': '100m', 'requests.memory': '64Mi' });
    const answer = await api.create('pods', aPodWith('big', { requests: { cpu: '1', memory: '1Gi' } }));
    forbids(
      answer,
      'big',
      'exceeded quota: team, requested: requests.cpu=1,requests.memory=1Gi, used: requests.cpu=0,requests.memory=0, limited: requests.cpu=100m,requests.memory=64Mi',
    );
  },

  'a quota of CPU refuses a pod that does not set it': async (api, given) => {
    await quota(api, given, { 'limits.cpu': '4', 'requests.memory': '4Gi' });
    forbids(
      await api.create('pods', aPod('open')),
      'open',
      'failed quota: team: must specify limits.cpu for: main; requests.memory for: main',
    );
  },

  'a quota releases the usage of a deleted object': async (api, given) => {
    await quota(api, given, { pods: '1' });
    await api.made('pods', aPod('first'));
    await api.remove('pods', 'first');
    await given.eventually(
      'a second pod is admitted: the quota controller counts anew after a deletion',
      async () => (await api.create('pods', aPod('second'))).status === 201,
    );
  },

  'a scoped quota counts only the pods of its scope': async (api, given) => {
    await quota(api, given, { pods: '0' }, { scopes: ['BestEffort'] });
    expect((await api.create('pods', aPodWith('burstable', { requests: { cpu: '1' } }))).status).toBe(201);
    forbids(await api.create('pods', aPod('effort')), 'effort', 'exceeded quota: team, requested: pods=1, used: pods=0, limited: pods=0');
  },

  'a LimitRange sets the defaults of a container, and adds an annotation about them': async (api, given) => {
    await bounds(api, given, { type: 'Container', default: { cpu: '500m' }, defaultRequest: { cpu: '100m' } });
    const { metadata, spec } = await api.made('pods', aPod('filled'));
    expect([spec.containers[0].resources, metadata.annotations]).toEqual([
      { limits: { cpu: '500m' }, requests: { cpu: '100m' } },
      { 'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu request for container main; cpu limit for container main' },
    ]);
  },

  'a LimitRange keeps the values that a container sets': async (api, given) => {
    await bounds(api, given, { type: 'Container', default: { cpu: '500m' }, defaultRequest: { cpu: '100m' } });
    const resources = { requests: { cpu: '200m' }, limits: { cpu: '300m' } };
    const { metadata, spec } = await api.made('pods', aPodWith('said', resources));
    expect([spec.containers[0].resources, metadata.annotations]).toEqual([resources, undefined]);
  },

  'a LimitRange refuses less than its minimum': async (api, given) => {
    await bounds(api, given, { type: 'Container', min: { cpu: '100m' }, max: { cpu: '1' } });
    const answer = await api.create('pods', aPodWith('small', { requests: { cpu: '50m' }, limits: { cpu: '200m' } }));
    forbids(answer, 'small', 'minimum cpu usage per Container is 100m, but request is 50m');
  },

  'a LimitRange refuses more than its maximum': async (api, given) => {
    await bounds(api, given, { type: 'Container', max: { cpu: '1' } });
    const answer = await api.create('pods', aPodWith('large', { requests: { cpu: '500m' }, limits: { cpu: '2' } }));
    forbids(answer, 'large', 'maximum cpu usage per Container is 1, but limit is 2');
  },

  'a LimitRange of type Pod sums the containers': async (api, given) => {
    await bounds(api, given, { type: 'Pod', max: { cpu: '1' } });
    const containers = ['a', 'b'].map((name) => aContainer({ name, resources: { requests: { cpu: '600m' }, limits: { cpu: '600m' } } }));
    forbids(await api.create('pods', aPod('two', { containers })), 'two', 'maximum cpu usage per Pod is 1, but limit is 1200m');
  },

  'a LimitRange bounds the ratio of limits to requests': async (api, given) => {
    await bounds(api, given, { type: 'Container', maxLimitRequestRatio: { cpu: '2' }, max: { cpu: '10' } });
    const answer = await api.create('pods', aPodWith('steep', { requests: { cpu: '100m' }, limits: { cpu: '400m' } }));
    forbids(answer, 'steep', 'cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000');
  },

  'a priority class sets the priority': async (api) => {
    const { spec } = await api.made('pods', aPod('critical', { priorityClassName: 'system-cluster-critical' }), { dryRun: 'All' });
    expect([spec.priority, spec.preemptionPolicy]).toEqual([2_000_000_000, 'PreemptLowerPriority']);
  },

  'a custom priority class sets the priority and the preemption policy': async (api, given) => {
    const name = `rule-${given.id}`;
    await given.create('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, value: 1000, preemptionPolicy: 'Never' });
    const made = await given.eventually('the class is known: the cache of classes follows every write', async () => {
      const answer = await api.create('pods', aPod('ranked', { priorityClassName: name }), { dryRun: 'All' });
      return answer.status === 201 ? answer.body : undefined;
    });
    expect([made.spec.priority, made.spec.preemptionPolicy]).toEqual([1000, 'Never']);
  },

  'a missing priority class is refused': async (api) => {
    forbids(
      await api.create('pods', aPod('ranked', { priorityClassName: 'absent' })),
      'ranked',
      'no PriorityClass with name absent was found',
    );
  },

  'a priority that differs from its class is refused': async (api) => {
    const answer = await api.create('pods', aPod('ranked', { priority: 7 }));
    forbids(
      answer,
      'ranked',
      'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    );
  },

  'a missing service account is refused': async (api) => {
    const answer = await api.create('pods', aPod('served', { serviceAccountName: 'absent' }));
    forbids(answer, 'served', `error looking up service account ${api.namespace}/absent: serviceaccount "absent" not found`);
  },

  'the image of a pod can be changed': async (api) => {
    await api.made('pods', aPod('changed'));
    const { spec } = await api.patched('strategic', 'pods', 'changed', { spec: { containers: [{ name: 'main', image: 'web:2' }] } });
    expect(spec.containers[0].image).toBe('web:2');
  },

  'other fields of a pod cannot be changed': async (api) => {
    await api.made('pods', aPod('fixed'));
    const answer = await api.patch('merge', 'pods', 'fixed', { spec: { terminationGracePeriodSeconds: 5 } });
    expectInvalid(answer, 'Pod', 'fixed', [
      [
        'FieldValueForbidden',
        'spec',
        /^Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,`spec\.initContainers\[\*\]\.image`,`spec\.activeDeadlineSeconds`,`spec\.tolerations` \(only additions to existing tolerations\),`spec\.terminationGracePeriodSeconds` \(allow it to be set to 1 if it was previously negative\)/,
      ],
    ]);
  },

  'a deadline of a pod can be shortened, not lengthened': async (api) => {
    await api.made('pods', aPod('timed', { activeDeadlineSeconds: 100 }));
    await api.patched('merge', 'pods', 'timed', { spec: { activeDeadlineSeconds: 50 } });
    expectInvalid(await api.patch('merge', 'pods', 'timed', { spec: { activeDeadlineSeconds: 60 } }), 'Pod', 'timed', [
      ['FieldValueInvalid', 'spec.activeDeadlineSeconds', 'Invalid value: 60: must be less than or equal to previous value'],
    ]);
  },

  'a scheduling gate can be removed, not added': async (api) => {
    await api.made('pods', aPod('gated', { schedulingGates: [{ name: 'example.com/a' }] }));
    const add = { spec: { schedulingGates: [{ name: 'example.com/a' }, { name: 'example.com/b' }] } };
    expectInvalid(await api.patch('merge', 'pods', 'gated', add), 'Pod', 'gated', [
      [
        'FieldValueForbidden',
        'spec.schedulingGates[1].name',
        "Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/b'",
      ],
    ]);
    expect((await api.patched('merge', 'pods', 'gated', { spec: { schedulingGates: null } })).spec.schedulingGates).toBeUndefined();
  },
});

const PLAIN = inNamespace({
  'a quota counts objects of any kind': async (api, given) => {
    await quota(api, given, { 'count/deployments.apps': '0' });
    const { status, body } = await api.create('deployments.apps', {
      metadata: { name: 'x' },
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [aContainer()] } } },
    });
    expect([status, body.message]).toEqual([
      403,
      'deployments.apps "x" is forbidden: exceeded quota: team, requested: count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0',
    ]);
  },

  'a quota counts services with node ports': async (api, given) => {
    await quota(api, given, { 'services.nodeports': '0' });
    expect((await api.create('services', aService('plain'))).status).toBe(201);
    const answer = await api.create('services', aService('exposed', { type: 'NodePort' }));
    forbids(
      answer,
      'exposed',
      'exceeded quota: team, requested: services.nodeports=1, used: services.nodeports=0, limited: services.nodeports=0',
      'services',
    );
  },

  'stringData of a Secret is encoded into data, and not returned': async (api) => {
    const { data, stringData } = await api.made('secrets', {
      metadata: { name: 's' },
      data: { a: 'eA==' },
      stringData: { a: 'hello', b: 'y' },
    });
    expect([data, stringData]).toEqual([{ a: 'aGVsbG8=', b: 'eQ==' }, undefined]);
  },

  'data of a Secret that is not base64 is refused': async (api) => {
    const { status, body } = await api.create('secrets', { metadata: { name: 's' }, data: { a: '%%%' } });
    expect([status, body.message]).toEqual([
      400,
      'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0',
    ]);
  },

  'the type of a Secret is immutable': async (api) => {
    await api.made('secrets', { metadata: { name: 's' }, type: 'example.com/a' });
    expectInvalid(await api.patch('merge', 'secrets', 's', { type: 'example.com/b' }), 'Secret', 's', [
      ['FieldValueInvalid', 'type', 'Invalid value: "example.com/b": field is immutable'],
    ]);
  },

  'a TLS Secret requires both keys': async (api) => {
    const { status, body } = await api.create('secrets', { metadata: { name: 's' }, type: 'kubernetes.io/tls', data: {} });
    expect([status, body.details.causes.map((cause: Json) => cause.field)]).toEqual([422, ['data[tls.crt]', 'data[tls.key]']]);
  },

  'an immutable ConfigMap keeps its data': async (api) => {
    await api.made('configmaps', { ...aConfigMap('frozen', { a: '1' }), immutable: true });
    expectInvalid(await api.patch('merge', 'configmaps', 'frozen', { data: { a: '2' } }), 'ConfigMap', 'frozen', [
      ['FieldValueForbidden', 'data', 'Forbidden: field is immutable when `immutable` is set'],
    ]);
  },

  'an immutable ConfigMap cannot become mutable': async (api) => {
    await api.made('configmaps', { ...aConfigMap('frozen', { a: '1' }), immutable: true });
    expectInvalid(await api.patch('merge', 'configmaps', 'frozen', { immutable: false }), 'ConfigMap', 'frozen', [
      ['FieldValueForbidden', 'immutable', 'Forbidden: field is immutable when `immutable` is set'],
    ]);
  },

  'the labels of an immutable ConfigMap can be changed': async (api) => {
    await api.made('configmaps', { ...aConfigMap('frozen', { a: '1' }), immutable: true });
    expect((await api.patched('merge', 'configmaps', 'frozen', { metadata: { labels: { a: 'b' } } })).metadata.labels).toEqual({ a: 'b' });
  },

  'an object of more than a megabyte is refused': async (api) => {
    const { status, body } = await api.create('configmaps', aConfigMap('huge', { a: 'x'.repeat(1024 * 1024 + 1) }));
    expect([status, body.details.causes]).toEqual([
      422,
      [{ reason: 'FieldValueTooLong', field: '[]', message: 'Too long: may not be more than 1048576 bytes' }],
    ]);
  },

  'of two updates of a lease at the same resourceVersion one succeeds': async (api) => {
    const lease = await api.made('leases.coordination.k8s.io', { metadata: { name: 'lock' }, spec: { leaseDurationSeconds: 10 } });
    const take = (holderIdentity: string): Promise<RawResponse> =>
      api.replace('leases.coordination.k8s.io', { ...lease, spec: { ...lease.spec, holderIdentity } });
    const answers = await Promise.all([take('a'), take('b'), take('c')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  },

  'a lease keeps microseconds': async (api) => {
    const renewTime = '2026-01-02T03:04:05.678901Z';
    const { spec } = await api.made('leases.coordination.k8s.io', { metadata: { name: 'lock' }, spec: { renewTime } });
    expect(spec.renewTime).toBe(renewTime);
  },

  'the duration of a lease is greater than 0': async (api) => {
    const answer = await api.create('leases.coordination.k8s.io', { metadata: { name: 'lock' }, spec: { leaseDurationSeconds: 0 } });
    expectInvalid(answer, 'Lease.coordination.k8s.io', 'lock', [
      ['FieldValueInvalid', 'spec.leaseDurationSeconds', 'Invalid value: 0: must be greater than 0'],
    ]);
  },

  'an event is about an object of its namespace': async (api) => {
    const answer = await api.create('events', {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'elsewhere' },
    });
    expectInvalid(answer, 'Event', 'e', [
      ['FieldValueInvalid', 'involvedObject.namespace', 'Invalid value: "elsewhere": does not match event.namespace'],
    ]);
  },

  'an event keeps its count': async (api) => {
    const event = {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: api.namespace },
      reason: 'Tested',
      message: 'm',
      type: 'Normal',
      count: 3,
    };
    const made = await api.made('events', event);
    expect([made.count, made.reason, made.type]).toEqual([3, 'Tested', 'Normal']);
  },

  'events are selected by the object they are about': async (api) => {
    for (const name of ['p', 'q']) {
      await api.made('events', { metadata: { name: `about-${name}` }, involvedObject: { kind: 'Pod', name, namespace: api.namespace } });
    }
    const { body } = await api.client.get(api.path('events'), { fieldSelector: 'involvedObject.name=q' });
    expect(body.items.map((event: Json) => event.metadata.name)).toEqual(['about-q']);
  },
});

export const ADMISSION_CASES = area('admission', { ...OF_PODS, ...PLAIN });
