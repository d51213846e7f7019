// The real kubectl runs workloads on the embedded cluster, whose scheduler, controllers and kubelets behave as real ones do.

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeKubectl, KubectlCluster, testFromMinor } from './kubectl-cluster.ts';

describeKubectl('kubectl runs workloads', () => {
  let world: KubectlCluster;
  const kubectl = (command: string): Promise<string> => world.kubectl(command.split(' '));
  const rolledOut = (what: string): Promise<string> => kubectl(`rollout status ${what}`);

  beforeAll(async () => {
    world = await KubectlCluster.start();
  });
  afterAll(() => world.close());

  test('create deployment, expose, scale', async () => {
    await kubectl('create deployment web --image=web:1 --replicas=2 --port=80');
    expect(await kubectl('expose deployment web --target-port=80')).toMatch(/service\/web exposed/);
    expect(await rolledOut('deploy/web')).toMatch(/successfully rolled out/);
    expect(await kubectl('scale deploy/web --replicas=3')).toMatch(/deployment.apps\/web scaled/);
    expect(await rolledOut('deploy/web')).toMatch(/successfully rolled out/);
    await kubectl('wait --for=jsonpath={.status.readyReplicas}=3 deploy/web');
    expect(await world.refused(['scale', 'deploy/web', '--current-replicas=1', '--replicas=5'])).toMatch(
      /Expected replicas to be 1, was 3/,
    );
    const addresses = await world.value('{.subsets[0].addresses[*].ip}', 'endpoints', 'web');
    expect(addresses.split(' ')).toHaveLength(3);
  });

  test('set image, resources and environment roll out; history, undo, restart, pause and resume', async () => {
    await kubectl('set image deploy/web web=web:2');
    await rolledOut('deploy/web');
    await kubectl('set resources deploy/web --requests=cpu=100m,memory=64Mi --limits=memory=128Mi');
    await kubectl('set env deploy/web LEVEL=debug');
    await rolledOut('deploy/web');
    expect(await kubectl('rollout history deploy/web')).toMatch(/REVISION +CHANGE-CAUSE\n1 .*\n2 .*\n3 .*\n4 /);
    expect(await kubectl('rollout history deploy/web --revision=2')).toMatch(/Image:\s+web:2/);
    expect(await kubectl('rollout undo deploy/web --to-revision=1')).toMatch(/rolled back/);
    await rolledOut('deploy/web');
    expect(await world.value('{.spec.template.spec.containers[0].image}', 'deploy', 'web')).toBe('web:1');
    expect(await kubectl('rollout restart deploy/web')).toMatch(/restarted/);
    await rolledOut('deploy/web');
    expect(await kubectl('rollout pause deploy/web')).toMatch(/paused/);
    expect(await kubectl('rollout resume deploy/web')).toMatch(/resumed/);
    const pods = await world.value(
      '{.items[*].spec.containers[0].image}',
      'pods',
      '-l',
      'app=web',
      '--field-selector=status.phase=Running',
    );
    expect(new Set(pods.split(' '))).toEqual(new Set(['web:1']));
  });

  test.each(['statefulset/cart-cache -n shop', 'daemonset/log-agent -n platform'])('rollout restart and undo %s', async (what) => {
    const template = (): Promise<string> => world.value('{.spec.template.metadata.annotations}', ...what.split(' '));
    const before = await template();
    await kubectl(`rollout restart ${what}`);
    expect(await rolledOut(what)).toMatch(/successfully rolled out|roll out complete/);
    expect(await kubectl(`rollout history ${what}`)).toMatch(/^1 .*\n2 /m);
    await kubectl(`rollout undo ${what}`);
    await rolledOut(what);
    expect(await template()).toBe(before);
  });

  test('autoscale sets replicas by the usage of pods', async () => {
    const usage = '{"c":{"profile":"steady","cpu":"180m","memory":"20Mi"}}';
    const pod = { metadata: { labels: { app: 'busy' }, annotations: { 'simulator.evenkeel.io/usage': usage } } };
    const containers = [{ name: 'c', image: 'busy:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } }];
    const template = { ...pod, spec: { containers } };
    const spec = { replicas: 1, selector: { matchLabels: pod.metadata.labels }, template };
    const input = JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'busy' }, spec });
    await world.kubectl(['apply', '-f', '-'], { input });
    expect(await kubectl('autoscale deploy/busy --min=1 --max=4 --cpu-percent=60')).toMatch(/horizontalpodautoscaler\S*\/busy autoscaled/);
    await kubectl('wait --for=jsonpath={.status.readyReplicas}=3 deploy/busy');
    expect(await kubectl('get hpa busy')).toMatch(/Deployment\/busy +cpu: \d+%\/60% +1 +4/);
    await kubectl('delete hpa,deploy busy');
  });

  test('run, a label selector, and immediate deletion', async () => {
    await kubectl('run solo --image=solo:1 --labels=app=solo');
    await kubectl('wait --for=condition=Ready pod -l app=solo');
    await kubectl('delete pod solo --now');
    expect(await kubectl('get pods -l app=solo -o name')).toBe('');
  });

  test('a job completes, and a cronjob creates jobs', async () => {
    await world.kubectl(['create', 'job', 'once', '--image=once:1', '--', 'sleep', '5']);
    await kubectl('wait --for=condition=Complete job/once');
    expect(await kubectl('get job once')).toMatch(/once +Complete +1\/1/);
    expect(await kubectl('logs job/once')).toMatch(/msg="done"/);
    await world.kubectl(['create', 'cronjob', 'often', '--image=often:1', '--schedule=*/2 * * * *', '--', 'true']);
    await kubectl('wait --for=jsonpath={.status.lastSuccessfulTime} cronjob/often');
    await kubectl('create job byhand --from=cronjob/often');
    await kubectl('wait --for=condition=Complete job/byhand');
    await kubectl('delete cronjob/often job/once');
    expect(await kubectl('get pods -l job-name=once -o name')).toBe('');
  });

  testFromMinor(32, 'a resize through the subresource is actuated by the kubelet without a restart', async () => {
    const resources = { requests: { cpu: '300m', memory: '2Gi' } };
    const body = JSON.stringify({ spec: { containers: [{ name: 'cache', resources }] } });
    const pod = ['pod', 'cart-cache-1', '-n', 'shop'];
    await kubectl('wait --for=condition=Ready pod/cart-cache-1 -n shop');
    await world.kubectl(['patch', ...pod, '--subresource=resize', '-p', body]);
    const inForce = '{.status.containerStatuses[0].resources.requests}';
    await world.kubectl(['wait', `--for=jsonpath=${inForce.replace('}', '.cpu}')}=300m`, ...pod]);
    expect(await world.value(inForce, ...pod)).toBe('{"cpu":"300m","memory":"2Gi"}');
    expect(await world.value('{.status.containerStatuses[0].restartCount}', ...pod)).toBe('0');
    expect(await kubectl('get events -n shop --field-selector=involvedObject.name=cart-cache-1,reason=ResizeCompleted')).toMatch(
      /ResizeCompleted/,
    );
    expect(await kubectl('logs -n shop cart-cache-1')).toMatch(/resources changed in place: requests cpu 300m, memory 2Gi/);

    const tooMuch = JSON.stringify({ spec: { containers: [{ name: 'cache', resources: { requests: { cpu: '64' } } }] } });
    await world.kubectl(['patch', ...pod, '--subresource=resize', '-p', tooMuch]);
    await kubectl('wait --for=condition=PodResizePending pod/cart-cache-1 -n shop');
    expect(await world.value('{.status.conditions[?(@.type=="PodResizePending")].reason}', ...pod)).toBe('Infeasible');
    const other = JSON.stringify({ spec: { containers: [{ name: 'cache', image: 'other' }] } });
    // Fields other than resources are ignored silently, as by a real API server.
    await world.kubectl(['patch', ...pod, '--subresource=resize', '-p', other]);
    expect(await world.value('{.spec.containers[0].image}', ...pod)).toMatch(/cart-cache:7\.2$/);
    expect(await world.refused(['patch', ...pod, '-p', body])).toMatch(/spec: Forbidden: .* through the resize subresource/);
  });

  test('a container above its memory limit is OOM-killed, restarted, and keeps its previous log', async () => {
    const usage = '{"c":{"profile":"leak","cpu":"10m","memory":"60Mi","leakPerHour":"2Gi"}}';
    const spec = { containers: [{ name: 'c', image: 'leaky:1', resources: { limits: { memory: '100Mi' } } }] };
    const metadata = { name: 'leaky', annotations: { 'simulator.evenkeel.io/usage': usage } };
    await world.kubectl(['apply', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }) });
    const reason = '{.status.containerStatuses[0].lastState.terminated.reason}';
    await world.kubectl(['wait', `--for=jsonpath=${reason}=OOMKilled`, 'pod/leaky']);
    expect(await kubectl('get pod leaky')).toMatch(/leaky +[01]\/1 +\S+ +[1-9]\d* \(\S+ ago\)/);
    expect(await kubectl('logs leaky --previous')).toMatch(/starting c \(leaky:1\)/);
    expect(await kubectl('describe pod leaky')).toMatch(/Reason: +OOMKilled\n +Exit Code: +137/);
    await kubectl('delete pod leaky --grace-period=0 --force');
  });

  test('delete cascades in the background, in the foreground, or orphans dependents', async () => {
    await kubectl('create deployment gone --image=gone:1');
    await rolledOut('deploy/gone');
    await kubectl('delete deploy gone --cascade=foreground');
    expect(await kubectl('get rs,pods -l app=gone -o name')).toBe('');
    await kubectl('create deployment left --image=left:1');
    await rolledOut('deploy/left');
    await kubectl('delete deploy left --cascade=orphan');
    expect(await kubectl('get rs,pods -l app=left -o name')).toMatch(
      /^pod\/left-\S+\nreplicaset.apps\/left-\S+\n$|^replicaset.apps\/left-\S+\npod\/left-\S+\n$/,
    );
    await kubectl('delete rs -l app=left');
    await kubectl('wait --for=delete pod -l app=left');
  });

  test('cordon keeps new pods away, uncordon admits them again', async () => {
    const node = await world.value('{.items[0].metadata.name}', 'nodes');
    expect(await kubectl(`cordon ${node}`)).toMatch(/cordoned/);
    expect(await kubectl(`get node ${node}`)).toMatch(/Ready,SchedulingDisabled/);
    const here = JSON.stringify({ spec: { nodeSelector: { 'kubernetes.io/hostname': node } } });
    await world.kubectl(['run', 'pinned', '--image=x', `--overrides=${here}`]);
    await kubectl('wait --for=jsonpath={.status.conditions[0].reason}=Unschedulable pod/pinned');
    expect(await kubectl('describe pod pinned')).toMatch(/FailedScheduling .*0\/6 nodes are available: .*unschedulable/);
    expect(await kubectl(`uncordon ${node}`)).toMatch(/uncordoned/);
    await kubectl('wait --for=condition=Ready pod/pinned');
    await kubectl('delete pod pinned');
  });

  test('taints keep pods away, and NoExecute evicts them', async () => {
    await kubectl('run driven --image=x');
    await kubectl('wait --for=condition=Ready pod/driven');
    const node = await world.value('{.spec.nodeName}', 'pod', 'driven');
    expect(await kubectl(`taint node ${node} dedicated=other:NoSchedule`)).toMatch(/tainted/);
    expect(await kubectl(`describe node ${node}`)).toMatch(/Taints: +dedicated=other:NoSchedule/);
    await kubectl(`taint node ${node} dedicated=other:NoExecute`);
    await kubectl('wait --for=delete pod/driven');
    expect(await kubectl(`taint node ${node} dedicated-`)).toMatch(/untainted/);
  });

  test('drain evicts as far as a disruption budget allows, and continues when it allows more', async () => {
    await kubectl('wait --for=jsonpath={.status.currentHealthy}=3 pdb/search -n shop');
    await world.kubectl(['patch', 'pdb', 'search', '-n', 'shop', '--type=merge', '-p', '{"spec":{"minAvailable":3}}']);
    await kubectl('wait --for=jsonpath={.status.disruptionsAllowed}=0 pdb/search -n shop');
    const node = await world.value('{.items[0].spec.nodeName}', 'pods', '-n', 'shop', '-l', 'app=search');
    expect(await world.refused(['drain', node])).toMatch(/cannot delete DaemonSet-managed Pods/);
    const drain = `drain ${node} --ignore-daemonsets --delete-emptydir-data --force`;
    const blocked = world.follow(drain.split(' '));
    await blocked.line(/Cannot evict pod as it would violate the pod's disruption budget/);
    blocked.stop();
    await world.kubectl(['patch', 'pdb', 'search', '-n', 'shop', '--type=merge', '-p', '{"spec":{"minAvailable":2}}']);
    expect(await kubectl(drain)).toMatch(/drained/);
    const left = await world.value('{.items[*].metadata.ownerReferences[0].kind}', 'pods', '-A', `--field-selector=spec.nodeName=${node}`);
    expect(new Set(left.split(' '))).toEqual(new Set(['DaemonSet']));
    await kubectl(`uncordon ${node}`);
    await kubectl('wait --for=condition=Ready pod -n shop -l app=search');
  });

  test('a deleted node stays deleted, and its pods run on other nodes', async () => {
    const node = await world.value('{.items[5].metadata.name}', 'nodes');
    await kubectl(`delete node ${node}`);
    expect(await world.refused(['get', 'node', node])).toMatch(/not found/);
    await rolledOut('deploy/storefront -n shop');
    const nodes = await world.value('{.items[*].spec.nodeName}', 'pods', '-n', 'shop', '--field-selector=status.phase=Running');
    expect(nodes.split(' ')).not.toContain(node);
  });
});
