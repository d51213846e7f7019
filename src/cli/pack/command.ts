import { dirname } from 'node:path';
import { describeOptions } from '../arguments.ts';
import type { Command, Terminal } from '../command.ts';
import { printable } from '../escape.ts';
import { findWriteProblem, writeAtomically } from '../write-atomically.ts';
import { packingCsv } from './emit.ts';
import { readInput } from './input/read-input.ts';
import { PACK_OPTIONS, type PackOptions, parsePackOptions } from './options.ts';
import { planPacking } from './plan.ts';
import { nodeTable, totalsByType } from './report/tables.ts';

const EXIT = { done: 0, failed: 1, usageError: 2 } as const;

/** `evenkeel pack`: the cheapest nodes found for a list of pods. */
export const packCommand: Command = {
  name: 'pack',
  summary: 'what would these pods cost at best: the cheapest nodes found for them',
  help: [
    'evenkeel pack --pods FILE --pools FILE [OPTIONS]',
    '',
    'Finds a cheap set of nodes for the pods, and checks it before it is printed: every pod once, no node over its allocatable.',
    'Without alloc_cpu_milli and alloc_memory_mib the whole machine is allocatable. A node has at most 110 pods.',
    '',
    ...describeOptions(PACK_OPTIONS),
    '',
    'Exit code: 0 done, 1 no packing found or not written, 2 usage error or invalid input.',
  ].join('\n'),
  run: (args, terminal) => {
    const parsed = parsePackOptions(args);
    if (!parsed.ok) return Promise.resolve(refuse(terminal, parsed.problems));
    return Promise.resolve(pack(parsed.options, terminal));
  },
};

function refuse(terminal: Terminal, problems: readonly string[]): number {
  for (const problem of problems) terminal.err(printable(`evenkeel pack: ${problem}`));
  return EXIT.usageError;
}

function pack(options: PackOptions, terminal: Terminal): number {
  const folder = options.emit === null ? null : dirname(options.emit);
  const unwritable = folder === null ? null : findWriteProblem(folder);
  if (unwritable !== null) return refuse(terminal, [`--emit: ${folder ?? ''} is not writable: ${unwritable}; choose another folder`]);
  const read = readInput(options);
  if (!read.ok) return refuse(terminal, read.problems);
  const { problem } = read.input;
  const plan = planPacking(problem);
  if (plan === null) {
    terminal.err('evenkeel pack: no packing was found within the max of the machine types; raise max, or add a machine type');
    return EXIT.failed;
  }
  if (options.emit !== null) writeAtomically(options.emit, packingCsv(read.input, plan.packing));
  const byType = totalsByType(problem, plan);
  if (options.json) terminal.out(JSON.stringify({ usdPerHour: plan.usdPerHour, nodes: byType }, null, 2));
  else for (const line of nodeTable(byType, plan.usdPerHour)) terminal.out(line);
  return EXIT.done;
}
