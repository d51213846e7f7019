import type { ReadStream } from 'node:tty';

/** The input of a command: a terminal, or a pipe. */
export type PasswordInput = Pick<ReadStream, 'isTTY' | 'setRawMode'> & AsyncIterable<Buffer>;

const ENTER = /[\r\n]/;
const INTERRUPT = '\u0003';
const BACKSPACE = /[\b\u007f]/;

/**
 * Reads a password: at a terminal without showing it, twice; else the input up to its end, without one trailing newline.
 * @param prompt writes to the terminal
 * @returns null where it was interrupted, or the two differ
 */
export async function readPassword(input: PasswordInput, prompt: (text: string) => void): Promise<string | null> {
  if (!input.isTTY) {
    const chunks: Buffer[] = [];
    for await (const chunk of input) chunks.push(chunk);
    return Buffer.concat(chunks)
      .toString('utf8')
      .replace(/\r?\n$/, '');
  }
  // In raw mode the terminal echoes nothing, and Ctrl-C arrives as a character.
  input.setRawMode(true);
  const lines = linesOf(input, prompt);
  try {
    prompt('Password: ');
    const first = await lines.next();
    prompt('\nThe same again: ');
    const second = await lines.next();
    prompt('\n');
    return first.done === true || first.value !== second.value ? null : first.value;
  } finally {
    input.setRawMode(false);
    // Ends the reading: an open input keeps the process running.
    await lines.return(undefined);
  }
}

async function* linesOf(input: PasswordInput, prompt: (text: string) => void): AsyncGenerator<string, undefined> {
  let line = '';
  for await (const chunk of input) {
    for (const character of chunk.toString('utf8')) {
      if (character === INTERRUPT) {
        prompt('\n');
        return undefined;
      }
      if (ENTER.test(character)) {
        yield line;
        line = '';
      } else if (BACKSPACE.test(character)) line = line.slice(0, -1);
      else line += character;
    }
  }
  return undefined;
}
