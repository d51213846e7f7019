// hack/cluster: a real Kubernetes control plane on this machine.

import process from 'node:process';
import { parseArgs } from 'node:util';
import { down, isUp, up } from './cluster.ts';
import { clusterNames } from './folders.ts';
import { COMPONENTS, Layout } from './layout.ts';
import { DEFAULT_POOL } from './nodes.ts';

const USAGE = `usage: hack/cluster COMMAND [--name NAME] [OPTION]...

  up          start the cluster, or what of it does not run, and wait until it is ready
  down        stop it and remove everything of it
  status      what runs where
  kubeconfig  print the path of the administrator's kubeconfig

  --name NAME            which cluster (default: evenkeel)
  --nodes N              up: nodes that kwok keeps ready (default: 3)
  --machine-types A,B    up: dealt to the nodes in turn (default: ${DEFAULT_POOL.machineTypes.join(',')})
  --zones A,B            up: dealt to the nodes in turn (default: ${DEFAULT_POOL.zones.join(',')})
  --prometheus           up: also run Prometheus, scraping everything
  --all                  down: every cluster

Needs Go 1.26 or later; the first start compiles the control plane, which takes about ten minutes.`;

/** Called wrongly. */
const EXIT_USAGE = 2;
const MAX_NODES = 5_000;

class UsageError extends Error {}

async function main(): Promise<void> {
  const { command, options } = readArguments(process.argv.slice(2));
  switch (command) {
    case 'up':
      return start(options);
    case 'down':
      return stop(options.all ? clusterNames() : [options.name]);
    case 'status':
      status(options.name);
      return;
    case 'kubeconfig':
      console.log(existing(options.name).kubeconfig);
      return;
    case 'help':
      console.log(USAGE);
      return;
  }
}

interface Options {
  readonly name: string;
  readonly nodes: number;
  readonly machineTypes: readonly string[];
  readonly zones: readonly string[];
  readonly prometheus: boolean;
  readonly all: boolean;
}

function readArguments(args: readonly string[]): { readonly command: (typeof COMMANDS)[number]; readonly options: Options } {
  const { positionals, values } = parse(args);
  const [given = 'help', ...more] = positionals;
  const command = COMMANDS.find((each) => each === (values.help ? 'help' : given));
  if (command === undefined || more.length > 0) throw new UsageError(`unknown command: ${positionals.join(' ')}`);
  const nodes = Number(values.nodes);
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > MAX_NODES)
    throw new UsageError(`--nodes ${values.nodes}: give a whole number from 0 to ${MAX_NODES}`);
  const { name, prometheus, all } = values;
  const machineTypes = values['machine-types'].split(',');
  return { command, options: { name, nodes, machineTypes, zones: values.zones.split(','), prometheus, all } };
}

const COMMANDS = ['up', 'down', 'status', 'kubeconfig', 'help'] as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        name: { type: 'string', default: 'evenkeel' },
        nodes: { type: 'string', default: '3' },
        'machine-types': { type: 'string', default: DEFAULT_POOL.machineTypes.join(',') },
        zones: { type: 'string', default: DEFAULT_POOL.zones.join(',') },
        prometheus: { type: 'boolean', default: false },
        all: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (err) {
    throw new UsageError(err instanceof Error ? err.message : String(err), { cause: err });
  }
}

async function start({ name, nodes, machineTypes, zones, prometheus }: Options): Promise<void> {
  const startedMs = performance.now();
  const pool = { ...DEFAULT_POOL, count: nodes, machineTypes, zones };
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interrupted.abort(new Error(`${signal} while starting: what was started is removed`)));
  }
  const log = (line: string): void => console.error(`cluster ${name}: ${line}`);
  const layout = await up(name, { nodes: pool, prometheus }, log, interrupted.signal);
  console.error(`cluster ${name}: ready after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  console.log(`export KUBECONFIG=${layout.kubeconfig}`);
}

async function stop(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const existed = await down(name, (line) => console.error(`cluster ${name}: ${line}`));
    console.error(existed ? `cluster ${name}: stopped and removed` : `cluster ${name}: was not there`);
  }
}

function status(name: string): void {
  const layout = existing(name);
  const record = layout.read();
  console.log(`cluster    ${name}${record?.ready === true ? '' : ' (its start has not come to an end)'}`);
  console.log(`server     https://127.0.0.1:${record?.ports.apiserver}`);
  console.log(`kubeconfig ${layout.kubeconfig}`);
  console.log(`kubelets   port ${record?.ports.kubelet} (setting kubelet.port)`);
  console.log(`audit log  ${layout.auditLog}`);
  for (const component of COMPONENTS) {
    const pid = record?.processes[component]?.pid;
    if (pid === undefined) continue;
    const running = isUp(layout, component);
    console.log(`${component.padEnd(24)} ${running ? `runs (process ${pid})` : 'does not run'}  ${layout.log(component)}`);
    if (!running) process.exitCode = 1;
  }
}

function existing(name: string): Layout {
  const layout = new Layout(name);
  if (layout.read() !== null) return layout;
  const others = clusterNames();
  throw new UsageError(
    `there is no cluster ${name}: start it with hack/cluster up --name ${name}${others.length === 0 ? '' : `; there are ${others.join(', ')}`}`,
  );
}

try {
  await main();
} catch (err) {
  console.error(`hack/cluster: ${err instanceof Error ? err.message : String(err)}`);
  if (err instanceof UsageError) console.error('hack/cluster --help says more');
  process.exitCode = err instanceof UsageError ? EXIT_USAGE : 1;
}
