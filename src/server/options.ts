import type { ServiceName } from './guards/allowed-host.ts';
import type { Rate } from '../runtime/clients/rate-limit.ts';
import type { RequestRateOptions } from './guards/request-rates.ts';

/** Settings of the dashboard server. */
export interface DashboardOptions {
  /** `:9090` for all interfaces, or `host:port`; port 0 selects a free one. */
  readonly address: string;
  /** External URL, whose origin is allowed. null: the request's Host. */
  readonly publicUrl: string | null;
  /** `dashboard.allowedHosts`: additional allowed Host headers. */
  readonly allowedHosts: readonly string[];
  /** Names of the dashboard's Service. */
  readonly service: ServiceName;
  /** `dashboard.trustedProxies`: addresses or CIDR ranges whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** `dashboard.anonymousWrites`: false accepts changes without credentials only from loopback. */
  readonly anonymousWrites: boolean;
  /** `dashboard.maxConnections`: maximum open connections; one address may have a quarter. */
  readonly maxConnections: number;
  /** `rateLimit.*` of requests. */
  readonly rates: RequestRateOptions;
  /** `rateLimit.mcpCallsPerSecond` and `rateLimit.mcpBurst`: calls of MCP tools with one credential. */
  readonly mcpRate: Rate;
  /** `rateLimit.failedAuthenticationsPerMinute`, of one address. */
  readonly maxFailuresPerMinute: number;
}
