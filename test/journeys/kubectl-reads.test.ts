// The real kubectl reads the embedded cluster.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeKubectl, KubectlCluster, ROOT } from './kubectl-cluster.ts';

describeKubectl('kubectl reads', () => {
  let world: KubectlCluster;
  let node: string;
  let pod: string;

  beforeAll(async () => {
    world = await KubectlCluster.start();
    await world.kubectl(['apply', '-f', join(ROOT, 'config', 'samples')]);
    node = await world.value('{.items[0].metadata.name}', 'nodes');
    pod = await world.value('{.items[0].metadata.name}', 'pods', '-n', 'shop', '-l', 'app=checkout');
  });
  afterAll(() => world.close());

  test.each<[string, RegExp[]]>([
    [
      'get nodes,pods,deploy -A',
      [/^NAME +STATUS +ROLES +AGE +VERSION/m, /^shop +pod\/cart-cache-0 +1\/1 +Running/m, /deployment.apps\/storefront +4\/4/],
    ],
    ['get nodes', [/e2-standard-4\S+ +Ready +<none> +\S+ +v1\.36\.0/]],
    ['get pods -n shop -o wide', [/READINESS GATES/, /10\.\d+\.\d+\.\d+ +\S+e2-standard-4/]],
    [
      'get all -n shop',
      [
        /service\/cart-cache +ClusterIP +None/,
        /statefulset.apps\/cart-cache +2\/2/,
        /horizontalpodautoscaler.autoscaling\/gateway +Deployment\/gateway +cpu: \d+%\/70%/,
      ],
    ],
    [
      'get evenkeel -A',
      [
        /podresizepolicy.evenkeel.io\/sample-checkout +Auto/,
        /NAME +STATE +REASON +CPU NOW +CPU +MEMORY NOW +MEMORY +SAVES USD\/MONTH/,
        /recommendation.evenkeel.io\/deployment-sample-web/,
        /NAME +MODE +READY/,
      ],
    ],
    [
      'get pvc,pv,sc,hpa,pdb,cj,ds,rs,sts,ep,sa,crd,leases -A',
      [/Bound +data\/data-orders-db-0/, /storageclass.storage.k8s.io\/standard \(default\)/, /poddisruptionbudget.policy\/search/],
    ],
    ['get pods -n shop -l app=search --show-labels', [/^NAME.*LABELS\n(search\S+ .*app=search.*\n){3}$/]],
    ['get pods -n shop -L app --sort-by=.metadata.name', [/APP\ncart-cache-0 .*cart-cache\n/]],
    ['get pods -A --field-selector=status.phase=Running,metadata.namespace=data', [/^data +orders-db-0/m]],
    ['get deploy -n shop search --subresource=scale', [/NAME +DESIRED +AVAILABLE +AGE\nsearch +3 +3/]],
    ['get deploy -n shop -o name', [/^deployment.apps\/catalog\ndeployment.apps\/checkout/]],
    ['get deploy -n shop search -o yaml', [/^kind: Deployment$/m, /^ {2}replicas: 3$/m, /^status:$/m]],
    ['get deploy -n shop search -o json', [/"kind": "Deployment"/, /"readyReplicas": 3/]],
    ['get deploy -n shop search -o go-template={{.spec.replicas}}', [/^3$/]],
    ['get pods -n shop cart-cache-0 -o jsonpath={.spec.containers[*].resources.requests.memory}', [/^3Gi$/]],
    [
      'get pods -n shop -o custom-columns=N:.metadata.name,CPU:.spec.containers[*].resources.requests.cpu',
      [/^N +CPU$/m, /^checkout-\S+ +800m,100m$/m],
    ],
    ['get deploy -n shop search -o yaml --show-managed-fields', [/manager: setup/, /f:replicas: \{\}/]],
  ])('%s', async (command, patterns) => {
    const output = await world.kubectl(command.split(' '));
    for (const pattern of patterns) expect(output).toMatch(pattern);
  });

  test('a list in chunks equals the whole list', async () => {
    const whole = await world.kubectl(['get', 'pods', '-n', 'shop', '-o', 'name']);
    const output = await world.warnings(['get', 'pods', '-n', 'shop', '-o', 'name', '--chunk-size=5', '-v=6']);
    const paged = await world.kubectl(['get', 'pods', '-n', 'shop', '-o', 'name', '--chunk-size=5']);
    expect(output.match(/continue=/g)?.length).toBeGreaterThan(1);
    expect(paged).toBe(whole);
  });

  test.each<[string, RegExp]>([
    ['get nope', /doesn't have a resource type "nope"/],
    ['get pods nope', /NotFound.*pods "nope" not found/],
    ['get pods --field-selector=colour=red', /field label not supported: colour/],
    ['get pods -l a=(', /unable to parse/i],
    ['explain pod.spec.nope', /field "nope" does not exist/],
    ['logs -n shop cart-cache-0 -c nope', /container nope is not valid for pod cart-cache-0/],
  ])('%s: is refused with the reason', async (command, words) => {
    expect(await world.refused(command.split(' '))).toMatch(words);
  });

  test.each<[string, RegExp[]]>([
    ['explain prp.spec', [/KIND: +PodResizePolicy/, /cooldown\t<string>/, /enum: InPlace, InPlaceOrEvict, OnRestart/]],
    ['explain rec.status --recursive', [/containers\t<\[\]Object>/, /confidence\t<number>/]],
    [
      'explain pod.spec.containers.resources',
      [
        /Compute Resources required by this container\. Cannot be updated\./,
        /requests\t<map\[string\]Quantity>\n +Requests describes the minimum amount of compute resources required\./,
        /limits\t<map\[string\]Quantity>\n +Limits describes the maximum amount of compute resources allowed\./,
      ],
    ],
    [
      'explain deploy.spec.strategy',
      [
        /The deployment strategy to use to replace existing pods with new ones\./,
        /type\t<string>\n +Type of deployment\. Can be "Recreate"/,
      ],
    ],
    [
      'explain hpa.spec --api-version=autoscaling/v2',
      [/VERSION: +v2/, /maxReplicas\t<integer> -required-\n +maxReplicas is the upper limit for the number of replicas/],
    ],
  ])('%s', async (command, patterns) => {
    const output = await world.kubectl(command.split(' '));
    for (const pattern of patterns) expect(output).toMatch(pattern);
  });

  test.each<[string, RegExp[]]>([
    ['rec deployment-sample-web', [/Kind: +Recommendation/, /Paused: +true/, /Name: +sample-web/]],
    [
      'deploy storefront -n shop',
      [/Replicas: +4 desired \| 4 updated \| 4 total \| 4 available/, /NewReplicaSet: +storefront-\S+ \(4\/4 replicas created\)/],
    ],
    ['sts cart-cache -n shop', [/Pods Status: +2 Running/]],
    ['ds log-agent -n platform', [/Number of Nodes Scheduled with Available Pods: 6/]],
    ['cronjob sales-report -n data', [/Schedule: +15 \*\/6 \* \* \*/]],
    ['hpa gateway -n shop', [/resource cpu on pods .*%/, /ScalingActive +True +ValidMetricFound/]],
    ['pdb search -n shop', [/Allowed disruptions: +1/]],
    ['pvc data-orders-db-0 -n data', [/Status: +Bound/, /Used By: +orders-db-0/]],
    ['svc cart-cache -n shop', [/Endpoints: +10\.\S+:6379/]],
    ['ns shop', [/Status: +Active/]],
    ['crd recommendations.evenkeel.io', [/Kind: +CustomResourceDefinition/, /Type: +Established/]],
  ])('describe %s', async (what, patterns) => {
    const output = await world.kubectl(['describe', ...what.split(' ')]);
    for (const pattern of patterns) expect(output).toMatch(pattern);
  });

  test('describe pod shows its containers and conditions', async () => {
    const output = await world.kubectl(['describe', 'pod', pod, '-n', 'shop']);
    expect(output).toMatch(/Controlled By: +ReplicaSet\/checkout-/);
    expect(output).toMatch(/Limits:\n +memory: +1536Mi\n +Requests:\n +cpu: +800m/);
    expect(output).toMatch(/ContainersReady +True/);
    expect(output).toMatch(/QoS Class: +Burstable/);
  });

  test('describe node shows its lease, its conditions and the requests of its pods', async () => {
    const output = await world.kubectl(['describe', 'node', node]);
    expect(output).toMatch(/HolderIdentity: +\S*e2-standard-4/);
    expect(output).toMatch(/Ready +True .*KubeletReady/);
    expect(output).toMatch(/Allocated resources:/);
    expect(output).toMatch(/platform +log-agent-\S+ +200m \(5%\)/);
  });

  test.each<[string, RegExp[]]>([
    ['version', [/Server Version: v1\.36\.0\+evenkeel/]],
    ['cluster-info', [/control plane.* is running at .*https:\/\/127\.0\.0\.1:\d+/]],
    ['api-versions', [/^apps\/v1$/m, /^autoscaling\/v2$/m, /^evenkeel\.io\/v1alpha1$/m, /^metrics\.k8s\.io\/v1beta1$/m]],
    [
      'api-resources',
      [/^deployments +deploy +apps\/v1 +true +Deployment$/m, /^podresizepolicies +prp +evenkeel.io\/v1alpha1 +false +PodResizePolicy$/m],
    ],
    ['api-resources --categories=evenkeel -o name', [/^accesspolicies\.evenkeel\.io\n(\S+\.evenkeel\.io\n){6}$/]],
    ['auth can-i create pods', [/^yes$/m]],
    ['auth whoami', [/kubernetes-admin/]],
    ['auth can-i --list --as=system:serviceaccount:shop:default', [/selfsubjectaccessreviews.authorization.k8s.io/]],
  ])('%s', async (command, patterns) => {
    const output = await world.kubectl(command.split(' '));
    for (const pattern of patterns) expect(output).toMatch(pattern);
  });

  test('a user without a role is refused', async () => {
    const as = ['--as=system:serviceaccount:shop:default'];
    expect(await world.refused(['auth', 'can-i', 'delete', 'pods', ...as])).toMatch(/^no/);
    expect(await world.refused(['get', 'pods', '-n', 'shop', ...as])).toMatch(
      /Forbidden.*"system:serviceaccount:shop:default" cannot list resource "pods" in API group "" in the namespace "shop"/,
    );
  });

  test.each<[string, RegExp]>([
    ['top nodes', /^NAME +CPU.*\n(\S+ +\d+m +\d+% +\d+Mi +\d+% *\n){6}$/],
    ['top pods -n shop', /^cart-cache-0 +\d+m +1[0-9]{3}Mi/m],
    ['top pods -n shop --containers -l app=checkout', /^checkout-\S+ +audit +\d+m +\d+Mi/m],
    ['top pods -A --sum --sort-by=memory', /^data +orders-db-0/m],
  ])('%s', async (command, pattern) => {
    expect(await world.kubectl(command.split(' '))).toMatch(pattern);
  });

  test.each<[string, RegExp]>([
    ['/healthz', /^ok$/],
    ['/readyz?verbose', /readyz check passed/],
    ['/version', /"gitVersion":"v1\.36\.0\+evenkeel"/],
    ['/evenkeel/clock', /"speed":60/],
    ['/openapi/v3/apis/evenkeel.io/v1alpha1', /PodResizePolicy/],
    ['/apis/metrics.k8s.io/v1beta1/nodes', /"kind":"NodeMetricsList"/],
    ['/api/v1/nodes/NODE/proxy/metrics/resource', /^container_cpu_usage_seconds_total\{container="/m],
    ['/api/v1/nodes/NODE/proxy/metrics/cadvisor', /^container_pressure_cpu_waiting_seconds_total\{container="/m],
    ['/api/v1/nodes/NODE/proxy/stats/summary', /^\{"node":\{"nodeName":"/],
    ['/api/v1/nodes/NODE/proxy/healthz', /^ok$/],
  ])('get --raw %s', async (path, pattern) => {
    expect(await world.kubectl(['get', '--raw', path.replace('NODE', node)])).toMatch(pattern);
  });

  test.each<[string, RegExp]>([
    ['exec -n shop cart-cache-0 -- ls', /does not serve pods\/exec: its containers are simulated/],
    ['attach -n shop cart-cache-0', /does not serve pods\/attach/],
    ['port-forward -n shop pod/cart-cache-0 0:6379', /does not serve pods\/portforward/],
    ['get --raw /api/v1/namespaces/shop/services/cart-cache/proxy/', /does not serve services\/proxy/],
    ['get --raw /api/v1/namespaces/shop/pods/cart-cache-0/proxy/', /does not serve pods\/proxy/],
    ['debug -n shop cart-cache-0 --image=x', /ephemeral containers are disabled/],
    ['get componentstatuses', /doesn't have a resource type/],
    ['get csr', /doesn't have a resource type/],
    ['get --raw /metrics', /NotFound/],
    ['get --raw /logs', /NotFound/],
    ['get --raw /api/v1/nodes/NODE/proxy/metrics/probes', /NotFound/],
    ['delete --raw /apis/metrics.k8s.io/v1beta1/nodes/NODE', /MethodNotAllowed/],
  ])('%s: a missing object is reported', async (command, words) => {
    expect(await world.refused(command.replace('NODE', node).split(' '))).toMatch(words);
  });

  test('logs of a container, of several containers, with timestamps, and since a time', async () => {
    const api = await world.kubectl(['logs', '-n', 'shop', pod, '-c', 'api']);
    expect(api).toMatch(/^level=info msg="starting api \(registry\.example\/shop\/checkout:2\.9\)"/);
    expect(await world.kubectl(['logs', '-n', 'shop', pod, '-c', 'audit', '--tail=2', '--timestamps'])).toMatch(
      /^(2026-01-05T\d\d:\d\d:\d\d\.\d+Z level=info .*\n){2}$/,
    );
    const both = await world.kubectl(['logs', '-n', 'shop', pod, '--all-containers', '--prefix', '--tail=1']);
    expect(
      both
        .trim()
        .split('\n')
        .map((line) => /\/(\w+)\] level/.exec(line)?.[1])
        .sort(),
    ).toEqual(['api', 'audit']);
    expect(await world.kubectl(['logs', '-n', 'shop', 'deploy/storefront', '--since=10m'])).toMatch(/^(level=info .*\n){9,11}$/);
    expect(await world.refused(['logs', '-n', 'shop', pod, '-c', 'api', '--previous'])).toMatch(
      /previous terminated container "api" .* not found/,
    );
  });

  test('logs -f streams new lines', async () => {
    const followed = world.follow(['logs', '-f', '-n', 'shop', 'cart-cache-0', '--since=1s']);
    expect(await followed.line(/handled/)).toMatch(/requests in the last minute/);
    followed.stop();
  });

  test('get pods -w shows a pod pending, running and deleted', async () => {
    const followed = world.follow(['get', 'pods', '-n', 'shop', '-w', '--output-watch-events']);
    await followed.line(/ADDED +cart-cache-0/);
    await world.kubectl(['run', 'watched', '-n', 'shop', '--image=x']);
    expect(await followed.line(/ADDED +watched/)).toMatch(/0\/1 +Pending/);
    expect(await followed.line(/MODIFIED +watched +1\/1/)).toMatch(/Running/);
    await world.kubectl(['delete', 'pod', 'watched', '-n', 'shop']);
    expect(await followed.line(/DELETED +watched/)).toContain('watched');
    followed.stop();
  });

  test('wait works for conditions, fields and deletion', async () => {
    await world.kubectl(['wait', '--for=condition=Ready', 'nodes', '--all']);
    await world.kubectl(['run', 'awaited', '--image=x']);
    expect(await world.kubectl(['wait', '--for=condition=Ready', 'pod/awaited'])).toContain('condition met');
    await world.kubectl(['wait', '--for=jsonpath={.status.phase}=Running', 'pod/awaited']);
    await world.kubectl(['delete', 'pod', 'awaited', '--wait=false']);
    await world.kubectl(['wait', '--for=delete', 'pod/awaited']);
    expect(await world.refused(['wait', '--for=condition=Ready', 'crd', '--all', '--timeout=0'])).toMatch(/timed out|condition not met/);
  });

  test('events list the lifecycle of a pod', async () => {
    await world.kubectl(['run', 'tracked', '--image=only/tracked']);
    await world.kubectl(['wait', '--for=condition=Ready', 'pod/tracked']);
    const events = await world.kubectl([
      'get',
      'events',
      '--field-selector=involvedObject.name=tracked',
      '--sort-by=.metadata.creationTimestamp',
    ]);
    expect(events).toMatch(/Normal +Scheduled +pod\/tracked +Successfully assigned default\/tracked/);
    for (const reason of ['Pulling', 'Pulled', 'Created', 'Started']) expect(events).toMatch(new RegExp(`Normal +${reason} +pod/tracked`));
    expect(await world.kubectl(['events', '--for=pod/tracked'])).toMatch(/Scheduled +Pod\/tracked/);
    expect(await world.kubectl(['describe', 'pod', 'tracked'])).toMatch(/Normal +Started .*kubelet/);
  });
});
