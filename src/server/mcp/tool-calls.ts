import { eventActor, REFUSAL_CODE, type Application } from '../../application/index.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Scope } from '../../core/access/scope.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ApiDocument } from '../openapi/api-document.ts';
import { schemaCompiler, valueValidator, type Checked, type SchemaCompiler } from '../openapi/validator.ts';
import { cleanText } from './clean-text.ts';
import type { Called } from './mcp-message.ts';
import type { CallOutcome, McpMetrics } from './mcp-metrics.ts';
import { inputSchemaOf, isAdminTool, targetOf, type Tool, type ToolAnswer, type ToolArguments } from './tool.ts';

/** Who calls, as the route has verified it. */
export interface McpCaller {
  readonly scope: Scope;
  readonly requestId: string;
  /** Client address, for the audit. */
  readonly address: string;
}

/** An error that the model can act on. */
export interface ToolError {
  readonly kind: 'error';
  readonly code: string;
  readonly message: string;
}

interface ToolCallsDependencies {
  readonly application: Application;
  readonly metrics: McpMetrics;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly schemas: ApiDocument['schemas'];
}

/** Runs tools: checks their arguments and the caller, and records every call. */
export class ToolCalls {
  readonly #dependencies: ToolCallsDependencies;
  readonly #compile: SchemaCompiler;
  readonly #validators = new Map<Tool, (given: unknown) => Checked<unknown>>();

  constructor(dependencies: ToolCallsDependencies) {
    this.#dependencies = dependencies;
    this.#compile = schemaCompiler(dependencies.schemas);
  }

  async run(tool: Tool, given: unknown, caller: McpCaller): Promise<Extract<ToolAnswer, { kind: 'answer' }> | ToolError> {
    const { timer } = this.#dependencies;
    const startedAt = timer.nowMs();
    const answer = await this.#answer(tool, given ?? {}, caller);
    const code = answer.kind === 'answer' ? null : answer.code;
    this.#record(`mcp/${tool.name}`, targetOf((given ?? {}) as ToolArguments), code, caller);
    this.#dependencies.metrics.observe({ tool: tool.name, outcome: outcomeOf(code), seconds: (timer.nowMs() - startedAt) / 1000 });
    return answer;
  }

  /** Records a call that runs no tool: of one that the caller's server does not have, or of none. @param name empty: it has none */
  recordRefused(called: Called, name: string, code: string, caller: McpCaller): void {
    this.#record(`mcp/unknown-${called}`, name, code, caller);
    this.#dependencies.metrics.observe({ tool: 'unknown', outcome: outcomeOf(code), seconds: 0 });
  }

  async #answer(tool: Tool, given: unknown, { scope, requestId }: McpCaller): Promise<Extract<ToolAnswer, { kind: 'answer' }> | ToolError> {
    const { application, logger } = this.#dependencies;
    // Checked here as well as by the application, whatever server has registered the tool.
    if (isAdminTool(tool) && !scope.admin) return { kind: 'error', code: 'forbidden', message: 'Only an admin may do this.' };
    const checked = this.#validatorOf(tool)(given);
    if (!checked.ok) return invalid(tool, checked.details);
    try {
      const answer = await tool.answer({ application, scope }, checked.value as ToolArguments);
      return answer.kind === 'answer' ? answer : errorOf(tool, answer);
    } catch (error) {
      logger.error('MCP tool failed', { tool: tool.name, requestId, err: error });
      return {
        kind: 'error',
        code: 'internal',
        message: `Internal error. Try again; the log has the cause under request id ${requestId}.`,
      };
    }
  }

  #validatorOf(tool: Tool): (given: unknown) => Checked<unknown> {
    const known = this.#validators.get(tool);
    if (known !== undefined) return known;
    const validator = valueValidator(inputSchemaOf(tool), this.#compile);
    this.#validators.set(tool, validator);
    return validator;
  }

  #record(action: string, target: string, code: string | null, { scope, requestId, address }: McpCaller): void {
    const { accessEvents } = this.#dependencies.application;
    const call = { actor: eventActor(scope), action, target: cleanText(target), requestId, address };
    if (code === 'forbidden') accessEvents.deny({ ...call, code, isChange: false });
    else accessEvents.read({ ...call, outcome: code === null ? 'allowed' : 'error', after: code === null ? null : { code } });
  }
}

/** The refusal in words for a model: what is wrong, and what to call instead. */
function errorOf(tool: Tool, refusal: Refusal): ToolError {
  switch (refusal.kind) {
    case 'invalid':
      return invalid(tool, refusal.details);
    case 'ambiguous':
      return {
        kind: 'error',
        code: 'ambiguous_workload',
        message: cleanText(`${refusal.message} Call again with the argument kind: ${refusal.kinds.join(' or ')}.`),
      };
    case 'unauthenticated':
      return { kind: 'error', code: 'unauthenticated', message: refusal.message };
    default:
      return { kind: 'error', code: REFUSAL_CODE[refusal.kind], message: cleanText(refusal.message) };
  }
}

function invalid(tool: Tool, details: readonly { readonly path: string; readonly message: string }[]): ToolError {
  const problems = details.map(({ path, message }) => `${path === '' ? 'The arguments' : path.slice(1).replaceAll('/', '.')} ${message}`);
  const hint = Object.keys(tool.arguments).length === 0 ? ` ${tool.name} takes no arguments.` : '';
  return { kind: 'error', code: 'invalid_arguments', message: `${cleanText(problems.join('; '))}.${hint}` };
}

function outcomeOf(code: string | null): CallOutcome {
  switch (code) {
    case null:
      return 'ok';
    case 'forbidden':
    case 'unauthenticated':
      return 'denied';
    case 'not_found':
    case 'unknown_tool':
    case 'unknown_prompt':
    case 'unknown_resource':
      return 'not-found';
    case 'internal':
      return 'failed';
    default:
      return 'invalid';
  }
}
