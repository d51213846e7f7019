// The room table of the house: a room may import itself, packages/kube (all but ui) and the rooms named here, and nothing else.
const rooms = {
  apis: [],
  core: ['apis'],
  ports: ['apis', 'core'],
  state: ['apis', 'core', 'ports'],
  workers: ['apis', 'core', 'ports', 'runtime', 'adapters'],
  runtime: ['ports', 'core'],
  controllers: ['apis', 'core', 'ports', 'state', 'runtime'],
  queries: ['apis', 'core', 'ports', 'state'],
  commands: ['apis', 'core', 'ports', 'state'],
  application: ['apis', 'core', 'ports', 'state', 'queries', 'commands'],
  server: ['apis', 'core', 'application', 'ports', 'runtime'],
  adapters: ['apis', 'core', 'ports', 'runtime'],
  cli: ['apis', 'core', 'ports', 'state', 'workers', 'runtime', 'controllers', 'queries', 'commands', 'application', 'adapters', 'cmd'],
  demo: ['apis', 'core', 'ports', 'runtime', 'adapters', 'cmd', 'cli'],
  ui: ['apis'],
};

// The folder table of `core`: what each folder may import of the others. It has no cycle: `orderOf` refuses one.
const core = {
  model: [],
  access: ['model'],
  cost: ['model'],
  effects: ['model'],
  ownership: ['model'],
  hpa: ['model', 'ownership'],
  packing: ['model'],
  'packing-rules': ['model', 'packing'],
  'packing-proof': [],
  peers: ['model', 'packing'],
  policies: ['model'],
  recommendations: ['model', 'access'],
  recommender: ['model'],
  'resource-audit': ['model'],
  'scheduling/columns': [],
  'scheduling/cluster': ['scheduling/columns'],
  'scheduling/removals': ['scheduling/columns', 'scheduling/cluster'],
  'resize/policy': ['model', 'recommender'],
  'resize/model': ['model', 'hpa', 'recommendations', 'recommender', 'resize/policy'],
  'resize/plan': ['model', 'cost', 'hpa', 'recommender', 'resize/policy', 'resize/model'],
  'resize/layers': ['model', 'ownership', 'hpa', 'recommendations', 'recommender', 'resize/policy', 'resize/model', 'resize/plan'],
  'resize/status': ['model', 'hpa', 'recommendations', 'recommender', 'resize/model', 'resize/plan', 'resize/layers'],
  'resize/creation': ['model', 'recommendations', 'resize/policy', 'resize/model', 'resize/layers'],
  overrides: ['model', 'resize/policy'],
  uninstall: ['model', 'resize/model', 'resize/plan'],
  backtest: ['model', 'peers', 'recommender', 'resize/policy', 'resize/plan'],
};

const coreTable = orderOf(core).map((folder) => ({
  name: `core-${folder.replace('/', '-')}`,
  comment: `src/core/${folder} may import ${core[folder].length === 0 ? 'nothing of core' : core[folder].join(', ')}.`,
  severity: 'error',
  from: { path: `^src/core/${folder}/`, pathNot: '\\.test\\.ts$' },
  to: { path: '^src/core/', pathNot: `^src/core/(${[folder, ...core[folder]].join('|')})/` },
}));

/** The folders in an order in which each imports earlier ones alone. Throws where there is none, or a folder is unknown. */
function orderOf(folders) {
  const order = [];
  const visit = (folder, path) => {
    if (!(folder in folders)) throw new Error(`folder table of core: ${path.join(' -> ')} -> ${folder} is not in the table`);
    if (path.includes(folder)) throw new Error(`folder table of core: cycle ${[...path, folder].join(' -> ')}`);
    if (order.includes(folder)) return;
    for (const imported of folders[folder]) visit(imported, [...path, folder]);
    order.push(folder);
  };
  for (const folder of Object.keys(folders)) visit(folder, []);
  return order;
}

const table = Object.entries(rooms).map(([room, allowed]) => ({
  name: `room-${room}`,
  comment: `src/${room} may import ${allowed.length === 0 ? 'nothing of ours' : allowed.join(', ')} (tests may also use test/builders and test/fakes).`,
  severity: 'error',
  from: { path: `^src/${room}/`, pathNot: '\\.test\\.ts$' },
  to: {
    path: '^(src|packages|test|hack)/',
    pathNot: [
      `^src/(${[room, ...allowed].join('|')})/`,
      ...(room === 'ui' ? [] : ['^packages/kube/']),
      ...(room === 'demo' ? ['^packages/embedded-cluster/'] : []),
    ],
  },
}));

module.exports = {
  forbidden: [
    ...table,
    ...coreTable,
    {
      name: 'package-kube',
      comment: 'packages/kube imports nothing else of ours, and neither do its tests.',
      severity: 'error',
      from: { path: '^packages/kube/' },
      to: { path: '^(src|packages|test|hack)/', pathNot: '^packages/kube/' },
    },
    {
      name: 'package-embedded-cluster',
      comment: 'packages/embedded-cluster imports packages/kube alone of ours, and so do its tests.',
      severity: 'error',
      from: { path: '^packages/embedded-cluster/' },
      to: { path: '^(src|packages|test|hack)/', pathNot: '^packages/(embedded-cluster|kube)/' },
    },
    {
      name: 'testing-is-for-tests',
      comment: 'Builders and fakes of a package are for tests: its own, and those of this repository.',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: ['\\.test\\.ts$', '^packages/[^/]+/testing/'] },
      to: { path: '^packages/[^/]+/testing/' },
    },
    {
      name: 'demo-is-not-shipped',
      comment: 'The image holds neither the demo nor the embedded cluster: nothing that it holds imports them.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/demo/', '\\.test\\.ts$'] },
      to: { path: '^(src/demo|packages/embedded-cluster)/' },
    },
    {
      name: 'core-folders-in-the-table',
      comment: 'Every folder of src/core is in the folder table above.',
      severity: 'error',
      from: { path: '^src/core/', pathNot: `^src/core/(${Object.keys(core).join('|')})/` },
      to: {},
    },
    {
      name: 'plan-flows-from-its-root',
      comment: 'The files of src/core/resize/plan are the order of a decision; its folders are what they use, and never import them.',
      severity: 'error',
      from: { path: '^src/core/resize/plan/[^/]+/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/core/resize/plan/[^/]+$' },
    },
    {
      name: 'tests-use-builders-and-fakes-alone',
      severity: 'error',
      from: { path: '^src/.*\\.test\\.ts$' },
      to: { path: '^test/', pathNot: '^test/(builders|fakes)/' },
    },
    {
      name: 'controllers-are-strangers',
      comment: 'One controller never imports another.',
      severity: 'error',
      from: { path: '^src/controllers/([^/]+)/' },
      to: { path: '^src/controllers/([^/]+)/', pathNot: '^src/controllers/$1/' },
    },
    {
      name: 'client-node-in-one-room',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/adapters/kubernetes/' },
      to: { path: 'node_modules/@kubernetes/client-node', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'http-servers-in-their-rooms',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(server|adapters|runtime)/' },
      to: { path: 'node_modules/express/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^(src|packages)/', pathNot: ['\\.test\\.ts$', '\\.d\\.ts$', '^src/(cmd|workers|demo)/', '^src/ui/'] },
      to: {},
    },
    {
      name: 'not-to-dev-dependencies',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/ui/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
