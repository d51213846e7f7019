// The clients of the dashboard as a process of the scale bench, so that their CPU does not delay what they measure.

import process from 'node:process';
import { DashboardClients, type ReadFigures } from './dashboard-clients.ts';

export interface ToClients {
  readonly type: 'start' | 'stop';
  readonly origin: string;
  readonly workloads: readonly string[];
  readonly perSecond: number;
}

let clients: DashboardClients | null = null;

process.on('message', ({ type, origin, workloads, perSecond }: ToClients) => {
  if (type === 'start') {
    clients = new DashboardClients(origin, workloads);
    clients.start(perSecond);
  } else if (clients !== null) {
    const figures: ReadFigures = clients.stop();
    process.send?.(figures);
  }
});
process.once('disconnect', () => process.exit(0));
