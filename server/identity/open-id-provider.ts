import 'server-only';
import type { JWTVerifyGetKey } from 'jose';
import * as client from 'openid-client';
import { AppError, messageOf } from '@/lib/errors';
import { showUnseenCharacters } from '@/lib/format/unseen-characters';
import { sentence } from '@/lib/sentence';
import { type ClaimNames, type Claims, claimsOf, hasNames } from '@/server/identity/claims';
import { signedOut } from '@/server/identity/identity';
import { type Logout, readLogoutToken } from '@/server/identity/logout-token';
import { CLOCK_TOLERANCE_SECONDS, KeysUnavailable, keysAt } from '@/server/identity/signing-keys';
import { isPrivateUrl } from '@/server/shared/private-url';

export interface OpenIdProviderOptions {
  issuer: string;
  clientId: string;
  /** Undefined: a public client. */
  clientSecret: string | undefined;
  scopes: string;
  /** The origin of Shiplog in browsers. */
  publicUrl: string;
  claims: ClaimNames;
}

/** What the provider gave for one sign-in, or at a renewal of it. */
export interface Grant {
  claims: Claims;
  /** The session of the browser at the provider. */
  sid: string | null;
  /** For clusters with `credential: token`, and for the sign-out. */
  idToken: string;
  /** Of the ID token, in milliseconds since the epoch. */
  issuedMs: number;
  expiresMs: number;
  /** Null where the provider gives none. */
  refreshToken: string | null;
}

/** What ties the answer of the provider to one attempt of one browser. */
export interface OidcAttempt {
  state: string;
  nonce: string;
  verifier: string;
}

/** Two requests of a renewal end before its lease does. */
const TIMEOUT_SECONDS = 5;
const REASON_CHARS_MAX = 300;

/** The provider's words for a person who must sign in again; other refusals are faults of a setting. */
const OVER = ['invalid_grant', 'interaction_required', 'login_required', 'consent_required', 'access_denied'];

/** Where people, codes, or tokens are sent, and where keys and claims come from. */
const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'userinfo_endpoint',
  'revocation_endpoint',
  'end_session_endpoint',
] as const;

interface Discovered {
  configuration: client.Configuration;
  keys: JWTVerifyGetKey | undefined;
}

/**
 * An OpenID Connect provider. It is contacted on use, and its settings are read until that succeeds: an outage of it
 * never stops Shiplog.
 * https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth
 */
export class OpenIdProvider {
  readonly #options: OpenIdProviderOptions;
  #discovered: Promise<Discovered> | undefined;
  /** By the refresh token that is being spent. */
  readonly #onNext = new Map<string, (next: string) => Promise<void>>();

  constructor(options: OpenIdProviderOptions) {
    this.#options = options;
  }

  get host(): string {
    return new URL(this.#options.issuer).host;
  }

  /** Throws AppError `identity_unavailable`. */
  async signInUrl({ state, nonce, verifier }: OidcAttempt): Promise<string> {
    const { configuration } = await this.#discover();
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: this.#options.scopes,
      ...{ state, nonce, code_challenge_method: 'S256' },
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
    });
    return url.href;
  }

  /** Exchanges the code in the query. Throws AppError `signed_out`, or `identity_unavailable`. */
  async exchange(query: string, { state, nonce, verifier }: OidcAttempt): Promise<Grant> {
    const { configuration } = await this.#discover();
    try {
      const tokens = await client.authorizationCodeGrant(
        configuration,
        new URL(`${this.#redirectUri}${query}`),
        { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      );
      return await this.#grantOf(configuration, tokens);
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (isOutage(error)) throw this.#unavailable(error);
      throw this.#refused(error);
    }
  }

  /**
   * Spends the refresh token, for new claims and tokens. `onNext` stores the next refresh token before anything is
   * validated: the present one may be worth nothing by then. Throws AppError `signed_out` where the provider no longer
   * signs the person in, else `identity_unavailable`.
   * https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokens
   */
  async renew(
    grant: Grant & { refreshToken: string },
    onNext: (refreshToken: string) => Promise<void>,
  ): Promise<Grant> {
    const { configuration } = await this.#discover();
    const { refreshToken } = grant;
    this.#onNext.set(refreshToken, onNext);
    try {
      const tokens = await client.refreshTokenGrant(configuration, refreshToken);
      const renewed = await this.#grantOf(configuration, tokens, grant);
      if (renewed.claims.subject !== grant.claims.subject)
        throw signedOut('The identity provider names another person than before. Sign in again.');
      return renewed;
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (error instanceof client.ResponseBodyError && OVER.includes(error.error))
        throw signedOut(`${this.host} has ended your sign-in. Sign in again.`, { reason: error.error });
      throw this.#unavailable(error);
    } finally {
      this.#onNext.delete(refreshToken);
    }
  }

  /**
   * Without effect where the provider has no such endpoint.
   * https://www.rfc-editor.org/rfc/rfc7009
   */
  async revoke(refreshToken: string): Promise<void> {
    const { configuration } = await this.#discover();
    if (configuration.serverMetadata().revocation_endpoint === undefined) return;
    await client.tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' });
  }

  /**
   * Where a browser ends its session at the provider; undefined where there is no such place.
   * https://openid.net/specs/openid-connect-rpinitiated-1_0.html
   */
  async signOutUrl(idToken: string): Promise<string | undefined> {
    const { configuration } = await this.#discover();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    return client.buildEndSessionUrl(configuration, { id_token_hint: idToken }).href;
  }

  /** Which sign-ins a logout token ends. Throws AppError `bad_request`, or `identity_unavailable`. */
  async loginsOf(logoutToken: string): Promise<Logout> {
    const { configuration, keys } = await this.#discover();
    const { issuer } = configuration.serverMetadata();
    if (keys === undefined) throw this.#unavailable(new Error('the provider publishes no keys'));
    try {
      return await readLogoutToken(logoutToken, keys, { issuer, audience: this.#options.clientId });
    } catch (error) {
      if (isOutage(error)) throw this.#unavailable(error);
      throw new AppError(
        'bad_request',
        sentence`logout_token: is not valid: ${messageOf(error)}.`,
        {},
        error,
      );
    }
  }

  get #redirectUri(): string {
    return `${this.#options.publicUrl}/sign-in/callback`;
  }

  #discover(): Promise<Discovered> {
    this.#discovered ??= this.#readSettings().catch((error: unknown) => {
      this.#discovered = undefined;
      throw error instanceof AppError ? error : this.#unavailable(error);
    });
    return this.#discovered;
  }

  async #readSettings(): Promise<Discovered> {
    const { issuer, clientId, clientSecret } = this.#options;
    const url = new URL(issuer);
    const configuration = await client.discovery(
      url,
      clientId,
      { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      clientSecret === undefined ? client.None() : withSecret(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        [client.customFetch]: (address, options) => this.#fetch(address, options),
        execute: url.protocol === 'http:' ? [client.allowInsecureRequests] : [],
      },
    );
    const metadata = configuration.serverMetadata();
    this.#assertPrivate(metadata);
    const { jwks_uri: keys } = metadata;
    return { configuration, keys: keys === undefined ? undefined : keysAt(keys) };
  }

  /** The issuer alone says nothing of the hosts that it names. */
  #assertPrivate(metadata: client.ServerMetadata): void {
    const name = ENDPOINTS.find((each) => metadata[each] !== undefined && !isPrivateUrl(metadata[each]));
    if (name === undefined) return;
    const sentence = `${this.host} names a URL without https as its ${name}, where others on the network could read what signs people in, or change it. Nothing was sent there. Correct the settings of the provider.`;
    throw new AppError('identity_unavailable', sentence);
  }

  async #fetch(url: string, options: client.CustomFetchOptions): Promise<Response> {
    const response = await fetch(url, options as RequestInit);
    const spent = options.body instanceof URLSearchParams ? options.body.get('refresh_token') : null;
    const onNext = spent === null ? undefined : this.#onNext.get(spent);
    if (onNext === undefined || !response.ok) return response;
    const { refresh_token: next } = (await response.clone().json()) as { refresh_token?: unknown };
    if (typeof next === 'string' && next !== spent) await onNext(next);
    return response;
  }

  async #grantOf(
    configuration: client.Configuration,
    tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers,
    before?: Grant,
  ): Promise<Grant> {
    const payload = tokens.claims();
    const idToken = tokens.id_token ?? before?.idToken;
    if (idToken === undefined) throw new Error('The answer has no ID token.');
    return {
      claims: await this.#claimsOf(configuration, payload, tokens.access_token, before),
      sid: typeof payload?.sid === 'string' ? payload.sid : null,
      idToken,
      issuedMs: payload === undefined ? (before?.issuedMs ?? 0) : payload.iat * 1_000,
      expiresMs: payload === undefined ? (before?.expiresMs ?? 0) : payload.exp * 1_000,
      refreshToken: tokens.refresh_token ?? before?.refreshToken ?? null,
    };
  }

  /** Providers may leave names to the userinfo endpoint, and at a renewal the whole ID token. */
  async #claimsOf(
    configuration: client.Configuration,
    payload: client.IDToken | undefined,
    accessToken: string,
    before: Grant | undefined,
  ): Promise<Claims> {
    const { claims: names } = this.#options;
    const { issuer, userinfo_endpoint: endpoint } = configuration.serverMetadata();
    if (payload !== undefined && (endpoint === undefined || hasNames(payload, names)))
      return claimsOf([payload], names);
    if (endpoint === undefined && before !== undefined) return before.claims;
    const subject = payload?.sub ?? before?.claims.subject ?? '';
    const info = { ...(await client.fetchUserInfo(configuration, accessToken, subject)), iss: issuer };
    return claimsOf(payload === undefined ? [info] : [payload, info], names);
  }

  #unavailable(cause: unknown): AppError {
    const sentence = `${this.host} cannot be reached, or does not answer as an OpenID Connect provider. Try again in a moment; if it lasts, check SHIPLOG_OIDC_ISSUER.`;
    return new AppError('identity_unavailable', sentence, {}, cause);
  }

  #refused(error: unknown): AppError {
    const isAnswer =
      error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError;
    const reason = isAnswer
      ? [error.error, error.error_description].filter((part) => part !== undefined).join(': ')
      : `its answer is not valid: ${messageOf(error)}`;
    const sentence = `${this.host} did not sign you in: ${showUnseenCharacters(reason.slice(0, REASON_CHARS_MAX))}`;
    return new AppError('signed_out', sentence, isAnswer ? { reason: error.error } : {}, error);
  }
}

/** By the method that the standard has as its default, unless the provider takes only the other. */
function withSecret(secret: string): client.ClientAuth {
  const basic = client.ClientSecretBasic(secret);
  const post = client.ClientSecretPost(secret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** Answers that are none of OpenID Connect, such as the page of a load balancer. */
const OUTAGES: readonly unknown[] = [
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
];

/** No answer of the provider, or one that says that it has a problem of its own. */
function isOutage(error: unknown): boolean {
  if (error instanceof client.ResponseBodyError || error instanceof client.WWWAuthenticateChallengeError)
    return error.status >= 500 || error.status === 429;
  if (error instanceof TypeError || error instanceof KeysUnavailable) return true;
  return error instanceof Error && 'code' in error && OUTAGES.includes(error.code);
}
