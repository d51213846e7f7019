import type { ServiceName } from './guards/allowed-host.ts';
import type { Rate } from '../runtime/clients/rate-limit.ts';

/** Settings of the dashboard's server. */
export interface DashboardOptions {
  /** `:9090` for every interface, or `host:port`; port 0 takes a free one. */
  readonly address: string;
  /** Address under which people reach it; its origin is accepted. null: the Host that they name. */
  readonly publicUrl: string | null;
  /** `dashboard.allowedHosts`: further values of the Host header. */
  readonly allowedHosts: readonly string[];
  /** The Service's own names inside the cluster. */
  readonly service: ServiceName;
  /** `dashboard.trustedProxies`: addresses or CIDR ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** `dashboard.anonymousWrites`: false takes changes without a credential from loopback alone. */
  readonly anonymousWrites: boolean;
  /** `dashboard.maxConnections`: open at once; one address has a quarter of them. */
  readonly maxConnections: number;
  /** Per client address, while authentication is off. */
  readonly rate: Rate;
}
