// Writes the diagram of rooms in CONTRIBUTING.md from .dependency-cruiser.cjs; with --check fails where it is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { roomDiagram, roomsOf, type RoomTable } from '../rooms/room-diagram.ts';

const ROLES: Readonly<Record<string, string>> = {
  adapters: 'Kubernetes, kubelets, SQL',
  apis: 'resource and API types',
  application: 'access checks',
  cli: 'subcommands',
  cmd: 'wiring of the binaries',
  commands: 'what a user may request',
  controllers: 'reconcilers',
  core: 'decisions, pure',
  demo: 'the controller on the embedded cluster',
  'embedded-cluster': 'package: Kubernetes in one process',
  kube: 'package: Kubernetes as data',
  ports: 'interfaces',
  queries: 'read models',
  runtime: 'queues, leases, effects',
  server: 'HTTP API and dashboard',
  state: 'model of the cluster',
  workers: 'worker threads',
};
const BEGIN = '<!-- rooms: written by hack/generate/generate-room-diagram.ts -->';
const END = '<!-- end of rooms -->';

const root = join(import.meta.dirname, '..', '..');
const file = join(root, 'CONTRIBUTING.md');
const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as { forbidden: Parameters<typeof roomsOf>[0] };
const current = readFileSync(file, 'utf8');
const wanted = replaceBetween(current, `\n\n\`\`\`mermaid\n${roomDiagram(withBinaries(roomsOf(forbidden)), ROLES)}\n\`\`\`\n\n`);
if (process.argv.includes('--check')) {
  if (current !== wanted) {
    console.error('the diagram of rooms in CONTRIBUTING.md is stale');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, wanted);
}

/** `cmd` has no row in the table: it wires every room that is shipped but `cli`, which starts it. Rooms without a folder are left out. */
function withBinaries(table: RoomTable): RoomTable {
  const rooms = [...table].filter(([room]) => ['src', 'packages'].some((folder) => existsSync(join(root, folder, room))));
  const wired = rooms.map(([room]) => room).filter((room) => !['cli', 'demo', 'embedded-cluster'].includes(room));
  return new Map([...rooms, ['cmd', wired] as const].toReversed());
}

function replaceBetween(text: string, content: string): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`CONTRIBUTING.md lacks "${BEGIN}" before "${END}"`);
  return text.slice(0, begin + BEGIN.length) + content + text.slice(end);
}
