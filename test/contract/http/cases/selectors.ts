// Label and field selectors.

import { expect } from '@jest/globals';
import { area, expectRefusal, type CaseContext, type ContractCase } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';

type Labels = Readonly<Record<string, string>>;

const OBJECTS: Readonly<Record<string, Labels | undefined>> = {
  bare: undefined,
  'blue-1': { color: 'blue', size: '1', 'example.com/tier': 'front' },
  'blue-10': { color: 'blue', size: '10' },
  green: { color: 'green', empty: '' },
  red: { color: 'red', size: 'large' },
};

async function shelf(given: CaseContext): Promise<string> {
  const collection = `/api/v1/namespaces/${await given.namespace()}/secrets`;
  for (const [name, labels] of Object.entries(OBJECTS))
    await given.create(collection, { metadata: { name, labels }, type: `example.com/${name}` });
  return collection;
}

async function found(given: CaseContext, collection: string, query: Record<string, string>): Promise<string[]> {
  const { body } = await given.client.get(collection, query);
  return (body.items ?? [body.message]).map((item: Json) => item.metadata?.name ?? item);
}

/** By operator: a selector and the objects that it selects. */
const BY_LABEL: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  '= selects the value': ['color=blue', ['blue-1', 'blue-10']],
  '== is =': ['color==red', ['red']],
  '!= selects other values and objects without the label': ['color!=blue', ['bare', 'green', 'red']],
  'in selects any of the values': ['color in (blue, green)', ['blue-1', 'blue-10', 'green']],
  'notin selects other values and objects without the label': ['color notin (blue,green)', ['bare', 'red']],
  'a key without an operator selects objects with the label, whatever its value': ['empty', ['green']],
  '! selects objects without the label': ['!color', ['bare']],
  '> compares integers and ignores other values': ['size>5', ['blue-10']],
  '< compares integers and ignores other values': ['size<5', ['blue-1']],
  'requirements are ANDed': ['color=blue,size!=1', ['blue-10']],
  'a key with a prefix is one key': ['example.com/tier=front', ['blue-1']],
  'an empty value is a valid value': ['empty=', ['green']],
  'the empty selector selects everything': ['', ['bare', 'blue-1', 'blue-10', 'green', 'red']],
  'spaces around operators are ignored': [' color = blue , size = 10 ', ['blue-10']],
  'requirements that contradict each other select nothing': ['color=blue,color=red', []],
};

const NO_LABEL_SELECTOR: Readonly<Record<string, string>> = {
  'an invalid label value': 'color=not/a/value',
  'an invalid label key': 'a/b/c=d',
  'an operator without a key': '=blue',
  'in without parentheses': 'color in blue',
  'an ordered comparison with a string': 'size>large',
  'unclosed parentheses': 'color in (blue',
};

const BY_FIELD: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  'metadata.name selects one': ['metadata.name=red', ['red']],
  'metadata.name== is the same': ['metadata.name==red', ['red']],
  'metadata.name!= selects the others': ['metadata.name!=bare', ['blue-1', 'blue-10', 'green', 'red']],
  'the type of a Secret': ['type=example.com/green', ['green']],
  'field requirements are ANDed': ['metadata.name!=red,type!=example.com/green', ['bare', 'blue-1', 'blue-10']],
  'a missing name selects nothing': ['metadata.name=missing', []],
};

function rules<T>(
  table: Readonly<Record<string, T>>,
  prefix: string,
  run: (given: CaseContext, row: T) => Promise<void>,
): Record<string, ContractCase['run']> {
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [`${prefix}${name}`, (given: CaseContext) => run(given, row)]));
}

/** A pod that no scheduler binds. */
const podOf = (name: string, spec: object = {}): Json => ({
  metadata: { name },
  spec: { schedulerName: 'no-such-scheduler', containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }], ...spec },
});

export const SELECTOR_CASES = area('selectors', {
  ...rules(BY_LABEL, 'label selector: ', async (given, [labelSelector, expected]) => {
    expect(await found(given, await shelf(given), { labelSelector })).toEqual(expected);
  }),
  ...rules(NO_LABEL_SELECTOR, 'label selector: 400 for ', async (given, labelSelector) => {
    const collection = `/api/v1/namespaces/${await given.namespace()}/secrets`;
    expectRefusal(await given.client.get(collection, { labelSelector }), 400, 'BadRequest');
  }),
  ...rules(BY_FIELD, 'field selector: ', async (given, [fieldSelector, expected]) => {
    expect(await found(given, await shelf(given), { fieldSelector })).toEqual(expected);
  }),
  'field selector: metadata.namespace over all namespaces': async (given) => {
    await shelf(given);
    const fieldSelector = `metadata.namespace=${await given.namespace()}`;
    expect(await found(given, '/api/v1/secrets', { fieldSelector })).toEqual(Object.keys(OBJECTS));
  },
  'label and field selectors are ANDed': async (given) => {
    expect(await found(given, await shelf(given), { labelSelector: 'color=blue', fieldSelector: 'metadata.name!=blue-1' })).toEqual([
      'blue-10',
    ]);
  },
  'field selector: 400 for an unsupported field': async (given) => {
    const answer = await given.client.get(`/api/v1/namespaces/${await given.namespace()}/secrets`, { fieldSelector: 'data.index=1' });
    expectRefusal(answer, 400, 'BadRequest', 'field label not supported: data.index');
  },
  'field selector: 400 without an operator': async (given) => {
    const answer = await given.client.get(`/api/v1/namespaces/${await given.namespace()}/secrets`, { fieldSelector: 'metadata.name' });
    expectRefusal(answer, 400, 'BadRequest');
  },
  'field selector: kinds without selectable fields accept only name and namespace': async (given) => {
    const collection = `/apis/apps/v1/namespaces/${await given.namespace()}/deployments`;
    expect((await given.client.get(collection, { fieldSelector: 'metadata.name=web' })).status).toBe(200);
    expectRefusal(
      await given.client.get(collection, { fieldSelector: 'spec.replicas=1' }),
      400,
      'BadRequest',
      '"spec.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  },
  'pods: spec.nodeName, also empty': async (given) => {
    const collection = `/api/v1/namespaces/${await given.namespaceForPods()}/pods`;
    await given.create(collection, podOf('on-no-node'));
    await given.create(collection, podOf('on-a-node', { nodeName: 'no-such-node' }));
    expect(await found(given, collection, { fieldSelector: 'spec.nodeName=no-such-node' })).toEqual(['on-a-node']);
    expect(await found(given, collection, { fieldSelector: 'spec.nodeName=' })).toEqual(['on-no-node']);
    expect(await found(given, collection, { fieldSelector: 'spec.nodeName!=' })).toEqual(['on-a-node']);
  },
  'pods: status.phase': async (given) => {
    const collection = `/api/v1/namespaces/${await given.namespaceForPods()}/pods`;
    await given.create(collection, podOf('waiting'));
    expect(await found(given, collection, { fieldSelector: 'status.phase=Pending' })).toEqual(['waiting']);
    expect(await found(given, collection, { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' })).toEqual(['waiting']);
    expect(await found(given, collection, { fieldSelector: 'status.phase=Running' })).toEqual([]);
  },
  'pods: restart policy, scheduler and service account': async (given) => {
    const collection = `/api/v1/namespaces/${await given.namespaceForPods()}/pods`;
    await given.create(collection, podOf('once', { restartPolicy: 'Never' }));
    await given.create(collection, podOf('always', { schedulerName: 'another-scheduler' }));
    expect(await found(given, collection, { fieldSelector: 'spec.restartPolicy=Never' })).toEqual(['once']);
    expect(await found(given, collection, { fieldSelector: 'spec.schedulerName=another-scheduler' })).toEqual(['always']);
    expect(await found(given, collection, { fieldSelector: 'spec.serviceAccountName=default' })).toEqual(['always', 'once']);
  },
  'pods: 400 for the image': async (given) => {
    const answer = await given.client.get(`/api/v1/namespaces/${await given.namespace()}/pods`, { fieldSelector: 'spec.containers=x' });
    expectRefusal(answer, 400, 'BadRequest', 'field label not supported: spec.containers');
  },
  'nodes: spec.unschedulable is false when it is not set': async (given) => {
    await given.create('/api/v1/nodes', { metadata: { name: `cordoned-${given.id}` }, spec: { unschedulable: true } });
    await given.create('/api/v1/nodes', { metadata: { name: `open-${given.id}` } });
    const cordoned = await found(given, '/api/v1/nodes', { fieldSelector: 'spec.unschedulable=true' });
    const open = await found(given, '/api/v1/nodes', { fieldSelector: 'spec.unschedulable=false' });
    expect([cordoned.includes(`cordoned-${given.id}`), cordoned.includes(`open-${given.id}`)]).toEqual([true, false]);
    expect([open.includes(`cordoned-${given.id}`), open.includes(`open-${given.id}`)]).toEqual([false, true]);
  },
  'namespaces: status.phase': async (given) => {
    const namespace = await given.namespace();
    expect(await found(given, '/api/v1/namespaces', { fieldSelector: `status.phase=Active,metadata.name=${namespace}` })).toEqual([
      namespace,
    ]);
    expect(await found(given, '/api/v1/namespaces', { fieldSelector: `status.phase=Terminating,metadata.name=${namespace}` })).toEqual([]);
  },
  'services: spec.type and spec.clusterIP': async (given) => {
    const collection = `/api/v1/namespaces/${await given.namespace()}/services`;
    await given.create(collection, { metadata: { name: 'headless' }, spec: { clusterIP: 'None', ports: [{ port: 80 }] } });
    await given.create(collection, { metadata: { name: 'named' }, spec: { type: 'ExternalName', externalName: 'example.com' } });
    expect(await found(given, collection, { fieldSelector: 'spec.type=ExternalName' })).toEqual(['named']);
    expect(await found(given, collection, { fieldSelector: 'spec.clusterIP=None' })).toEqual(['headless']);
  },
  'events: involved object, reason and type': async (given) => {
    const namespace = await given.namespace();
    const collection = `/api/v1/namespaces/${namespace}/events`;
    const event = (name: string, about: string, rest: object): Json => ({
      metadata: { name },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name: about, uid: `uid-${about}` },
      ...rest,
    });
    await given.create(collection, event('a', 'web', { reason: 'Started', type: 'Normal', source: { component: 'kubelet' } }));
    await given.create(collection, event('b', 'api', { reason: 'Failed', type: 'Warning' }));
    expect(await found(given, collection, { fieldSelector: 'involvedObject.name=web' })).toEqual(['a']);
    expect(await found(given, collection, { fieldSelector: 'involvedObject.kind=Pod,involvedObject.uid=uid-api' })).toEqual(['b']);
    expect(await found(given, collection, { fieldSelector: 'reason=Failed' })).toEqual(['b']);
    expect(await found(given, collection, { fieldSelector: 'type!=Warning' })).toEqual(['a']);
    expect(await found(given, collection, { fieldSelector: 'source=kubelet' })).toEqual(['a']);
  },
  'events of events.k8s.io are selected by regarding': async (given) => {
    const namespace = await given.namespace();
    await given.create(`/api/v1/namespaces/${namespace}/events`, {
      metadata: { name: 'a' },
      involvedObject: { kind: 'Pod', namespace, name: 'web' },
      reason: 'Started',
    });
    const collection = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    expect(await found(given, collection, { fieldSelector: 'regarding.name=web' })).toEqual(['a']);
    expectRefusal(
      await given.client.get(collection, { fieldSelector: 'involvedObject.name=web' }),
      400,
      'BadRequest',
      'field label not supported',
    );
  },
  'jobs: number of succeeded pods': async (given) => {
    const namespace = await given.namespace();
    const containers = [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }];
    const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    await given.create(jobs, {
      metadata: { name: 'idle' },
      spec: { suspend: true, template: { spec: { containers, restartPolicy: 'Never' } } },
    });
    expect(await found(given, jobs, { fieldSelector: 'status.successful=0' })).toEqual(['idle']);
  },
});
