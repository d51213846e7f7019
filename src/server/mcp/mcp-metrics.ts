import type { Metrics } from '../../ports/metrics.ts';

/** Outcomes of a call. */
export type CallOutcome = 'ok' | 'denied' | 'invalid' | 'not-found' | 'failed';

/** Metrics of the MCP server. */
export interface McpMetrics {
  /** @param tool of a fixed set: a tool, or `unknown` */
  observe(call: { readonly tool: string; readonly outcome: CallOutcome; readonly seconds: number }): void;
}

/** Registers the `evenkeel_mcp_*` metrics. */
export function mcpMetrics(metrics: Metrics): McpMetrics {
  const calls = metrics.counter({
    name: 'evenkeel_mcp_calls_total',
    help: 'Calls of MCP tools, also for resources and prompts, by tool and outcome (ok, denied, invalid, not-found, failed).',
    labels: ['tool', 'outcome'],
  });
  const seconds = metrics.histogram({
    name: 'evenkeel_mcp_call_duration_seconds',
    help: 'Time until a call of an MCP tool was answered, by tool.',
    labels: ['tool'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });
  return {
    observe: ({ tool, outcome, seconds: duration }) => {
      calls.add(1, { tool, outcome });
      seconds.observe(duration, { tool });
    },
  };
}
