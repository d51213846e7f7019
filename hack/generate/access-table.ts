import { ACCESS_CALLERS, type AccessCaller } from '../../test/builders/access/callers.ts';
import { expectedOutcome, statusOf, type Outcome } from '../../test/builders/access/expected-outcome.ts';
import { expectedToolOutcome, MCP_TOOLS } from '../../test/builders/access/mcp-calls.ts';
import { accessRoutes, type AccessRoute } from '../../test/builders/access/routes.ts';
import type { Tool } from '../../src/server/mcp/tool.ts';

/** Refusals with status 403 besides that of a role or namespace, as the table abbreviates them. */
const REFUSALS: Readonly<Partial<Record<Outcome, string>>> = {
  api_key_read_only: '403 key',
  session_required: '403 session',
  csrf_failed: '403 origin',
  feature_disabled: '403 off',
};

/** The table of MCP tool and caller, in Markdown. */
export function mcpTable(): { readonly columns: string; readonly table: string; readonly cells: number } {
  const cell = (tool: Tool, caller: AccessCaller): string => String(expectedToolOutcome(tool, caller));
  const columns = [...Map.groupBy(ACCESS_CALLERS, (caller) => MCP_TOOLS.map((tool) => cell(tool, caller)).join()).values()];
  const letter = (index: number): string => String.fromCharCode('A'.charCodeAt(0) + index);
  return {
    columns: columns.map((callers, index) => `- **${letter(index)}** ${callers.map(({ name }) => name).join('; ')}`).join('\n'),
    table: [
      `| tool | ${columns.map((_, index) => letter(index)).join(' | ')} |`,
      `| --- | ${columns.map(() => '---').join(' | ')} |`,
      ...MCP_TOOLS.map(
        (tool) => `| \`${tool.name}\` | ${columns.map(([caller]) => (caller === undefined ? '' : cell(tool, caller))).join(' | ')} |`,
      ),
    ].join('\n'),
    cells: MCP_TOOLS.length * ACCESS_CALLERS.length,
  };
}

/** The table of route and caller, and the callers of each column, in Markdown. */
export function accessTable(): { readonly columns: string; readonly table: string; readonly cells: number } {
  const routes = accessRoutes();
  // Callers that every route answers alike share a column.
  const columns = [...Map.groupBy(ACCESS_CALLERS, (caller) => routes.map((route) => cellOf(route, caller)).join()).values()];
  const letter = (index: number): string => String.fromCharCode('A'.charCodeAt(0) + index);
  const rows = routes.map(
    (route) => `| \`${route.title}\` | ${columns.map(([caller]) => (caller === undefined ? '' : cellOf(route, caller))).join(' | ')} |`,
  );
  return {
    columns: columns.map((callers, index) => `- **${letter(index)}** ${callers.map(({ name }) => name).join('; ')}`).join('\n'),
    table: [
      `| route | ${columns.map((_, index) => letter(index)).join(' | ')} |`,
      `| --- | ${columns.map(() => '---').join(' | ')} |`,
      ...rows,
    ].join('\n'),
    cells: routes.length * ACCESS_CALLERS.length,
  };
}

function cellOf(route: AccessRoute, caller: AccessCaller): string {
  const outcome = expectedOutcome(route, caller);
  return REFUSALS[outcome] ?? String(statusOf(route, outcome));
}
