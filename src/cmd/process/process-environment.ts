import type { ReflectorTimes } from '../../adapters/kubernetes/watch/reflector-spec.ts';
import type { ElectionThreadData } from '../../adapters/lease-thread/messages.ts';
import type { ApiTransport } from '#kube/api-transport';
import type { Activity, Clock, MachineTimer } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';

/**
 * What a process gets from outside: a real cluster over HTTPS, or the embedded one in the same process. Its creator closes it.
 */
export interface ProcessEnvironment {
  readonly transport: ApiTransport;
  /** For user requests, whose bulk operations have a rate limit of their own. Default: `transport`. */
  readonly commandTransport?: ApiTransport;
  /** For effects, so that a raise does not wait behind reads and other writes. Default: `transport`. */
  readonly effectTransport?: ApiTransport;
  /** URL of `transport`'s API server; absent where it is in this process. */
  readonly apiServer?: { readonly url: string; readonly sendsCredentials: boolean };
  /** Separate, so that queued requests do not delay a lease renewal. */
  readonly leaseTransport: ApiTransport;
  /** How a thread of the leader election reaches the API server. Absent: the election runs in the main thread, over `leaseTransport`. */
  readonly electionThread?: Pick<ElectionThreadData, 'connection' | 'userAgent'>;
  readonly clock: Clock;
  readonly timer: MachineTimer;
  /** Timer and times of watches. Default: `timer`, and times for a cluster over a network. */
  readonly watches?: { readonly timer: MachineTimer; readonly times: ReflectorTimes };
  readonly activity: Activity;
  readonly random: Random;
  /** Evenkeel's namespace. */
  readonly namespace: string;
  readonly clusterName: string;
  /** Unique per process: it also differs from this replica's earlier processes. */
  readonly identity: string;
  /** This process's pod, which owns the objects that end with it; absent outside of a pod. */
  readonly pod?: { readonly name: string; readonly uid: string };
}
