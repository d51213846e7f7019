/** The command line of a binary, before its settings are validated. */
export interface BinaryArguments {
  readonly config: string | null;
  readonly configCompat: boolean;
  readonly help: boolean;
  readonly version: boolean;
  /** All other options, which are settings. */
  readonly flags: readonly { readonly name: string; readonly value: string | true }[];
  readonly problems: readonly string[];
}

/** Parses a command line. A switch takes a value only after `=`, so that `--controller.dry-run --config x` sets both. */
export function readArguments(args: readonly string[], isSwitch: (name: string) => boolean): BinaryArguments {
  const flags: { readonly name: string; readonly value: string | true }[] = [];
  const problems: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const match = /^--([^=\s]+)(?:=(.*))?$/s.exec(arg);
    const name = match?.[1];
    if (name === undefined) {
      problems.push(`${arg}: unexpected argument; \`--help\` lists the options`);
      continue;
    }
    const inline = match?.[2];
    if (inline !== undefined) flags.push({ name, value: inline });
    else if (isSwitch(name)) flags.push({ name, value: true });
    else if (rest[0] === undefined || rest[0].startsWith('--')) problems.push(`--${name}: needs a value`);
    else flags.push({ name, value: rest.shift() ?? '' });
  }
  const binaryOptions = new Set(['config', 'config-compat', 'help', 'version']);
  const last = (name: string): string | true | undefined => flags.findLast((flag) => flag.name === name)?.value;
  const config = last('config');
  return {
    config: typeof config === 'string' ? config : null,
    configCompat: last('config-compat') !== undefined,
    help: last('help') !== undefined,
    version: last('version') !== undefined,
    flags: flags.filter(({ name }) => !binaryOptions.has(name)),
    problems,
  };
}
