/** One invalid setting. */
export interface Problem {
  /** Dotted path of the setting, or the unknown name. */
  readonly path: string;
  /** Its source: `file evenkeel.yaml`, `environment EVENKEEL_…`, `flag --…`. */
  readonly source: string;
  readonly given: unknown;
  /** What is allowed and what to do. */
  readonly message: string;
  /** Unknown keys only warn with `--config-compat`. */
  readonly unknown?: boolean;
}

/** One line per problem: path, source, value, what is allowed. */
export function describeProblems(problems: readonly Problem[]): string {
  const lines = problems.map(
    ({ path, source, given, message }) => `  ${path} (${source}): ${given === undefined ? '' : `${JSON.stringify(given)}: `}${message}`,
  );
  return [`${problems.length} ${problems.length === 1 ? 'setting is' : 'settings are'} wrong:`, ...lines].join('\n');
}
