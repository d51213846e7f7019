import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CountRefusal } from '../../runtime/clients/refusals.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

interface ClientError {
  readonly status: string;
  readonly text: string;
  readonly reason: 'slow' | 'large' | null;
}

const MALFORMED: ClientError = { status: '400 Bad Request', text: 'The request is not valid HTTP.\n', reason: null };
const BY_CODE: Readonly<Record<string, ClientError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', text: 'The request did not arrive in time.\n', reason: 'slow' },
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', text: 'The head of the request is too large.\n', reason: 'large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: '413 Payload Too Large', text: 'The chunk extensions are too large.\n', reason: 'large' },
};

/** Answers what is not read as a request, with the headers of every other answer, and closes the connection. */
export function answerClientErrors(server: Server, refused: CountRefusal): void {
  const answers = new WeakMap<object, ServerResponse>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => void answers.set(request.socket, response));
  server.on('clientError', (err: NodeJS.ErrnoException, socket: Socket) => {
    const { status, text, reason } = BY_CODE[err.code ?? ''] ?? MALFORMED;
    if (reason !== null) refused('request', reason);
    const answer = answers.get(socket);
    // An answer under way would be cut by another one.
    const isAnswering = answer !== undefined && answer.headersSent && !answer.writableFinished;
    if (err.code === 'ECONNRESET' || !socket.writable || isAnswering) socket.destroy();
    else socket.end(answerText(status, text), () => socket.destroy());
  });
  server.on('tlsClientError', (err: NodeJS.ErrnoException) => {
    if (err.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') refused('connection', 'slow');
  });
}

function answerText(status: string, text: string): string {
  const security = Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`);
  const head = ['Content-Type: text/plain; charset=utf-8', `Content-Length: ${text.length}`, 'Connection: close', ...security];
  return [`HTTP/1.1 ${status}`, ...head, '', text].join('\r\n');
}
