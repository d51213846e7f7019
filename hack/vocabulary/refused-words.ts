// Words and names that no text of this project uses, each with the standard term that replaces it.

/**
 * Where a word is refused: in any text, in camel case anywhere (strings and YAML too), in names of code alone, or at the beginning or end
 * of a constant alone.
 */
export type WordUse = 'text' | 'name' | 'identifier' | 'constant-prefix' | 'constant-suffix';

export interface RefusedWord {
  /** Lower-case words, in each form: `policy book` is refused as `PolicyBook`, `policy-book`, `policy_book` and `policy book`. */
  readonly forms: readonly string[];
  /** What to write instead. */
  readonly write: string;
  /** `text` unless given. */
  readonly use?: WordUse;
  /** The files in which it is refused; all unless given. */
  readonly path?: RegExp;
}

/** Production code: no tests, no embedded cluster, no tools. */
const PRODUCTION = /^(src|packages\/kube)\/(?!.*\.test\.ts$)/;

export const REFUSED_WORDS: readonly RefusedWord[] = [
  { forms: ['told', 'tell', 'tells', 'telling', 'teller', 'untold', 'retell'], write: 'report, record, publish, event, message' },
  {
    forms: ['nobody', 'somebody', 'anybody', 'everybody', 'someone', 'whoever'],
    write: 'no caller, a user, an administrator, another controller',
  },
  { forms: ['birth', 'births', 'born', 'newborn', 'rebirth'], write: 'creation, admission, size at creation' },
  { forms: ['loan', 'loans', 'loaned', 'lent', 'lend', 'lends', 'lending', 'lender', 'lenders'], write: 'temporary increase, boost' },
  {
    forms: ['standing', 'stands', 'stood'],
    write: 'is stored, is listed, applies, is current, gate state, approval state',
  },
  { forms: ['wish', 'wishes', 'wished', 'wishing', 'personal wishes'], write: 'user request, UserRequests' },
  { forms: ['nap', 'naps', 'napping', 'napped', 'short naps'], write: 'idle period, shortIdlePeriods' },
  { forms: ['asleep'], write: 'idled' },
  { forms: ['quiet spell'], write: 'idle tracker, idle period' },
  { forms: ['deed', 'deeds', 'record deed'], write: 'audit entry, recordAudit' },
  { forms: ['hindrance', 'hindrances', 'hinder', 'hinders', 'hindered'], write: 'blocker, blocked by' },
  { forms: ['forgiven', 'forgive', 'forgives', 'forgiving'], write: 'reset count' },
  { forms: ['roomiest', 'roomier', 'roomy'], write: 'with the most available capacity' },
  { forms: ['node room'], write: 'free capacity, available' },
  { forms: ['calm start'], write: 'warm-up' },
  { forms: ['calm since'], write: 'lastEvidenceAt' },
  { forms: ['policy book'], write: 'policy resolver' },
  { forms: ['decision book'], write: 'decision cache' },
  { forms: ['decision line'], write: 'hysteresis, dead band' },
  { forms: ['figure keeper'], write: 'cached totals' },
  { forms: ['kept records'], write: 'record cache' },
  { forms: ['crd keeper'], write: 'CRD installer' },
  { forms: ['runs apart'], write: 'job-run recommender' },
  { forms: ['council'], write: 'predictors' },
  { forms: ['expert', 'experts'], write: 'predictor' },
  { forms: ['put up with', 'puts up with'], write: 'tolerate' },
  { forms: ['new normal', 'new normals'], use: 'name', write: 'approvedBaseline (the API describes the new normal)' },
  { forms: ['other resizes'], write: 'externalResizes' },
  { forms: ['memory limit because'], write: 'memoryLimitReason' },
  { forms: ['waking because'], write: 'wakeReason' },
  { forms: ['wakes on'], use: 'name', write: 'wakeTriggers (custom resources; the API keeps wakesOn)' },
  { forms: ['openings'], use: 'identifier', write: 'openCount' },
  { forms: ['world', 'surroundings'], use: 'identifier', path: PRODUCTION, write: 'dependencies, environment' },
  { forms: ['most', 'longest'], use: 'constant-prefix', write: 'MAX_' },
  { forms: ['least'], use: 'constant-prefix', write: 'MIN_' },
  { forms: ['at once'], use: 'constant-suffix', write: 'CONCURRENCY' },
];

/** A use that stays, and why. An entry that allows nothing is itself reported. */
export interface AllowedWord {
  readonly form: string;
  readonly path: RegExp;
  /** Part of the line, exactly; any line of the path unless given. */
  readonly line?: string;
  readonly reason: string;
}

export const ALLOWED_WORDS: readonly AllowedWord[] = [
  { form: 'roomy', path: /^src\/server\/page\/styles\/tokens\.ts$/, reason: 'A density of the design.' },
  { form: 'wakes on', path: /^src\/(server|queries)\//, reason: 'The field wakesOn of the API is a decided record.' },
  { form: 'world', path: /^src\/server\/mcp\//, line: 'openWorldHint', reason: 'A field of the Model Context Protocol.' },
  { form: 'nobody', path: /^test\/controlplane\/postgres-server\.ts$/, line: 'else as nobody', reason: 'The Unix user nobody.' },
  { form: 'nobody', path: /^test\/controlplane\/postgres-server\.ts$/, line: "name === 'nobody'", reason: 'The Unix user nobody.' },
  {
    form: 'nobody',
    path: /^test\/controlplane\/postgres-server\.ts$/,
    line: 'nor nobody is in /etc/passwd',
    reason: 'The Unix user nobody.',
  },
];

/** Files that are not read, and why. */
export const UNREAD_FILES: readonly { readonly path: RegExp; readonly reason: string }[] = [
  { path: /\.generated\.\w+$/, reason: 'Generated: its source is read.' },
  { path: /^docs\/(access|metrics|rbac|settings)\.md$/, reason: 'Generated: its source is read.' },
  { path: /^charts\/evenkeel\/values\.schema\.json$/, reason: 'Generated: its source is read.' },
  { path: /^test\/fixtures\/previous\//, reason: 'A record of what an earlier version published: it never changes.' },
  { path: /^hack\/vocabulary\//, reason: 'The table of refused words and its tests.' },
  { path: /(^|\/)go\.sum$/, reason: 'Digests of other projects.' },
];
