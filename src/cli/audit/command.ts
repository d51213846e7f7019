import { verifyStore } from '../../adapters/history/access-events/verify-store.ts';
import { readRecordKey, RECORD_KEY_SECRET } from '../../adapters/kubernetes/write/record-key.ts';
import type { AccessEventVerification } from '../../ports/store/access-events.ts';
import { HmacSigner } from '../../runtime/hmac-signer.ts';
import { describeOptions, flag, parseArguments, text, type OptionReader, type OptionTable, type OptionValues } from '../arguments.ts';
import type { Command, Terminal } from '../command.ts';
import { connectToCluster } from '../connect.ts';
import { CLUSTER_OPTIONS } from '../recommendations/options.ts';
import { EXIT, NAMESPACE, type Connect } from '../recommendations/request-command.ts';
import { readSavedHeads, saveHeads } from './saved-heads.ts';

const namespace: OptionReader<string> = (given) =>
  NAMESPACE.test(given) ? { ok: true, value: given } : { ok: false, message: 'must be a name of a namespace, such as evenkeel-system' };

const OPTIONS = {
  store: { value: 'URL', help: 'as history.url (default: EVENKEEL_HISTORY_URL)', read: text(), default: null },
  'ca-file': { value: 'FILE', help: 'as history.caFile (default: EVENKEEL_HISTORY_CA_FILE)', read: text(), default: null },
  heads: {
    value: 'FILE',
    help: 'compare with the ends of chains of the last run in FILE, and save those of this run',
    read: text(),
    default: null,
  },
  namespace: {
    value: 'NAME',
    short: 'n',
    help: 'namespace of Evenkeel (default evenkeel-system)',
    read: namespace,
    default: 'evenkeel-system',
  },
  offline: { help: 'contact no cluster; signatures are not verified', read: flag(), default: false },
  ...CLUSTER_OPTIONS,
} as const satisfies OptionTable;

/** No fault, but a user who may write to the store could have written an unsigned chain anew. */
const UNSIGNED = 3;

type Options = OptionValues<typeof OPTIONS>;

const NO_STORE =
  'no store: set --store or EVENKEEL_HISTORY_URL, such as sqlite:/data/evenkeel.sqlite or postgres://USER@HOST:5432/DATABASE';

/** `evenkeel audit verify`: verifies the trail of access events. */
export function createAuditCommand(connect: Connect): Command {
  return {
    name: 'audit',
    summary: 'verify the trail of access events',
    help: [
      'evenkeel audit verify --store URL [OPTIONS]',
      '',
      'Reads all access events of a history store, also while a controller writes to it, and reports events that were changed, removed,',
      `inserted or moved. The ends of chains are signed with the key in the Secret ${RECORD_KEY_SECRET}, which is read from the cluster.`,
      'A store that was set back with the signed end of an earlier time is found with --heads, from a file that is kept elsewhere.',
      'The password of PostgreSQL is read from EVENKEEL_HISTORY_PASSWORD.',
      '',
      ...describeOptions(OPTIONS),
      '',
      'Exit code: 0 no fault was found, 1 the trail was changed or cannot be read, 2 usage error, 3 no fault was found, but the end of a chain',
      'is not signed although there is a key.',
    ].join('\n'),
    async run(args, terminal) {
      const parsed = parseArguments(OPTIONS, args, { withPositionals: true });
      const url = parsed.ok ? (parsed.values.store ?? terminal.environment['EVENKEEL_HISTORY_URL'] ?? '') : '';
      const problems = parsed.ok ? usageProblems(parsed.positionals, url) : parsed.problems;
      if (!parsed.ok || problems.length > 0) {
        for (const problem of problems) terminal.err(`evenkeel audit: ${problem}`);
        return EXIT.usageError;
      }
      try {
        return await verify(url, parsed.values, terminal, connect);
      } catch (error) {
        terminal.err(`evenkeel audit: ${error instanceof Error ? error.message : String(error)}`);
        return EXIT.failed;
      }
    },
  };
}

export const auditCommand = createAuditCommand(connectToCluster);

function usageProblems([action, ...rest]: readonly string[], url: string): readonly string[] {
  if (action !== 'verify' || rest.length > 0) return ['the only action is: evenkeel audit verify'];
  return url === '' ? [NO_STORE] : [];
}

async function verify(url: string, options: Options, terminal: Terminal, connect: Connect): Promise<number> {
  const { environment } = terminal;
  const key = options.offline ? null : await readKey(options, terminal, connect);
  const witnesses = options.heads === null ? new Map() : readSavedHeads(options.heads);
  const password = environment['EVENKEEL_HISTORY_PASSWORD'] ?? '';
  const caFile = options['ca-file'] ?? environment['EVENKEEL_HISTORY_CA_FILE'] ?? '';
  const result = await verifyStore({ url, password, caFile }, witnesses, new HmacSigner(() => key));
  printResult(result, key !== null, terminal);
  if (result.faults.length > 0) return EXIT.failed;
  if (options.heads !== null) saveHeads(options.heads, result.heads);
  return key !== null && result.state === 'unsigned' ? UNSIGNED : EXIT.done;
}

async function readKey(options: Options, terminal: Terminal, connect: Connect): Promise<Buffer | null> {
  const where = `secret ${options.namespace}/${RECORD_KEY_SECRET}`;
  const connection = await connect(options, 'evenkeel-audit');
  try {
    const key = await readRecordKey(connection.transport, options.namespace, terminal.interrupted);
    if (key === null) terminal.err(`evenkeel audit: warning: ${where} does not exist; signatures are not verified`);
    return key;
  } catch (cause) {
    throw new Error(`reading ${where}: ${cause instanceof Error ? cause.message : String(cause)}; --offline verifies without signatures`, {
      cause,
    });
  } finally {
    connection.close();
  }
}

function printResult({ state, events, chains, faults, unsigned }: AccessEventVerification, hasKey: boolean, terminal: Terminal): void {
  for (const { kind, message } of faults) terminal.out(`${kind}: ${message}`);
  if (!hasKey && chains > 0) terminal.err('evenkeel audit: warning: signatures were not verified: a rewritten chain is not found');
  else if (state === 'unsigned')
    terminal.err(`evenkeel audit: warning: not signed, so that a rewritten chain is not found: ${unsigned.join(', ')}`);
  const verified = `${counted(events, 'event')} in ${counted(chains, 'chain')}`;
  terminal.out(
    state === 'broken'
      ? `BROKEN: ${counted(faults.length, 'fault')} in ${verified}`
      : `${state === 'intact' ? 'OK' : 'OK, unsigned'}: ${verified}`,
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
