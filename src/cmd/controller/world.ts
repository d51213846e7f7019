import type { ReflectorTimes } from '../../adapters/kubernetes/reflector-spec.ts';
import type { Activity, Clock, MachineTimer } from '../../ports/clock.ts';
import type { ApiTransport } from '../../ports/api-transport.ts';
import type { KubeletPages } from '../../ports/kubelet-pages.ts';
import type { Random } from '../../ports/random.ts';
import type { UsageHistorySource } from '../../ports/usage-source.ts';
import type { KubeletAccess } from './kubelet-access.ts';

/**
 * Everything outside of the controller that it stands on: a real cluster over HTTPS, or the embedded one in process.
 * Whoever makes it ends it.
 */
export interface ControllerWorld {
  readonly transport: ApiTransport;
  /** For what people ask for: a bulk of theirs neither waits behind the controller's own rate nor uses it up. Left out: `transport`. */
  readonly commandTransport?: ApiTransport;
  /** For what changes what runs: a raise waits behind no read and no record. Left out: `transport`. */
  readonly effectTransport?: ApiTransport;
  /** How `transport` reaches the API server. Left out: in process. */
  readonly apiServer?: { readonly url: string; readonly sendsCredentials: boolean };
  /** Of its own, so that no queue of requests delays a renewal. */
  readonly leaseTransport: ApiTransport;
  /** Of each node: directly, or through the API server where that is asked for. */
  readonly kubelets: KubeletPages;
  /** Whose credentials they are sent, and whether those may read them. Left out: those of `transport`. */
  readonly kubeletAccess?: Pick<KubeletAccess, 'problem' | 'mayRead'>;
  /** What knows the past; null where nothing does. */
  readonly pastUsage: UsageHistorySource | null;
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
