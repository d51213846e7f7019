import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type LoadedSettings, loadSettings, type SettingSources, shownSettings } from './load-settings.ts';
import { environmentName, flagName, type SettingTable } from './setting.ts';
import { EVENKEEL_SETTINGS, SETTINGS } from './settings-schema.ts';

function load(sources: Partial<SettingSources> & { readonly yaml?: string } = {}) {
  const { yaml, ...rest } = sources;
  const file = yaml === undefined ? {} : { file: { name: 'evenkeel.yaml', text: yaml } };
  return loadSettings(EVENKEEL_SETTINGS, { environment: {}, flags: [], ...file, ...rest });
}

function settingsOf<T extends SettingTable>(loaded: LoadedSettings<T>) {
  if (!loaded.ok) throw new Error(loaded.message);
  return loaded.settings;
}

function problemsOf<T extends SettingTable>(loaded: LoadedSettings<T>): string[] {
  return loaded.ok ? [] : loaded.problems.map(({ path, source, message }) => `${path} | ${source} | ${message}`);
}

describe('secrets', () => {
  test('are neither shown nor repeated in a problem, also inside an address', () => {
    const environment = { EVENKEEL_HISTORY_PASSWORD: 'hush-1', EVENKEEL_HISTORY_URL: 'postgres://keel:hush:2@x@db:5432/history' };
    const shown = shownSettings(EVENKEEL_SETTINGS, settingsOf(load({ environment })));
    expect([shown['history.password'], shown['history.url']]).toEqual(['***', 'postgres://keel:***@db:5432/history']);
    const wrong = load({ yaml: 'history: { password: 17, url: "mysql://keel:hush-3@db/history" }' });
    expect(problemsOf(wrong)).toEqual([
      'history.password | file evenkeel.yaml:1 | must be a text',
      'history.url | file evenkeel.yaml:1 | must be sqlite:PATH, sqlite::memory: or postgres://USER@HOST:5432/DATABASE',
    ]);
    expect(JSON.stringify(wrong)).not.toMatch(/hush|17/);
  });
});

describe('loadSettings', () => {
  test('without any source every setting has its documented default', () => {
    const settings = settingsOf(load());
    expect(settings).toMatchObject({
      'controller.dryRun': false,
      'controller.leaderElect': true,
      'controller.rebalanceInterval': 600_000,
      'controller.probeAddr': ':8081',
      'dashboard.addr': '127.0.0.1:9090',
      'kubelet.interval': 60_000,
      'autoscaler.scaleUpThreshold': 0.8,
      'crds.install': true,
    });
  });

  test('in a pod the dashboard listens on all interfaces, elsewhere on loopback', () => {
    expect(settingsOf(load({ environment: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } }))['dashboard.addr']).toBe(':9090');
    expect(settingsOf(load({ environment: {} }))['dashboard.addr']).toBe('127.0.0.1:9090');
    expect(settingsOf(load({ yaml: 'dashboard: { addr: ":9090" }' }))['dashboard.addr']).toBe(':9090');
  });

  test('the environment overrides the file, and flags override the environment', () => {
    const yaml = 'controller:\n  logLevel: debug\n  dryRun: true\nkubelet: { interval: 30s }\n';
    const environment = { EVENKEEL_CONTROLLER_LOG_LEVEL: 'warn', EVENKEEL_KUBELET_INTERVAL: '15s' };
    const settings = settingsOf(load({ yaml, environment, flags: [{ name: 'kubelet.interval', value: '10s' }] }));
    expect([settings['controller.dryRun'], settings['controller.logLevel'], settings['kubelet.interval']]).toEqual([true, 'warn', 10_000]);
  });

  test('names follow one rule: path, environment, flag', () => {
    expect(environmentName('controller.dryRun')).toBe('EVENKEEL_CONTROLLER_DRY_RUN');
    expect(flagName('controller.dryRun')).toBe('controller.dry-run');
    expect(settingsOf(load({ flags: [{ name: 'controller.dry-run', value: true }] }))['controller.dryRun']).toBe(true);
  });

  test('reports all problems at once, each with its path, source, value and what is allowed', () => {
    const loaded = load({
      yaml: 'controller:\n  logLevel: loud\n  colour: blue\nautoscaler: { minNodes: 1.5 }\n',
      environment: { EVENKEEL_KUBELET_INTERVAL: '1 minute', EVENKEEL_DASHBOARD_ADDR: 'localhost' },
      flags: [{ name: 'autoscaler.scale-up-threshold', value: '1.5' }],
    });
    const problems = problemsOf(loaded);
    expect(problems).toEqual([
      'controller.logLevel | file evenkeel.yaml:2 | must be one of debug, info, warn, error',
      expect.stringContaining('controller.colour | file evenkeel.yaml:3 | there is no such setting'),
      'autoscaler.minNodes | file evenkeel.yaml:4 | must be a whole number of at least 0 and at most 100000',
      'dashboard.addr | environment EVENKEEL_DASHBOARD_ADDR | must be an address such as :9090 or 127.0.0.1:9090',
      expect.stringContaining('kubelet.interval | environment EVENKEEL_KUBELET_INTERVAL | must be a duration such as'),
      'autoscaler.scaleUpThreshold | flag --autoscaler.scale-up-threshold | must be a number above 0 and at most 1',
    ]);
    expect(loaded.ok ? '' : loaded.message).toMatch(/^6 settings are wrong:\n/);
  });

  test.each([
    ['autoscaler: { scaleDownThreshold: 0.9 }', 'autoscaler.scaleDownThreshold'],
    ['autoscaler: { minNodes: 7, maxNodes: 3 }', 'autoscaler.minNodes'],
    ['history: { url: "mysql://db" }', 'history.url'],
    ['auth: { initialAdmin: Root@example.com }', 'auth.initialAdmin'],
    ['auth: { initialAdmin: root }', 'auth.initialAdmin'],
    ['auth: { session: { lifetime: 25h } }', 'auth.session.lifetime'],
    ['auth: { session: { lifetime: 14m } }', 'auth.session.lifetime'],
    ['auth: { session: { idleTimeout: 14m } }', 'auth.session.idleTimeout'],
    ['auth: { session: { idleTimeout: 0s } }', 'auth.session.idleTimeout'],
    ['dashboard: { tls: { certFile: /tls/tls.crt } }', 'dashboard.tls.keyFile'],
    ['dashboard: { tls: { keyFile: /tls/tls.key } }', 'dashboard.tls.keyFile'],
    ['kubelet: { interval: 1s }', 'kubelet.interval'],
    ['controller: true', 'controller'],
    ['controller: { dryRun: "true" }', 'controller.dryRun'],
    ['prometheus: { headers: ["X Scope: a"] }', 'prometheus.headers[0]'],
    ['- a list', '(file)'],
    ['a: [', '(file)'],
  ])('refuses %s', (yaml, path) => {
    expect(problemsOf(load({ yaml })).map((problem) => problem.split(' | ')[0])).toContain(path);
  });

  test('refuses a setting of a part that this version lacks, where starting without it would be unsafe', () => {
    const settings = { 'proxy.only': { type: 'boolean', default: false, status: 'refused', help: '' } } as const;
    const file = { name: 'evenkeel.yaml', text: 'proxy: { only: true }' };
    expect(problemsOf(loadSettings({ settings }, { environment: {}, flags: [], file }))).toEqual([
      expect.stringContaining('proxy.only | file evenkeel.yaml:1 | is not supported by this version'),
    ]);
  });

  test('resolves YAML aliases, and reports one without an anchor', () => {
    const yaml = 'dashboard: { allowedHosts: &hosts [10.0.0.7], trustedProxies: *hosts }\n';
    expect(settingsOf(load({ yaml }))['dashboard.trustedProxies']).toEqual(['10.0.0.7']);
    expect(problemsOf(load({ yaml: 'namespace: *nowhere' }))).toEqual([
      'namespace | file evenkeel.yaml:1 | has a YAML alias without an anchor, or too many aliases',
    ]);
  });

  test('Prometheus matchers are label matchers', () => {
    const matchers = ['cluster="prod-eu"', ' env !~ "test|\\"dev\\"" ', 'cluster=""'];
    expect(settingsOf(load({ yaml: JSON.stringify({ prometheus: { matchers } }) }))['prometheus.matchers']).toEqual(matchers);
    const environment = { EVENKEEL_PROMETHEUS_MATCHERS: 'cluster="prod-eu",env=~"a|b"' };
    expect(settingsOf(load({ environment }))['prometheus.matchers']).toEqual(['cluster="prod-eu"', 'env=~"a|b"']);
    const asJson = { EVENKEEL_PROMETHEUS_MATCHERS: '["env=~\\"a{1,2}\\""]' };
    expect(settingsOf(load({ environment: asJson }))['prometheus.matchers']).toEqual(['env=~"a{1,2}"']);
  });

  test.each([
    'prod-eu',
    'cluster=prod-eu',
    "cluster='prod-eu'",
    '{cluster="prod-eu"}',
    'cluster="a" or env="b"',
    'cluster="a"} or up{env="b"',
    'cluster="a",env="b"',
    'cluster="a\nb"',
    'cluster="a\\"',
    '',
  ])('%j is no Prometheus matcher', (matcher) => {
    expect(problemsOf(load({ yaml: JSON.stringify({ prometheus: { matchers: ['a="b"', matcher] } }) }))).toEqual([
      'prometheus.matchers[1] | file evenkeel.yaml:1 | must be a label matcher such as cluster="prod-eu" (=, !=, =~ or !~; the value in double quotes)',
    ]);
  });

  test.each([
    ['dashboard.publicUrl', 'dashboard: { publicUrl: "evenkeel.example.com:443" }'],
    ['dashboard.publicUrl', 'dashboard: { publicUrl: evenkeel.example.com }'],
    ['controller.admission.url', 'controller: { admission: { url: "http://10.0.0.7:9443" } }'],
    ['dashboard.trustedProxies', 'dashboard: { trustedProxies: [10.0.0.0/8, ingress] }'],
    ['dashboard.trustedProxies', 'dashboard: { trustedProxies: [10.0.0.0/33] }'],
    ['dashboard.trustedProxies', 'dashboard: { trustedProxies: [10.0.0.0/255.0.255.0] }'],
    ['dashboard.trustedProxies', 'dashboard: { trustedProxies: [0.0.0.0/0] }'],
    ['auth.oidc.issuer', 'auth: { oidc: { issuer: accounts.example.com, clientId: a } }'],
    ['auth.oidc.issuer', 'auth: { oidc: { issuer: "http://accounts.example.com", clientId: a } }'],
    ['auth.oidc.issuer', 'auth: { oidc: { issuer: "http://127.0.0.1.example.com", clientId: a } }'],
    ['auth.oidc.issuer', 'auth: { oidc: { issuer: "https://me:secret@accounts.example.com", clientId: a } }'],
    ['auth.oidc.issuer', 'auth: { oidc: { issuer: "https://accounts.example.com/?tenant=a", clientId: a } }'],
    ['auth.oidc.issuer', 'auth: { oidc: { issuer: "https://accounts.example.com/.well-known/openid-configuration", clientId: a } }'],
    ['auth.oidc.clientId', 'auth: { oidc: { issuer: "https://accounts.example.com", clientId: "" } }'],
    ['auth.oidc.scopes', 'auth: { oidc: { scopes: [email] } }'],
    ['auth.oidc.scopes\\[1\\]', 'auth: { oidc: { scopes: [openid, "email profile"] } }'],
  ])('an invalid address is a problem of %s before anything starts: %s', (path, yaml) => {
    expect(problemsOf(load({ yaml }))).toEqual([expect.stringMatching(`^${path} \\| file evenkeel.yaml:1 \\| must be `)]);
  });

  test.each([
    ['auth.proxy.header', '{ header: "X Email", addresses: [10.0.0.1] }', 'the name of a header'],
    ['auth.proxy.header', '{ header: Authorization, addresses: [10.0.0.1] }', 'the name of a header'],
    ['auth.proxy.header', '{ header: cookie, addresses: [10.0.0.1] }', 'the name of a header'],
    ['auth.proxy.header', '{ header: X-Forwarded-For, addresses: [10.0.0.1] }', 'the name of a header'],
    ['auth.proxy.header', '{ header: sec-fetch-site, addresses: [10.0.0.1] }', 'the name of a header'],
    ['auth.proxy.header', '{ addresses: [10.0.0.1] }', 'set as well'],
    ['auth.proxy.addresses', '{ header: X-Forwarded-Email }', 'set as well'],
    ['auth.proxy.addresses', '{ header: X-Forwarded-Email, addresses: [0.0.0.0/0] }', 'IP addresses or ranges'],
    ['auth.proxy.addresses', '{ header: X-Forwarded-Email, addresses: ["::/0"] }', 'IP addresses or ranges'],
    ['auth.proxy.addresses', '{ header: X-Forwarded-Email, addresses: [uniquelocal] }', 'IP addresses or ranges'],
    ['auth.proxy.addresses', '{ header: X-Forwarded-Email, addresses: [proxy.example.com] }', 'IP addresses or ranges'],
  ])('a proxy that cannot identify users is a problem of %s: %s', (path, proxy, message) => {
    const problems = problemsOf(load({ yaml: `auth: { proxy: ${proxy} }` }));
    expect(problems).toEqual([expect.stringMatching(`^${path} \\| .* \\| must be ${message}`)]);
  });

  test.each(['X-Forwarded-Email', 'X-Auth-Request-Email', 'Remote-Email', 'X-Goog-Authenticated-User-Email'])(
    'a proxy may identify users by %s',
    (header) => {
      expect(problemsOf(load({ yaml: `auth: { proxy: { header: ${header}, addresses: [10.0.0.1, "fd00::/64"] } }` }))).toEqual([]);
    },
  );

  test('valid addresses are accepted', () => {
    const proxies = '[10.0.0.0/8, 10.0.0.0/255.0.0.0, "fd00::/8", "::1", 10.1.2.3, loopback, uniquelocal]';
    const issuer = 'auth: { oidc: { issuer: "http://127.0.0.1:5556/dex", clientId: evenkeel } }';
    const yaml = `dashboard: { publicUrl: "https://keel.example.com/ui", trustedProxies: ${proxies} }\n${issuer}`;
    expect(problemsOf(load({ yaml }))).toEqual([]);
  });

  test('a setting that a file contains twice is a problem, in either notation', () => {
    expect(problemsOf(load({ yaml: 'controller: { dryRun: true }\ncontroller.dryRun: false' }))).toEqual([
      'controller.dryRun | file evenkeel.yaml:2 | is given twice: first in file evenkeel.yaml:1',
    ]);
  });

  test('a group that is no map of settings is a problem, also with --config-compat; an empty group is none', () => {
    for (const yaml of ['controller: true', 'controller: [dryRun]']) {
      expect(problemsOf(load({ yaml, compat: true }))).toEqual([
        'controller | file evenkeel.yaml:1 | is a group of settings: write them by name below it',
      ]);
    }
    expect(problemsOf(load({ yaml: 'controller:\n  # dryRun: true\ndashboard: {}' }))).toEqual([]);
  });

  test('the problem of an unknown key names the nearest known one, and with --config-compat it is a warning', () => {
    const yaml = 'controler: { dryRun: true }\nnew: { setting: 1 }\n';
    expect(problemsOf(load({ environment: { EVENKEEL_CONTROLER_DRY_RUN: 'true' } }))[0]).toContain(
      'did you mean EVENKEEL_CONTROLLER_DRY_RUN?',
    );
    expect(problemsOf(load({ flags: [{ name: 'controler.dry-run', value: true }] }))[0]).toContain('did you mean --controller.dry-run?');
    const loaded = load({ yaml, compat: true });
    expect(loaded.ok && loaded.warnings).toEqual([expect.stringContaining('controler'), expect.stringContaining('new')]);
  });

  test('a setting without effect in this version is a warning', () => {
    const loaded = load({ yaml: 'gke: { project: "mine" }' });
    expect(loaded.ok && loaded.warnings).toEqual(['gke.project (file evenkeel.yaml:1) has no effect in this version']);
  });

  test("Kubernetes' service variables are not read as settings", () => {
    const environment = {
      EVENKEEL_SERVICE_HOST: '10.0.0.1',
      EVENKEEL_DASHBOARD_PORT_9090_TCP_ADDR: '10.0.0.1',
      EVENKEEL_PORT: 'tcp://10.0.0.1:9090',
    };
    expect(load({ environment }).ok).toBe(true);
  });

  test('never throws, for any file and environment', () => {
    const anyPath = fc.constantFrom(...Object.keys(SETTINGS), 'x', 'controller', '__proto__', 'toString');
    fc.assert(
      fc.property(fc.string(), fc.dictionary(anyPath, fc.jsonValue()), fc.string(), (text, file, value) => {
        load({ yaml: text });
        load({ yaml: JSON.stringify(file) });
        for (const path of Object.keys(SETTINGS)) load({ environment: { [environmentName(path)]: value } });
      }),
      { numRuns: 50 },
    );
  });
});
