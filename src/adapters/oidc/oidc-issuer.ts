// Sign-in at an issuer of OpenID Connect, by the authorization code flow with PKCE.

import { readFileSync } from 'node:fs';
import * as client from 'openid-client';
import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import { IssuerRefusedError, type IdentityProvider, type IssuedIdentity, type SignInChecks } from '../../ports/identity-provider.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Random } from '../../ports/random.ts';
import { isUnavailable, UnavailableError } from '../../ports/unavailable-error.ts';
import { backoffMs, type BackoffRules } from '../../runtime/backoff.ts';
import { isLoopbackHost } from '../../runtime/loopback.ts';
import { isAborted, sleep } from '../kubernetes/sleep.ts';
import { issuerFetch } from './issuer-fetch.ts';

/** Settings `auth.oidc.*`. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Path of the client's secret. Empty: a public client. */
  readonly clientSecretFile: string;
  readonly scopes: readonly string[];
  readonly caFile: string;
  readonly displayName: string;
}

export interface OidcDependencies {
  readonly settings: OidcSettings;
  readonly timer: MachineTimer;
  readonly random: Random;
  readonly logger: Logger;
}

/** Interval at which the issuer's configuration is read again, since its endpoints may change. */
const REFRESH_MS: DurationMs = 5 * MINUTE_MS;
/** A sign-in begins with a configuration of at most this age: it also shows that the issuer answers. */
const FRESH_MS: DurationMs = 30 * SECOND_MS;
const RETRY: BackoffRules = { firstMs: SECOND_MS, maxMs: 30 * SECOND_MS, factor: 2, jitterRatio: 0.5 };
/** Difference of the clocks of issuer and Evenkeel up to which a token is valid. */
const CLOCK_TOLERANCE_SECONDS = 60;
const MAX_NAME_LENGTH = 100;

/** Codes of openid-client for a time that the clock rules out. */
const CLOCK_CODES: ReadonlySet<string> = new Set(['OAUTH_JWT_TIMESTAMP_CHECK_FAILED']);

interface Discovered {
  readonly metadata: client.ServerMetadata;
  readonly atMs: number;
}

/** One issuer. Reads its configuration in the background: neither the start nor a request waits for one that is out of reach. */
export class OidcIssuer implements IdentityProvider {
  readonly displayName: string;
  readonly #dependencies: OidcDependencies;
  readonly #issuer: URL;
  readonly #fetch: client.CustomFetch;
  #discovered: Discovered | null = null;
  #running: Promise<void> | null = null;
  #failures = 0;
  #retryAtMs = 0;
  #problem: string | null = null;

  constructor(dependencies: OidcDependencies) {
    const { settings, timer } = dependencies;
    this.#dependencies = dependencies;
    this.displayName = settings.displayName;
    this.#issuer = new URL(settings.issuer);
    this.#fetch = issuerFetch(settings.caFile, timer);
  }

  /** Why sign-in at the issuer does not work; null: it does. */
  get problem(): string | null {
    return this.#discovered === null && this.#problem === null ? 'its configuration has not been read yet' : this.#problem;
  }

  /** Reads the issuer's configuration at intervals until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { timer } = this.#dependencies;
    while (!isAborted(signal)) {
      await this.#discover();
      const waitMs = this.#problem === null ? REFRESH_MS : Math.max(0, this.#retryAtMs - timer.nowMs());
      await sleep(timer, waitMs, signal).catch(() => undefined);
    }
  }

  createChecks(redirectUri: string): SignInChecks {
    return { state: client.randomState(), nonce: client.randomNonce(), codeVerifier: client.randomPKCECodeVerifier(), redirectUri };
  }

  async authorizationUrl({ state, nonce, codeVerifier, redirectUri }: SignInChecks): Promise<URL> {
    const config = this.#configure(await this.#metadata(FRESH_MS), client.None());
    return client.buildAuthorizationUrl(config, {
      response_type: 'code',
      scope: this.#dependencies.settings.scopes.join(' '),
      redirect_uri: redirectUri,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
  }

  async redeem(answer: URLSearchParams, { state, nonce, codeVerifier, redirectUri }: SignInChecks): Promise<IssuedIdentity> {
    // Of any age: the issuer answered the browser a moment ago.
    const metadata = await this.#metadata(Infinity);
    const config = this.#configure(metadata, authenticationOf(metadata, this.#dependencies.settings.clientSecretFile));
    const url = new URL(redirectUri);
    url.search = answer.toString();
    try {
      const checks = { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      const tokens = await client.authorizationCodeGrant(config, url, checks);
      return await this.#identify(config, tokens);
    } catch (err) {
      throw refusalOf(err);
    }
  }

  signOutUrl(returnUrl: string): URL | null {
    const metadata = this.#discovered?.metadata;
    if (metadata?.end_session_endpoint === undefined) return null;
    // Without id_token_hint: tokens are not stored. The issuer knows the client by its id.
    const parameters = { client_id: this.#dependencies.settings.clientId, post_logout_redirect_uri: returnUrl };
    return client.buildEndSessionUrl(this.#configure(metadata, client.None()), parameters);
  }

  /** Claims of the ID token, or of the UserInfo endpoint where the ID token has no address (OpenID Connect Core §5.4). */
  async #identify(
    config: client.Configuration,
    tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers,
  ): Promise<IssuedIdentity> {
    const claims = tokens.claims();
    if (claims === undefined) throw new IssuerRefusedError('answer', 'the answer has no ID token');
    const hasEmail = claims['email'] !== undefined || config.serverMetadata().userinfo_endpoint === undefined;
    const { email, email_verified, name } = hasEmail ? claims : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
    return {
      email: typeof email === 'string' ? email : null,
      isEmailVerified: email_verified === true,
      name: typeof name === 'string' ? displayable(name) : null,
    };
  }

  /**
   * A client of the issuer. Made anew for each sign-in, so that each reads the issuer's current keys: one that has just rotated them is not
   * refused, and a key that it revoked is not trusted any longer.
   */
  #configure(metadata: client.ServerMetadata, authentication: client.ClientAuth): client.Configuration {
    const options = { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const config = new client.Configuration(metadata, this.#dependencies.settings.clientId, options, authentication);
    config[client.customFetch] = this.#fetch;
    // The library skips the signature otherwise, where the token comes over TLS.
    client.enableNonRepudiationChecks(config);
    for (const extend of this.#extensions()) extend(config);
    return config;
  }

  /** Plain http is allowed on loopback alone. */
  #extensions(): readonly ((config: client.Configuration) => void)[] {
    const isAllowed = this.#issuer.protocol === 'http:' && isLoopbackHost(this.#issuer.hostname);
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the library marks it to stand out, not for removal
    return isAllowed ? [client.allowInsecureRequests] : [];
  }

  /** @throws UnavailableError where none of at most that age can be read */
  async #metadata(maxAgeMs: DurationMs): Promise<client.ServerMetadata> {
    const { timer } = this.#dependencies;
    const known = this.#discovered;
    if (known !== null && timer.nowMs() - known.atMs <= maxAgeMs) return known.metadata;
    if (this.#running !== null || timer.nowMs() >= this.#retryAtMs) await this.#discover();
    if (this.#problem !== null || this.#discovered === null) throw new UnavailableError(this.problem ?? 'no configuration');
    return this.#discovered.metadata;
  }

  /** One request at a time, whose outcome everyone who waits gets. Never rejects. */
  #discover(): Promise<void> {
    this.#running ??= this.#readConfiguration().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #readConfiguration(): Promise<void> {
    const { settings, timer, random, logger } = this.#dependencies;
    try {
      const options = { [client.customFetch]: this.#fetch, execute: [...this.#extensions()] };
      const config = await client.discovery(this.#issuer, settings.clientId, undefined, client.None(), options);
      this.#discovered = { metadata: config.serverMetadata(), atMs: timer.nowMs() };
      if (this.#problem !== null) logger.info('Read the configuration of the OpenID Connect issuer', { issuer: settings.issuer });
      this.#problem = null;
      this.#failures = 0;
      this.#retryAtMs = 0;
    } catch (err) {
      const problem = messageOf(err);
      if (problem !== this.#problem) {
        logger.warn('Failed to read the configuration of the OpenID Connect issuer; will retry', { issuer: settings.issuer, problem });
      }
      this.#problem = problem;
      this.#failures += 1;
      this.#retryAtMs = timer.nowMs() + backoffMs(RETRY, this.#failures, random);
    }
  }
}

/** Basic is the default of OpenID Connect; a few issuers take the secret in the body alone. */
function authenticationOf(
  { token_endpoint_auth_methods_supported: methods }: client.ServerMetadata,
  secretFile: string,
): client.ClientAuth {
  if (secretFile === '') return client.None();
  const secret = readSecret(secretFile);
  return methods === undefined || methods.includes('client_secret_basic')
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret);
}

/** Read for each sign-in, since it may be rotated. */
function readSecret(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new UnavailableError(`auth.oidc.clientSecretFile ${path} cannot be read`, { cause });
  }
}

/** The refusal or the outage behind an error of openid-client, whose causes hold tokens and must not be logged. */
function refusalOf(err: unknown): Error {
  if (err instanceof IssuerRefusedError) return err;
  if (isUnavailable(err)) return new UnavailableError(messageOf(err));
  if (err instanceof client.AuthorizationResponseError) return refusalOfAnswer(err);
  if (err instanceof client.ResponseBodyError) {
    const reason = err.error === 'invalid_grant' ? 'code' : 'client';
    return new IssuerRefusedError(reason, `the issuer answered ${errorCode(err.error)}`);
  }
  const code = err instanceof client.ClientError ? (err.code ?? '') : '';
  return new IssuerRefusedError(CLOCK_CODES.has(code) ? 'clock' : 'answer', messageOf(err));
}

function refusalOfAnswer({ error }: client.AuthorizationResponseError): Error {
  const message = `the issuer answered ${errorCode(error)}`;
  if (error === 'temporarily_unavailable' || error === 'server_error') return new UnavailableError(message);
  return new IssuerRefusedError('denied', message);
}

/** An error code of OAuth; any other text could hold anything. */
function errorCode(text: string): string {
  return /^[a-z_]{1,40}$/.test(text) ? text : 'an unknown error';
}

/** The message, and that of the cause: openid-client's own are general. Neither has a token. */
function messageOf(err: unknown): string {
  for (let cause = err; cause instanceof Error; cause = cause.cause) if (cause instanceof UnavailableError) return cause.message;
  if (!(err instanceof Error)) return 'unknown error';
  return err.cause instanceof Error ? `${err.message}: ${err.cause.message}` : err.message;
}

function displayable(name: string): string | null {
  const text = name.replaceAll(/\p{C}/gu, '').trim().slice(0, MAX_NAME_LENGTH);
  return text === '' ? null : text;
}
