import { unmetRequirement, type Requirement } from '../core/access/requirement.ts';
import type { WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import type { Caller, CommandPorts } from './context.ts';
import type { CommandOutcome } from './outcome.ts';

/** One kind of user request, with its required access. */
export interface Command<Input, Change> {
  readonly requires: Requirement<Input>;
  /** Validates the input and writes the request. `Application` and `carryOut` check the required access before. */
  run(ports: CommandPorts, caller: Caller, input: Input): Promise<CommandOutcome<Change>>;
}

/** Input of a command about one workload. */
export interface OnWorkload<Body> {
  readonly target: WorkloadTarget;
  readonly body: Body;
}

/** Body of a command that takes only a reason. */
export interface ReasonBody {
  readonly reason?: string;
}

/** Runs the command where the caller has the required access. */
export async function carryOut<Input, Change>(
  command: Command<Input, Change>,
  ports: CommandPorts,
  caller: Caller,
  input: Input,
): Promise<CommandOutcome<Change>> {
  const unmet = unmetRequirement(command.requires, caller.scope, input, ports.isEnabled);
  return unmet ?? command.run(ports, caller, input);
}
