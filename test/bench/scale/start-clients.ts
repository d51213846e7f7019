import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestFixture } from '../../e2e/processes.ts';
import type { ReadFigures } from './measure/dashboard-clients.ts';
import type { ToClients } from './measure/dashboard-clients-process.ts';
import type { PlannedWorkload } from './played/cluster-plan.ts';

const READS_PER_SECOND = 100;
/** Workloads that are read one by one. */
const SINGLES = 40;

export interface RunningClients {
  stop(): Promise<ReadFigures>;
}

/** Starts the clients of the dashboard as a process. */
export function startClients(fixture: TestFixture, origin: string, workloads: readonly PlannedWorkload[]): RunningClients {
  const script = join(import.meta.dirname, 'measure/dashboard-clients-process.ts');
  const child = fork(script, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  fixture.addCleanup(() => void child.kill('SIGKILL'));
  const singles = workloads.filter(({ kind }) => kind !== 'DaemonSet').slice(0, SINGLES);
  const send = (type: ToClients['type']): void => {
    const paths = singles.map(({ namespace, name }) => `${namespace}/${name}`);
    const message: ToClients = { type, origin, workloads: paths, perSecond: READS_PER_SECOND };
    child.send(message);
  };
  send('start');
  return {
    stop: async () => {
      send('stop');
      const [figures] = (await once(child, 'message')) as [ReadFigures];
      return figures;
    },
  };
}
