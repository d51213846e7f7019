import { createHash, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const CLIENT_ID = 'evenkeel';
export const CLIENT_SECRET = 'a client secret';

interface SigningKey {
  readonly kid: string;
  readonly key: KeyObject;
  readonly jwk: object;
}

interface Grant {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
}

/** An issuer of OpenID Connect on loopback, which a test can make answer wrongly. Codes are single-use; PKCE and the client's secret are checked. */
export class FakeIssuer {
  /** Paths of the requests received. */
  readonly requests: string[] = [];
  /** Claims of the ID token, over valid ones. */
  claims: Readonly<Record<string, unknown>> = {};
  /** Fields of the discovery document, over valid ones. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** Claims of the UserInfo endpoint; null: it has none. */
  userinfo: Readonly<Record<string, unknown>> | null = null;
  /** Answers every request with this status; null: as it should. */
  failWith: number | null = null;
  /** Never answers. */
  isHanging = false;
  /** By how much its clock is ahead. */
  skewMs = 0;
  #server: Server;
  #port = 0;
  #keys: SigningKey[] = [];
  readonly #grants = new Map<string, Grant>();
  readonly #waiting: (() => void)[] = [];

  private constructor() {
    this.#server = this.#createServer();
    this.rotateKeys();
  }

  static async start(): Promise<FakeIssuer> {
    const fake = new FakeIssuer();
    await fake.resume();
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Goes away; `resume` brings it back at the same address. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async resume(): Promise<void> {
    this.#server = this.#createServer();
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Resolves with the next request that arrives. */
  nextRequest(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Signs with a new key from now on; the old one is no longer published. */
  rotateKeys(): void {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const kid = randomUUID();
    this.#keys = [{ kid, key: privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' } }];
  }

  /** What the browser does with the URL of the issuer's page, after the user agreed: the URL to which it returns. */
  authorize(url: string): URL {
    const asked = new URL(url).searchParams;
    const code = randomUUID();
    const redirectUri = asked.get('redirect_uri') ?? '';
    this.#grants.set(code, { redirectUri, challenge: asked.get('code_challenge') ?? '', nonce: asked.get('nonce') ?? '' });
    const answer = new URL(redirectUri);
    answer.search = new URLSearchParams({ code, state: asked.get('state') ?? '', iss: this.url }).toString();
    return answer;
  }

  #createServer(): Server {
    return createServer((request, response) => void this.#serve(request, response));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', this.url);
    this.requests.push(pathname);
    let body = '';
    for await (const part of request) body += String(part);
    for (const resolve of this.#waiting.splice(0)) resolve();
    if (this.isHanging) return;
    const [status, answer] = this.failWith === null ? this.#answer(pathname, request, new URLSearchParams(body)) : [this.failWith, {}];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  }

  #answer(path: string, request: IncomingMessage, form: URLSearchParams): readonly [number, object] {
    switch (path) {
      case '/.well-known/openid-configuration':
        return [200, this.#discovery()];
      case '/jwks':
        return [200, { keys: this.#keys.map(({ jwk }) => jwk) }];
      case '/token':
        return this.#redeem(request, form);
      case '/userinfo':
        return [200, { sub: 'user-1', ...this.userinfo }];
      default:
        return [404, {}];
    }
  }

  #discovery(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      end_session_endpoint: `${this.url}/end`,
      id_token_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
      ...(this.userinfo === null ? {} : { userinfo_endpoint: `${this.url}/userinfo` }),
      ...this.metadata,
    };
  }

  #redeem(request: IncomingMessage, form: URLSearchParams): readonly [number, object] {
    const basic = `Basic ${Buffer.from(`${CLIENT_ID}:${encodeURIComponent(CLIENT_SECRET).replaceAll('%20', '+')}`).toString('base64')}`;
    if (request.headers.authorization !== basic) return [401, { error: 'invalid_client' }];
    const code = form.get('code') ?? '';
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) return [400, { error: 'invalid_grant' }];
    return [200, { access_token: 'an access token', token_type: 'Bearer', expires_in: 300, id_token: this.#idToken(grant.nonce) }];
  }

  #idToken(nonce: string): string {
    const [signing] = this.#keys;
    if (signing === undefined) throw new Error('no key');
    const now = Math.floor((Date.now() + this.skewMs) / 1000);
    const valid = { iss: this.url, sub: 'user-1', aud: CLIENT_ID, iat: now, exp: now + 300, nonce };
    const user = { email: 'ana@example.com', email_verified: true, name: 'Ana' };
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${encode({ alg: 'ES256', kid: signing.kid })}.${encode({ ...valid, ...user, ...this.claims })}`;
    return `${text}.${sign('sha256', Buffer.from(text), { key: signing.key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  }
}
