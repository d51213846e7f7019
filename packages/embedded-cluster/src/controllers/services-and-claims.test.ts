import { describe, expect, test } from '@jest/globals';
import { aDeployment } from '../../testing/workloads.ts';
import { ControllerWorld } from '../../testing/controller-world.ts';

interface Slice {
  readonly endpoints: readonly { readonly conditions: { readonly ready: boolean }; readonly targetRef: { readonly name: string } }[];
  readonly ports: readonly { readonly port: number }[];
}

describe('a service', () => {
  function served(): ControllerWorld {
    const world = new ControllerWorld();
    world.create('deployments.apps', aDeployment());
    world.create('services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    return world;
  }
  const slice = (world: ControllerWorld): Slice =>
    world.cluster.get('endpointslices.discovery.k8s.io', 'shop', 'web-0') as unknown as Slice;

  test('has a unique address, the same in every run', () => {
    const address = (world: ControllerWorld): unknown =>
      (world.cluster.get('services', 'shop', 'web')!['spec'] as { clusterIP: string }).clusterIP;
    expect(address(served())).toMatch(/^10\.96\.\d+\.\d+$/);
    expect(address(served())).toBe(address(served()));
  });

  test('lists its pods, ready or not', () => {
    const world = served();
    world.runKubelets({ ready: false });
    expect(slice(world).endpoints.map(({ conditions }) => conditions.ready)).toEqual([false, false, false]);
    world.setPodStatus(world.podNames()[0]!, { phase: 'Running', ready: true });
    world.clock.settle();
    expect(slice(world).endpoints.filter(({ conditions }) => conditions.ready)).toHaveLength(1);
    expect(slice(world).ports).toMatchObject([{ port: 8080 }]);
    expect(world.cluster.get('endpoints', 'shop', 'web')).toMatchObject({ subsets: [{ addresses: [{ ip: '10.0.0.1' }] }] });
  });

  test('removes a deleted pod', () => {
    const world = served();
    world.converge();
    const [first] = world.podNames();
    world.cluster.delete('pods', 'shop', first!, { gracePeriodSeconds: 0 });
    world.clock.settle();
    expect(slice(world).endpoints.map(({ targetRef }) => targetRef.name)).not.toContain(first);
  });

  test('is not written for changes without effect on traffic', () => {
    const world = served();
    world.converge();
    const { writes } = world.cluster;
    const before = writes.length;
    world.cluster.modifyStatus('pods', 'shop', world.podNames()[0]!, (draft) => {
      draft['status'] = { ...(draft['status'] as object), observedGeneration: 7 };
    });
    world.clock.settle();
    expect(writes.slice(before).map(({ resource }) => resource)).toEqual(['pods']);
  });

  test('is deleted with its endpoints', () => {
    const world = served();
    world.cluster.delete('services', 'shop', 'web');
    world.clock.settle();
    expect(slice(world)).toBeUndefined();
    expect(world.cluster.get('endpoints', 'shop', 'web')).toBeUndefined();
  });
});

describe('a claim', () => {
  const aClaim = (storageClassName?: string): object => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'shop' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  });
  const aClass = (volumeBindingMode: string, allowVolumeExpansion = true): object => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast' },
    provisioner: 'example.com/disk',
    reclaimPolicy: 'Delete',
    volumeBindingMode,
    allowVolumeExpansion,
  });

  test('without a class has the default one, and waits for its first consumer', () => {
    const world = new ControllerWorld();
    world.create('persistentvolumeclaims', aClaim());
    expect(world.cluster.get('persistentvolumeclaims', 'shop', 'data')).toMatchObject({
      spec: { storageClassName: 'standard' },
      status: { phase: 'Pending' },
    });
    expect(world.eventsAbout('data')).toEqual(['WaitForFirstConsumer: waiting for first consumer to be created before binding']);
  });

  test('is bound immediately if its class says so, is expanded, and is deleted with its volume', () => {
    const world = new ControllerWorld();
    world.create('storageclasses.storage.k8s.io', aClass('Immediate'));
    world.create('persistentvolumeclaims', aClaim('fast'));
    expect(world.cluster.get('persistentvolumeclaims', 'shop', 'data')).toMatchObject({
      status: { phase: 'Bound', capacity: { storage: '1Gi' } },
    });
    const grow = (storage: string): void =>
      world.change('persistentvolumeclaims', 'data', (draft) => {
        (draft['spec'] as { resources: object }).resources = { requests: { storage } };
      });
    grow('2Gi');
    expect(world.cluster.get('persistentvolumeclaims', 'shop', 'data')).toMatchObject({ status: { capacity: { storage: '2Gi' } } });
    expect(() => grow('1Gi')).toThrow('field can not be less than status.capacity');
    world.cluster.delete('persistentvolumeclaims', 'shop', 'data');
    world.clock.settle();
    expect(world.cluster.list('persistentvolumes')).toEqual([]);
  });
});
