import process from 'node:process';
import { LOCAL_ADMIN_SECRET, createSecret, mergeSecret } from '../../adapters/kubernetes/credentials/access-secrets.ts';
import { parseEmail } from '../../core/access/grant.ts';
import { hashPassword, PASSWORD_LENGTH } from '../../runtime/passwords/password-hash.ts';
import { describeOptions, parseArguments, type OptionReader, type OptionTable } from '../arguments.ts';
import type { Command, Terminal } from '../command.ts';
import { connectToCluster } from '../connect.ts';
import { CLUSTER_OPTIONS } from '../recommendations/options.ts';
import { EXIT, NAMESPACE, withConnection, type Connect } from '../recommendations/request-command.ts';
import { readPassword, type PasswordInput } from './read-password.ts';

const namespace: OptionReader<string> = (given) =>
  NAMESPACE.test(given) ? { ok: true, value: given } : { ok: false, message: 'must be a name of a namespace, such as evenkeel-system' };

const OPTIONS = {
  namespace: {
    value: 'NAME',
    short: 'n',
    help: 'namespace of Evenkeel (default evenkeel-system)',
    read: namespace,
    default: 'evenkeel-system',
  },
  ...CLUSTER_OPTIONS,
} as const satisfies OptionTable;

const NO_ADDRESS = 'name one e-mail address, such as ana@example.com';

/** `evenkeel password`: sets the password of the local admin. */
export function createPasswordCommand(input: PasswordInput, prompt: (text: string) => void, connect: Connect): Command {
  return {
    name: 'password',
    summary: 'set the password of the local admin',
    help: [
      'evenkeel password EMAIL [OPTIONS]',
      '',
      `Reads a password of at least ${PASSWORD_LENGTH.min} characters, from the terminal or from standard input, and writes its scrypt hash to`,
      `the Secret ${LOCAL_ADMIN_SECRET}. EMAIL then signs in to the dashboard, and may do what its grant in the AccessPolicy default`,
      'allows. There is one local admin: a second call replaces the first. Sessions of an earlier password stay until they end.',
      '',
      ...describeOptions(OPTIONS),
    ].join('\n'),
    async run(args, terminal) {
      const parsed = parseArguments(OPTIONS, args, { withPositionals: true });
      const email = parsed.ok && parsed.positionals.length === 1 ? parseEmail(parsed.positionals[0] ?? '') : null;
      if (!parsed.ok || email === null) {
        for (const problem of parsed.ok ? [NO_ADDRESS] : parsed.problems) terminal.err(`evenkeel password: ${problem}`);
        return EXIT.usageError;
      }
      const password = await readPassword(input, prompt);
      const refusal = refusalOf(password);
      if (password === null || refusal !== null) {
        terminal.err(`evenkeel password: ${refusal ?? ''}`);
        return EXIT.failed;
      }
      const passwordHash = await hashPassword(password);
      return withConnection(connect, parsed.values, 'password', terminal, async ({ transport }) => {
        const texts = { email, 'password-hash': passwordHash };
        const location = { transport, namespace: parsed.values.namespace };
        const merge = (): Promise<string | null> => mergeSecret(location, LOCAL_ADMIN_SECRET, texts);
        if ((await merge()) === null && (await createSecret(location, LOCAL_ADMIN_SECRET, texts)) === null) await merge();
        report(terminal, email, parsed.values.namespace);
        return EXIT.done;
      });
    },
  };
}

export const passwordCommand = createPasswordCommand(process.stdin, (line) => void process.stderr.write(line), connectToCluster);

function refusalOf(password: string | null): string | null {
  if (password === null) return 'no password was given, or the second differs from the first: nothing was changed';
  const { min, max } = PASSWORD_LENGTH;
  if (/\p{Cc}/u.test(password))
    return 'the password has several lines or a control character, which no sign-in form sends: nothing was changed';
  if (password.length < min) return `the password has fewer than ${min} characters: nothing was changed`;
  return password.length > max ? `the password has more than ${max} characters: nothing was changed` : null;
}

function report(terminal: Terminal, email: string, inNamespace: string): void {
  terminal.out(`the password of ${email} is stored in secret ${inNamespace}/${LOCAL_ADMIN_SECRET}`);
  terminal.out('sign-in needs auth.enabled: true, and a grant for the address in the AccessPolicy default');
}
