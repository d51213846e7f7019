// The real kubectl writes objects of the embedded cluster: apply in every form, edit, patch, replace, delete.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeKubectl, KubectlCluster, ROOT } from './kubectl-cluster.ts';

const SAMPLES = join(ROOT, 'config', 'samples');

const yaml = {
  policy: (name: string, spec: string): string =>
    `apiVersion: evenkeel.io/v1alpha1\nkind: PodResizePolicy\nmetadata: { name: ${name} }\nspec: ${spec}\n`,
  configMap: (name: string, data: Readonly<Record<string, string>>, labels?: Readonly<Record<string, string>>): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels }, data }),
};

describeKubectl('kubectl writes', () => {
  let world: KubectlCluster;
  const apply = (input: string, ...more: readonly string[]): Promise<string> => world.kubectl(['apply', '-f', '-', ...more], { input });
  const refusedApply = (input: string, ...more: readonly string[]): Promise<string> =>
    world.refused(['apply', '-f', '-', ...more], { input });

  beforeAll(async () => {
    world = await KubectlCluster.start();
  });
  afterAll(() => world.close());

  test('apply -f config/samples/ creates, then changes nothing; diff is empty; delete -f deletes all', async () => {
    expect(await world.kubectl(['apply', '-f', SAMPLES])).toMatch(/^(\S+\.evenkeel\.io\/\S+ created\n){8}$/);
    expect(await world.kubectl(['apply', '-f', SAMPLES])).toMatch(/^(\S+ unchanged\n){8}$/);
    expect(await world.kubectl(['diff', '-f', SAMPLES])).toBe('');
    for (const _ of [1, 2]) {
      const applied = await world.kubectl(['apply', '--server-side', '--force-conflicts', '-f', SAMPLES]);
      expect(applied).toMatch(/^(\S+ serverside-applied\n){8}$/);
    }
    expect(await world.kubectl(['delete', '-f', SAMPLES])).toMatch(/^(\S+ "\S+" deleted.*\n){8}$/);
    expect(await world.warnings(['get', 'evenkeel', '-A'])).toMatch(/No resources found/);
  });

  test.each<[string, string, RegExp, RegExp?]>([
    // Server-side apply checks the schema before validation, and reports an undeclared field with a message of its own.
    ['an unknown field', '{ colour: red }', /unknown field "spec\.colour"/, /\.spec\.colour: field not declared in schema/],
    [
      'a value that is not in the enum',
      '{ mode: Automatic }',
      /spec\.mode: Unsupported value: "Automatic": supported values: "Observe", "Recommend", "Approve", "Auto"/,
    ],
    ['a number out of bounds', '{ cpu: { percentile: 3 } }', /spec\.cpu\.percentile: Invalid value: .*less than or equal to 1/],
    [
      'a wrong type',
      '{ dryRun: 7 }',
      /spec\.dryRun: Invalid value: "integer": .*must be of type boolean/,
      /\.spec\.dryRun: expected boolean/,
    ],
    [
      'a string that is not a duration',
      '{ cooldown: soon }',
      /spec\.cooldown: Invalid value: "soon": write a duration such as 90s, 5m or 1h30m/,
    ],
    [
      'a tenth of a byte',
      '{ memory: { min: 100m } }',
      /spec\.memory\.min: Invalid value: "100m": memory below 1Mi is too small: .*write an amount such as 100Mi/,
    ],
    [
      'a string that is not a quantity',
      '{ cpu: { min: two } }',
      /spec\.cpu\.min: Invalid value: "two": write a quantity such as 250m or 2/,
    ],
    [
      'a validation rule over two fields',
      "{ cpu: { min: '2', max: '1' } }",
      /spec\.cpu\.min: Invalid value: .*min must not be greater than max/,
    ],
    ['two mutually exclusive fields', '{ namespaces: [a], namespaceSelector: {} }', /spec.*set namespaces or namespaceSelector, not both/],
  ])('an invalid policy is refused, naming field and remedy: %s', async (_, spec, words, applyWords = words) => {
    expect(await refusedApply(yaml.policy('wrong', spec))).toMatch(words);
    expect(await refusedApply(yaml.policy('wrong', spec), '--server-side')).toMatch(applyWords);
    expect(await refusedApply(yaml.policy('wrong', spec), '--dry-run=server')).toMatch(words);
  });

  test('an invalid built-in object is refused, naming the field', async () => {
    expect(await world.refused(['create', 'deployment', 'Wrong_Name', '--image=x'])).toMatch(/metadata\.name: Invalid value: "Wrong_Name"/);
    expect(await world.refused(['run', 'wrong', '--image=x', '--overrides={"spec":{"containers":[{"name":"a"},{"name":"a"}]}}'])).toMatch(
      /spec\.containers\[1\]\.name: Duplicate value: "a"/,
    );
    expect(await refusedApply('{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"nam":"a"}]}}')).toMatch(
      /unknown field "spec\.containers\[0\]\.nam"/,
    );
  });

  test('server-side apply reports a conflict with manager and field, and can be forced', async () => {
    await apply(yaml.configMap('shared', { a: '1', b: '2' }), '--server-side', '--field-manager=first');
    const changed = yaml.configMap('shared', { a: '9' });
    expect(await refusedApply(changed, '--server-side', '--field-manager=second')).toMatch(/1 conflict: conflict with "first": \.data\.a/);
    await apply(changed, '--server-side', '--field-manager=second', '--force-conflicts');
    expect(await world.value('{.data}', 'cm', 'shared')).toBe('{"a":"9","b":"2"}');
    const managers = await world.kubectl([
      'get',
      'cm',
      'shared',
      '--show-managed-fields',
      '-o',
      'jsonpath={.metadata.managedFields[*].manager}',
    ]);
    expect(managers.split(' ').sort()).toEqual(['first', 'second']);
    // A field is removed when its last owner no longer applies it.
    await apply(yaml.configMap('shared', { a: '9' }), '--server-side', '--field-manager=first');
    expect(await world.value('{.data}', 'cm', 'shared')).toBe('{"a":"9"}');
  });

  test('applying the replicas that an autoscaler changed is a conflict', async () => {
    const deployment = JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'scaled', namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'scaled' } },
        template: { metadata: { labels: { app: 'scaled' } }, spec: { containers: [{ name: 'c', image: 'x' }] } },
      },
    });
    await apply(deployment, '--server-side');
    await world.kubectl(['scale', 'deploy/scaled', '--replicas=2']);
    expect(await refusedApply(deployment, '--server-side')).toMatch(
      /conflict with "kubectl" with subresource "scale" using apps\/v1: \.spec\.replicas/,
    );
    await world.kubectl(['delete', 'deploy', 'scaled']);
  });

  test('client-side apply removes omitted fields, and migrates to server-side apply', async () => {
    await apply(yaml.configMap('local', { a: '1', b: '2' }));
    await apply(yaml.configMap('local', { a: '1' }));
    expect(await world.value('{.data}', 'cm', 'local')).toBe('{"a":"1"}');
    expect(await world.kubectl(['apply', 'view-last-applied', 'cm/local'])).toMatch(/a: "1"/);
    await apply(yaml.configMap('local', { a: '2' }), '--server-side');
    expect(await world.value('{.data}', 'cm', 'local')).toBe('{"a":"2"}');
  });

  test('apply --dry-run=server prints the outcome and stores nothing', async () => {
    expect(await apply(yaml.configMap('dry', { a: '1' }), '--dry-run=server')).toMatch(/configmap\/dry created \(server dry run\)/);
    expect(await world.refused(['get', 'cm', 'dry'])).toMatch(/not found/);
    const shown = await apply(yaml.policy('dry', '{}'), '--dry-run=server', '-o', 'jsonpath={.spec.mode}');
    expect(shown).toBe('Recommend');
  });

  test('apply --prune deletes objects that left the set', async () => {
    const set = ['--prune', '-l', 'set=x', '--prune-allowlist=core/v1/ConfigMap', '-n', 'default'];
    const one = yaml.configMap('one', {}, { set: 'x' });
    const two = yaml.configMap('two', {}, { set: 'x' });
    await apply(`${one}\n${two}`, ...set);
    expect(await apply(one, ...set)).toMatch(/configmap\/two pruned/);
    expect(await world.value('{.items[*].metadata.name}', 'cm', '-l', 'set=x')).toBe('one');
  });

  test('diff shows the changes, for client-side and server-side apply', async () => {
    await apply(yaml.configMap('different', { a: '1' }));
    const input = yaml.configMap('different', { a: '2' });
    expect(await world.refused(['diff', '-f', '-'], { input })).toMatch(/-\s+a: "1"\n\+\s+a: "2"/);
    expect(await world.refused(['diff', '--server-side', '--force-conflicts', '-f', '-'], { input })).toMatch(/\+\s+a: "2"/);
  });

  test('edit applies the edited object, and reports its errors', async () => {
    await apply(yaml.policy('edited', '{ mode: Observe }'));
    const edit = (script: string, ...more: readonly string[]): [string[], { env: Record<string, string> }] => [
      ['edit', 'prp', 'edited', ...more],
      { env: { KUBE_EDITOR: `sed -i.bak -e ${script}` } },
    ];
    expect(await world.kubectl(...edit('s/mode:.Observe/mode:\\ Approve/'))).toMatch(/podresizepolicy\.evenkeel\.io\/edited edited/);
    expect(await world.value('{.spec.mode}', 'prp', 'edited')).toBe('Approve');
    expect(await world.warnings(...edit('s/nothing/nothing/'))).toMatch(/cancelled, no changes made/i);
    const cancelled = await world.refused(...edit('s/mode:.Approve/mode:\\ Wild/'));
    // kubectl opens the editor again with the errors on top; the copy that it keeps contains them too.
    const copy = /stored to "(.+)"/.exec(cancelled)?.[1] ?? '';
    expect(await readFile(copy, 'utf8')).toMatch(/# \* ?spec\.mode: Unsupported value: "Wild"/);
    expect(await world.value('{.spec.mode}', 'prp', 'edited')).toBe('Approve');
    await world.kubectl(['delete', 'prp', 'edited']);
  });

  test('patch by JSON patch, merge patch and strategic merge patch', async () => {
    await apply(yaml.configMap('patched', { a: '1', b: '2' }));
    const patch = (type: string, body: unknown, ...what: readonly string[]): string[] => [
      'patch',
      ...what,
      `--type=${type}`,
      '-p',
      JSON.stringify(body),
    ];
    await world.kubectl(
      patch(
        'json',
        [
          { op: 'test', path: '/data/a', value: '1' },
          { op: 'replace', path: '/data/a', value: 'j' },
        ],
        'cm',
        'patched',
      ),
    );
    await world.kubectl(patch('merge', { data: { b: null, m: '3' } }, 'cm', 'patched'));
    expect(await world.value('{.data}', 'cm', 'patched')).toBe('{"a":"j","m":"3"}');
    expect(await world.refused(patch('json', [{ op: 'test', path: '/data/a', value: 'other' }], 'cm', 'patched'))).toMatch(
      /request is invalid/,
    );

    const template = { spec: { containers: [{ name: 'audit', env: [{ name: 'LEVEL', value: 'debug' }] }] } };
    await world.kubectl(patch('strategic', { spec: { template } }, 'deploy', 'checkout', '-n', 'shop'));
    expect(await world.value('{.spec.template.spec.containers[*].image}', 'deploy', 'checkout', '-n', 'shop')).toMatch(
      /checkout:2\.9 .*audit:1\.1/,
    );
    expect(await world.refused(patch('strategic', { spec: { mode: 'Auto' } }, 'prp', 'none'))).toMatch(/not found/);
    await apply(yaml.policy('patched', '{}'));
    expect(await world.refused(patch('strategic', { spec: { mode: 'Auto' } }, 'prp', 'patched'))).toMatch(
      /strategic.*not supported|UnsupportedMediaType/i,
    );
    expect(await world.refused(patch('merge', { spec: { mode: 'Wild' } }, 'prp', 'patched'))).toMatch(/spec\.mode: Unsupported value/);
  });

  test('the status is written through its subresource', async () => {
    await apply(yaml.policy('stateful', '{}'));
    const condition = { type: 'Ready', status: 'True', reason: 'Fine', message: 'ok', lastTransitionTime: '2026-01-05T00:00:00Z' };
    const body = JSON.stringify({ spec: { mode: 'Auto' }, status: { conditions: [condition] } });
    await world.kubectl(['patch', 'prp', 'stateful', '--subresource=status', '--type=merge', '-p', body]);
    expect(await world.value('{.spec.mode} {.metadata.generation}', 'prp', 'stateful')).toBe('Recommend 1');
    expect(await world.kubectl(['wait', '--for=condition=Ready', 'prp/stateful'])).toContain('condition met');
    await world.kubectl(['patch', 'prp', 'stateful', '--type=merge', '-p', body.replace('"True"', '"False"')]);
    expect(await world.value('{.spec.mode} {.metadata.generation} {.status.conditions[0].status}', 'prp', 'stateful')).toBe('Auto 2 True');
  });

  test('label and annotate, with --overwrite, and removal', async () => {
    await apply(yaml.configMap('marked', {}));
    await world.kubectl(['label', 'cm', 'marked', 'team=a']);
    expect(await world.refused(['label', 'cm', 'marked', 'team=b'])).toMatch(/already has a value/);
    await world.kubectl(['label', 'cm', 'marked', 'team=b', '--overwrite']);
    await world.kubectl(['annotate', 'cm', 'marked', 'note=x']);
    expect(await world.value('{.metadata.labels.team} {.metadata.annotations.note}', 'cm', 'marked')).toBe('b x');
    await world.kubectl(['label', 'cm', '-l', 'team=b', 'team-']);
    expect(await world.value('{.metadata.labels}', 'cm', 'marked')).toBe('');
  });

  test('replace requires the current resourceVersion; --force recreates the object', async () => {
    await apply(yaml.configMap('replaced', { a: '1' }));
    const file = join(world.folder, 'replaced.yaml');
    await writeFile(file, await world.kubectl(['get', 'cm', 'replaced', '-o', 'yaml']));
    await writeFile(file, (await readFile(file, 'utf8')).replace('a: "1"', 'a: "2"'));
    expect(await world.kubectl(['replace', '-f', file])).toMatch(/configmap\/replaced replaced/);
    expect(await world.refused(['replace', '-f', file])).toMatch(/the object has been modified/);
    const before = await world.value('{.metadata.uid}', 'cm', 'replaced');
    await world.kubectl(['replace', '--force', '-f', '-'], { input: yaml.configMap('replaced', { a: '3' }) });
    expect(await world.value('{.metadata.uid}', 'cm', 'replaced')).not.toBe(before);
  });

  test.each<[string, RegExp]>([
    ['namespace made', /namespace\/made created/],
    ['configmap c --from-literal=a=1 -n made', /configmap\/c created/],
    ['secret generic s --from-literal=a=1 -n made', /secret\/s created/],
    ['serviceaccount bot -n made', /serviceaccount\/bot created/],
    ['token bot -n made', /^\S+\.\S+\.\S+$/],
    ['role r --verb=get,list --resource=pods -n made', /role.rbac.authorization.k8s.io\/r created/],
    ['rolebinding rb --role=r --serviceaccount=made:bot -n made', /rolebinding.rbac.authorization.k8s.io\/rb created/],
    ['clusterrole cr --verb=get --resource=nodes', /clusterrole.rbac.authorization.k8s.io\/cr created/],
    ['quota q --hard=configmaps=3 -n made', /resourcequota\/q created/],
    ['poddisruptionbudget b --selector=app=x --min-available=1 -n made', /poddisruptionbudget.policy\/b created/],
    ['service clusterip svc --tcp=80 -n made', /service\/svc created/],
    ['ingress i --rule=shop.example/*=svc:80 -n made', /ingress.networking.k8s.io\/i created/],
    ['priorityclass urgent --value=1000', /priorityclass.scheduling.k8s.io\/urgent created/],
  ])('create %s', async (what, pattern) => {
    expect(await world.kubectl(['create', ...what.split(' ')])).toMatch(pattern);
  });

  test('a role grants its rules to its subject, and a quota refuses objects beyond it', async () => {
    const bot = '--as=system:serviceaccount:made:bot';
    expect(await world.kubectl(['auth', 'can-i', 'list', 'pods', '-n', 'made', bot])).toMatch(/^yes/);
    expect(await world.refused(['auth', 'can-i', 'delete', 'pods', '-n', 'made', bot])).toMatch(/^no/);
    await world.kubectl(['create', 'configmap', 'second', '-n', 'made']);
    expect(await world.refused(['create', 'configmap', 'third', '-n', 'made'])).toMatch(
      /exceeded quota: q, requested: configmaps=1, used: configmaps=3, limited: configmaps=3/,
    );
    expect(await world.kubectl(['describe', 'quota', 'q', '-n', 'made'])).toMatch(/configmaps +3 +3/);
  });

  test('deleting a namespace deletes its objects', async () => {
    await world.kubectl(['create', 'deployment', 'inside', '--image=x', '-n', 'made']);
    await world.kubectl(['wait', '--for=condition=Available', 'deploy/inside', '-n', 'made']);
    expect(await world.kubectl(['delete', 'namespace', 'made'])).toMatch(/namespace "made" deleted/);
    expect(await world.refused(['get', 'namespace', 'made'])).toMatch(/not found/);
    expect(await world.kubectl(['get', 'cm,secret,sa,svc,deploy,rs,pods', '-n', 'made', '-o', 'name'])).toBe('');
  });

  test('a finalizer keeps an object until it is removed', async () => {
    await apply(yaml.configMap('held', {}));
    await world.kubectl(['patch', 'cm', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":["example.com/hold"]}}']);
    await world.kubectl(['delete', 'cm', 'held', '--wait=false']);
    expect(await world.value('{.metadata.deletionTimestamp}', 'cm', 'held')).not.toBe('');
    await world.kubectl(['patch', 'cm', 'held', '--type=json', '-p', '[{"op":"remove","path":"/metadata/finalizers"}]']);
    await world.kubectl(['wait', '--for=delete', 'cm/held']);
  });

  test('deleting a CRD deletes its objects and its API', async () => {
    await world.kubectl(['apply', '-f', join(SAMPLES, 'rebalancepolicy.yaml')]);
    await world.kubectl(['delete', 'crd', 'rebalancepolicies.evenkeel.io']);
    expect(await world.refused(['get', '--raw', '/apis/evenkeel.io/v1alpha1/rebalancepolicies'])).toMatch(/NotFound/);
    await world.kubectl(['apply', '-f', join(ROOT, 'crds', 'rebalancepolicies.yaml')]);
    await world.kubectl(['wait', '--for=condition=Established', 'crd/rebalancepolicies.evenkeel.io']);
    expect(await world.kubectl(['get', 'rbp', '-o', 'name'])).toBe('');
  });
});
