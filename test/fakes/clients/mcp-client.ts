// Clients of the MCP server: the 1.x SDK, as most clients use it, and single messages of both protocol generations.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

type Headers = Readonly<Record<string, string>>;

/** A connected client of the 1.x SDK. It validates structured content against the output schemas. */
export async function connectClient(origin: string, headers: Headers = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers } });
  await client.connect(transport);
  return client;
}

/** Parsed JSON, whose parts a test looks into. */
export type Json = any; // eslint-disable-line @typescript-eslint/no-explicit-any -- answers of every shape

/** A JSON-RPC answer with its HTTP status. */
export interface McpAnswer {
  readonly status: number;
  readonly headers: globalThis.Headers;
  /** undefined: no body. */
  readonly message: Json;
  readonly text: string;
}

const REVISION = '2026-07-28';
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

/** Sends a request of revision 2026-07-28. */
export function askModern(origin: string, method: string, params: object = {}, headers: Headers = {}): Promise<McpAnswer> {
  const { name, uri } = params as { readonly name?: string; readonly uri?: string };
  const target = name ?? uri;
  return post(
    origin,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } },
    {
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(target === undefined ? {} : { 'mcp-name': target }),
      ...headers,
    },
  );
}

/** Sends a request as clients of 2025-11-25 do. */
export function askLegacy(origin: string, method: string, params: object = {}, headers: Headers = {}): Promise<McpAnswer> {
  return post(origin, { jsonrpc: '2.0', id: 1, method, params }, { 'mcp-protocol-version': '2025-11-25', ...headers });
}

/** Sends any body. A text is sent as it is. */
export async function post(origin: string, body: unknown, headers: Headers = {}): Promise<McpAnswer> {
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const data = response.headers.get('content-type')?.startsWith('text/event-stream') === true ? /^data: (.*)$/m.exec(text)?.[1] : text;
  return {
    status: response.status,
    headers: response.headers,
    text,
    message: data === undefined || data === '' ? undefined : JSON.parse(data),
  };
}
