import { unmetRequirement, type Requirement } from '../core/access/requirement.ts';
import type { WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import type { Caller, CommandPorts } from './context.ts';
import type { CommandOutcome } from './outcome.ts';

/** One thing that a user may ask for, with who may ask for it. */
export interface Command<Input, Change> {
  readonly requires: Requirement<Input>;
  /** Validates the input and writes the intent. Called once the requirement is met: by `Application`, and by `carryOut` for items of a bulk. */
  run(ports: CommandPorts, caller: Caller, input: Input): Promise<CommandOutcome<Change>>;
}

/** Input of a command about one workload. */
export interface OnWorkload<Body> {
  readonly target: WorkloadTarget;
  readonly body: Body;
}

/** Body of a command that takes nothing but why it is given. */
export interface ReasonBody {
  readonly reason?: string;
}

/** Gives the command if the caller meets its requirement. */
export async function carryOut<Input, Change>(
  command: Command<Input, Change>,
  ports: CommandPorts,
  caller: Caller,
  input: Input,
): Promise<CommandOutcome<Change>> {
  const unmet = unmetRequirement(command.requires, caller.scope, input, ports.isEnabled);
  return unmet ?? command.run(ports, caller, input);
}
