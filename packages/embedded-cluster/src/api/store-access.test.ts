import { describe, expect, test } from '@jest/globals';
import { ApiWorld } from '../../testing/api-world.ts';
import { settle } from '../../testing/fake-clock.ts';

const configMap = (name: string): object => ({ metadata: { name, namespace: 'default' }, data: { a: '1' } });

describe('StoreAccess', () => {
  test('reports every change in commit order, after the write and while it holds the clock', async () => {
    const world = new ApiWorld();
    const component = world.server.accessAs('system:tester');
    component.create('configmaps', configMap('before'));
    const seen: string[] = [];
    component.onChange('configmaps', ({ type, object }) => {
      seen.push(`${type} ${object.metadata.name}`);
      if (type === 'ADDED' && object.metadata.name === 'x') component.delete('configmaps', 'default', 'x');
    });
    component.create('configmaps', configMap('x'));
    component.modify('configmaps', 'default', 'x', (draft) => {
      draft['data'] = { a: '2' };
    });
    expect(seen).toEqual([]);
    expect(world.activity.count).toBe(1);
    await settle();
    expect(seen).toEqual(['ADDED before', 'ADDED x', 'MODIFIED x', 'DELETED x']);
    expect(world.activity.count).toBe(0);
  });

  test('a failing listener is logged and does not stop the others', async () => {
    const world = new ApiWorld();
    const component = world.server.accessAs('tester');
    let heard = 0;
    component.onChange('configmaps', () => {
      throw new Error('no');
    });
    component.onChange('configmaps', () => heard++);
    component.create('configmaps', configMap('x'));
    await settle();
    expect(heard).toBe(1);
    expect(world.logger.lines.map(({ level }) => level)).toEqual(['error']);
  });

  test('a change without a difference is not committed', () => {
    const world = new ApiWorld();
    const component = world.server.accessAs('tester');
    const created = component.create('configmaps', configMap('x'));
    const same = component.modify('configmaps', 'default', 'x', (draft) => {
      draft['data'] = { a: '1' };
    });
    expect(same?.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    expect(component.modify('configmaps', 'default', 'none', () => undefined)).toBeUndefined();
  });

  test('a status write copies metadata and status; other parts are shared', () => {
    const world = new ApiWorld();
    const component = world.server.accessAs('tester');
    component.create('nodes', { metadata: { name: 'a', labels: { zone: 'x' } }, spec: { podCIDR: '10.0.0.0/24' } });
    const before = component.get('nodes', null, 'a');
    component.modifyStatus('nodes', null, 'a', (draft) => {
      draft.metadata.labels = { zone: 'y' };
      draft['status'] = { phase: 'Running' };
    });
    const after = component.get('nodes', null, 'a');
    expect(before?.metadata.labels).toEqual({ zone: 'x' });
    expect(after).toMatchObject({ metadata: { labels: { zone: 'y' } }, status: { phase: 'Running' } });
    expect(after?.['spec']).toBe(before?.['spec']);
  });

  test('scales resources with replicas', async () => {
    const world = new ApiWorld();
    const component = world.server.accessAs('tester');
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
    const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template };
    component.create('deployments.apps', { metadata: { name: 'web', namespace: 'default' }, spec });
    const scaled = component.createSubresource('deployments.apps', 'default', 'web', 'scale', {
      metadata: { name: 'web' },
      spec: { replicas: 3 },
    });
    expect(scaled).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
    expect(component.get('deployments.apps', 'default', 'web')).toMatchObject({ spec: { replicas: 3 }, metadata: { generation: 2 } });
  });

  test('applying replicas that a component changed is a conflict', async () => {
    const world = new ApiWorld();
    const path = '/apis/apps/v1/namespaces/default/deployments/web';
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
    const type = { apiVersion: 'apps/v1', kind: 'Deployment' };
    const applied = { ...type, metadata: { name: 'web' }, spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template } };
    await world.patch('apply', path, applied, { fieldManager: 'me' });
    const component = world.server.accessAs('system:autoscaler');
    component.createSubresource('deployments.apps', 'default', 'web', 'scale', { metadata: { name: 'web' }, spec: { replicas: 3 } });
    const again = await world.patch('apply', path, applied, { fieldManager: 'me' });
    expect(again.body).toMatchObject({ code: 409, details: { causes: [{ field: '.spec.replicas' }] } });
    const table = await world.get(`${path}/scale`, {}, 'application/json;as=Table;v=v1;g=meta.k8s.io');
    expect(table.body).toMatchObject({ kind: 'Table', rows: [{ cells: ['web', 3, 0, expect.any(String)] }] });
  });

  test('deleting a missing or replaced object does nothing', () => {
    const component = new ApiWorld().server.accessAs('tester');
    component.create('configmaps', configMap('x'));
    component.delete('configmaps', 'default', 'none');
    component.delete('configmaps', 'default', 'x', { uid: 'of another' });
    expect(component.get('configmaps', 'default', 'x')).toBeDefined();
  });

  test('the same seed gives the same names and uids', () => {
    const uids = (): string[] => {
      const component = new ApiWorld().server.accessAs('tester');
      return [1, 2]
        .map(() => component.create('configmaps', { metadata: { generateName: 'x-', namespace: 'default' } }))
        .map(({ metadata }) => metadata.name + metadata.uid);
    };
    expect(uids()).toEqual(uids());
  });

  test('an apply after a component has changed an owned field conflicts', async () => {
    const world = new ApiWorld();
    const path = '/api/v1/namespaces/default/configmaps/x';
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: '1' } };
    await world.patch('apply', path, applied, { fieldManager: 'me' });
    world.server.accessAs('system:controller').modify('configmaps', 'default', 'x', (draft) => {
      draft['data'] = { a: '2' };
    });
    const refused = await world.patch('apply', path, applied, { fieldManager: 'me' });
    expect((refused.body as { message: string }).message).toBe(
      'Apply failed with 1 conflict: conflict with "controller" using v1: .data.a',
    );
  });
});
