// Serves the dashboard of an invented cluster on loopback: node hack/dashboard-preview.ts [port]

import { dashboardWorld } from '../test/builders/dashboard-world.ts';
import { startDashboard } from '../test/fakes/clients/dashboard-client.ts';
import { SystemTimer } from '../src/runtime/system-clock.ts';

const port = Number(process.argv[2] ?? 9190);
const world = dashboardWorld();
const client = await startDashboard({ ...world, timer: new SystemTimer() }, { address: `127.0.0.1:${port}` });
console.log(`${client.origin}/`);
