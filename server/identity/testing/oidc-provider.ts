import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';

interface TestAccount {
  email?: string;
  groups?: readonly string[];
  [claim: string]: unknown;
}

interface TestClient {
  id: string;
  secret: string;
  redirectUri: string;
}

/** Longer than any test pretends to wait. */
const LIFE_SECONDS = 30 * 24 * 3_600;
const SCOPES = ['openid', 'profile', 'email', 'groups', 'offline_access'];

/**
 * A real OpenID Connect provider on loopback. It signs in `account` without a page of its own; refresh tokens work once,
 * and a second use revokes all tokens of the sign-in.
 * https://github.com/panva/node-oidc-provider
 */
export class TestProvider {
  /** The subject of the person at the browser. */
  account = 'ana';
  /** By subject; one that is absent is disabled. */
  readonly accounts: Record<string, TestAccount> = {
    ana: { email: 'ana@shop.example', groups: ['dev', 'sre'] },
  };
  /** Whether it answers every request with an error of its own. */
  isAway = false;
  givesRefreshTokens = true;
  /** What it answers in place of its own, by path. */
  readonly answers: Record<string, { status: number; body: string; headers?: Record<string, string> }> = {};
  /** Of every request that it answered, the method and the path. */
  readonly requests: string[] = [];

  readonly #server: Server;
  readonly #sign: (payload: JWTPayload) => Promise<string>;
  readonly issuer: string;

  private constructor(server: Server, issuer: string, sign: (payload: JWTPayload) => Promise<string>) {
    this.#server = server;
    this.issuer = issuer;
    this.#sign = sign;
  }

  /** `claimsInToken`: whether ID tokens have more than the subject; the userinfo endpoint has the rest. */
  static async start(
    { id, secret, redirectUri }: TestClient,
    { claimsInToken = true, idTokenSeconds = 3_600 } = {},
  ): Promise<TestProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const key = { ...(await exportJWK(privateKey)), kid: 'test', use: 'sig', alg: 'RS256' };
    const sign = (payload: JWTPayload) =>
      new SignJWT(payload)
        .setProtectedHeader({ alg: 'RS256', kid: 'test', typ: 'logout+jwt' })
        .sign(privateKey);
    const test = new TestProvider(server, issuer, sign);
    const configuration: Configuration = {
      clients: [
        {
          ...{ client_id: id, client_secret: secret, redirect_uris: [redirectUri] },
          ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
        },
      ],
      jwks: { keys: [key] },
      cookies: { keys: ['test'] },
      scopes: SCOPES,
      claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'], profile: ['name'] },
      conformIdTokenClaims: !claimsInToken,
      features: {
        devInteractions: { enabled: false },
        revocation: { enabled: true },
        rpInitiatedLogout: {
          enabled: true,
          // Its own page loads a font from the internet.
          logoutSource(ctx, form) {
            ctx.body = `<!doctype html><title>Sign out</title>${form}`;
          },
        },
        backchannelLogout: { enabled: true },
      },
      ttl: {
        ...{ AccessToken: 3_600, IdToken: idTokenSeconds, Session: LIFE_SECONDS, Grant: LIFE_SECONDS },
        ...{ RefreshToken: LIFE_SECONDS, Interaction: 3_600, AuthorizationCode: 60 },
      },
      rotateRefreshToken: true,
      issueRefreshToken: () => Promise.resolve(test.givesRefreshTokens),
      findAccount: (_, subject) => {
        const claims = test.accounts[subject];
        return claims && { accountId: subject, claims: () => ({ ...claims, sub: subject }) };
      },
      loadExistingGrant: async (ctx) => {
        const { client, session, provider } = ctx.oidc;
        const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
        grant.addOIDCScope(SCOPES.join(' '));
        await grant.save();
        return grant;
      },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    };
    const provider = new Provider(issuer, configuration);
    const handle = provider.callback();
    server.on('request', (request, response) => {
      if (test.isAway) {
        response.writeHead(503).end('away');
        return;
      }
      const { pathname } = new URL(request.url ?? '/', issuer);
      test.requests.push(`${request.method} ${pathname}`);
      const answer = test.answers[pathname];
      if (answer !== undefined) response.writeHead(answer.status, answer.headers).end(answer.body);
      else if (request.url?.startsWith('/interaction/'))
        void provider.interactionFinished(request, response, { login: { accountId: test.account } });
      else void handle(request, response);
    });
    return test;
  }

  /** What a browser does that is sent to `url`: signs in, and is sent back to the URL that is returned. */
  async signIn(url: string): Promise<string> {
    const cookies = new Map<string, string>();
    let next = url;
    while (next.startsWith(this.issuer)) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [name = '', value = ''] = line.split(';', 1)[0]?.split(/=(.*)/s) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${response.status} at ${next}: ${await response.text()}`);
      next = new URL(location, next).href;
    }
    return next;
  }

  /** A logout token with these claims besides, or in place of, the usual ones. */
  logoutToken(claims: JWTPayload): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    return this.#sign({
      ...{ iss: this.issuer, aud: 'shiplog', iat: now, exp: now + 120, jti: `${Math.random()}` },
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      ...claims,
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
