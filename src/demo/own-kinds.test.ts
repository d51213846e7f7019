import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { FastTimer } from '../../test/fakes/fast-timer.ts';
import { TEST_EPOCH } from '#embedded-cluster/testing/manual-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { seededRandom } from '../../test/fakes/seeded-random.ts';
import { PACKAGE_ROOT } from '../cmd/version.ts';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { applyOwnKinds, installCrds, isOwnKind } from './own-kinds.ts';
import { objectsIn } from '../cli/read-manifests.ts';

const MANIFESTS = objectsIn(
  'app.yaml',
  `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: evenkeel.io/v1alpha1
kind: PodResizePolicy
metadata: { name: shop }
spec: { mode: Approve, namespaces: [shop] }
`,
  [],
);
const own = MANIFESTS.filter(isOwnKind);

let cluster: EmbeddedCluster;
beforeEach(() => {
  cluster = new EmbeddedCluster({
    startAt: TEST_EPOCH,
    seed: 1,
    random: seededRandom,
    speed: 'max',
    nodes: { count: 1, machineTypes: ['e2-standard-4'] },
    timer: new FastTimer(),
    logger: new RecordingLogger(),
  });
});
afterEach(() => cluster.close());

const transport = () => cluster.transport('test');
const read = (name: string) => transport().request({ method: 'GET', path: `/apis/evenkeel.io/v1alpha1/podresizepolicies/${name}` });

test('custom resources of the manifests are applied once their CRDs are established', async () => {
  expect(own.map(({ object }) => object.kind)).toEqual(['PodResizePolicy']);
  await installCrds(transport(), PACKAGE_ROOT, 'test');
  await applyOwnKinds(transport(), own, 'test');
  expect(await read('shop')).toMatchObject({ status: 200, body: { spec: { mode: 'Approve' } } });
});

test('a custom resource that the cluster refuses or does not serve is reported', async () => {
  await installCrds(transport(), PACKAGE_ROOT, 'test');
  const wrong = objectsIn(
    'wrong.yaml',
    `
apiVersion: evenkeel.io/v1alpha1
kind: PodResizePolicy
metadata: { name: wrong }
spec: { mode: Sometimes }
---
apiVersion: evenkeel.io/v1alpha1
kind: PodSizePolicy
metadata: { name: slip }
`,
    [],
  );
  const applying = applyOwnKinds(transport(), wrong, 'test');
  await expect(applying).rejects.toThrow(/--manifests: [^]*wrong\.yaml:\d+: PodResizePolicy wrong: [^]*PodSizePolicy: unknown kind/);
});
