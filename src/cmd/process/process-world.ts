import type { ReflectorTimes } from '../../adapters/kubernetes/reflector-spec.ts';
import type { ApiTransport } from '#kube/api-transport';
import type { Activity, Clock, MachineTimer } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';

/**
 * Everything outside of a process that it stands on: a real cluster over HTTPS, or the embedded one in process. Its maker
 * ends it.
 */
export interface ProcessEnvironment {
  readonly transport: ApiTransport;
  /** For user requests: a bulk of theirs neither waits behind the process's own rate nor uses it up. Left out: `transport`. */
  readonly commandTransport?: ApiTransport;
  /** For what changes what runs: a raise waits behind no read and no record. Left out: `transport`. */
  readonly effectTransport?: ApiTransport;
  /** How `transport` reaches the API server. Left out: in process. */
  readonly apiServer?: { readonly url: string; readonly sendsCredentials: boolean };
  /** Of its own, so that no queue of requests delays a renewal. */
  readonly leaseTransport: ApiTransport;
  readonly clock: Clock;
  readonly timer: MachineTimer;
  /** By whose time watches live, end and are opened again, and for how long. Left out: `timer`, and times for a cluster behind a network. */
  readonly watches?: { readonly timer: MachineTimer; readonly times: ReflectorTimes };
  readonly activity: Activity;
  readonly random: Random;
  /** Evenkeel's own namespace. */
  readonly namespace: string;
  readonly clusterName: string;
  /** Tells this replica from every other and from its own earlier life. */
  readonly identity: string;
}
