// Calls of MCP tools by each caller, and their outcome by the contract.

import { isAdminTool, type Tool } from '../../../src/server/mcp/tool.ts';
import { TOOLS } from '../../../src/server/mcp/tools/index.ts';
import { canRead, TARGET_NAMESPACE, type AccessCaller } from './callers.ts';

/**
 * `answered`; `unknown tool`: a protocol error, as for a tool that does not exist; `not authorized` and `not found`: errors of the tool; a
 * number: the HTTP status of the refused request.
 */
export type ToolOutcome = 'answered' | 'unknown tool' | 'not authorized' | 'not found' | 401 | 403;

export const MCP_TOOLS: readonly Tool[] = TOOLS;

/** Arguments of a call that names the target where the tool needs a name. */
export function callArguments({ required }: Tool, namespace = TARGET_NAMESPACE, name = 'checkout'): Readonly<Record<string, string>> {
  return required.length === 0 ? {} : { namespace, name };
}

/** @param namespace that the arguments name; null: none */
export function expectedToolOutcome(
  tool: Tool,
  caller: AccessCaller,
  namespace: string | null = tool.required.length === 0 ? null : TARGET_NAMESPACE,
): ToolOutcome {
  if (caller.page !== 'own page') return 403;
  if (caller.authEnabled) {
    if (['none', 'ended session', 'revoked key'].includes(caller.credential)) return 401;
    if (caller.grant === null) return 403;
    if (isAdminTool(tool) && caller.grant.role !== 'admin') return 'unknown tool';
  }
  if (namespace !== null && !canRead(caller, namespace)) return 'not authorized';
  // Scheduled scaling policies are not available yet.
  return tool.name === 'get_scheduled_scale' ? 'not found' : 'answered';
}

/** The body of a call. */
export function callOf(name: string, given: object): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
}
