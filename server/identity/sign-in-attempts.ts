import 'server-only';
import { parseCookie } from 'cookie';
import { z } from 'zod';
import { deleteCookie, setCookie } from '@/server/identity/cookies';
import type { OidcAttempt } from '@/server/identity/open-id-provider';
import type { Seal } from '@/server/identity/seal';
import { newValue } from '@/server/identity/sessions';

interface StoredAttempt extends OidcAttempt {
  /** The path that the browser returns to. */
  path: string;
  startedMs: number;
}

const attemptSchema: z.ZodType<StoredAttempt> = z.object({
  ...{ state: z.string(), nonce: z.string(), verifier: z.string() },
  ...{ path: z.string(), startedMs: z.number() },
});

/** Long enough for a password and a second factor. */
const LIFE_MS = 600_000;
/** Tabs that sign in at once; without a limit the header would outgrow what servers take. */
const ATTEMPTS_MAX = 5;
const STATE_IN_NAME = 8;
/** With it a cookie has some 2 KB; browsers drop those above 4, and Node takes 16 KB of headers. */
const PATH_CHARS_MAX = 1_000;

/**
 * The sign-ins that a browser has begun, each in a cookie of its own, so that several tabs can sign in at once. The
 * values are encrypted. The cookies are lax: the browser comes back from another site.
 */
export class SignInAttempts {
  readonly #seal: Seal;
  readonly #prefix: string;
  readonly #secure: boolean;

  constructor(seal: Seal, { publicUrl, port }: { publicUrl: string; port: number }) {
    this.#seal = seal;
    this.#secure = publicUrl.startsWith('https:');
    this.#prefix = this.#secure ? '__Host-shiplog-flow-' : `shiplog-${port}-flow-`;
  }

  /** A new one, and the Set-Cookie lines for it. */
  begin(request: Request, path: string, nowMs: number): { attempt: OidcAttempt; cookies: readonly string[] } {
    const [state, nonce, verifier] = [newValue(), newValue(), newValue()];
    const attempt = { state, nonce, verifier };
    const value = this.#seal.seal(JSON.stringify({ ...attempt, path, startedMs: nowMs }));
    const others = this.#all(request).toSorted(
      (a, b) => (b.stored?.startedMs ?? 0) - (a.stored?.startedMs ?? 0),
    );
    const cookie = setCookie({
      ...{ name: this.#nameOf(state), value, maxAge: LIFE_MS / 1_000 },
      ...{ sameSite: 'lax', secure: this.#secure },
    });
    const outdated = others.slice(ATTEMPTS_MAX - 1).map(({ name }) => this.#deletion(name));
    return { attempt, cookies: [...outdated, cookie] };
  }

  /** The attempt of this browser that has the state, and the Set-Cookie line that ends it. */
  take(
    request: Request,
    state: string,
    nowMs: number,
  ): { attempt: OidcAttempt; path: string; cookie: string } | undefined {
    const name = this.#nameOf(state);
    const stored = this.#all(request).find((each) => each.name === name)?.stored;
    if (stored?.state !== state || nowMs - stored.startedMs > LIFE_MS) return undefined;
    const { path, ...attempt } = stored;
    return { attempt, path, cookie: this.#deletion(name) };
  }

  #all(request: Request): { name: string; stored: StoredAttempt | undefined }[] {
    return Object.entries(parseCookie(request.headers.get('cookie') ?? ''))
      .filter(([name]) => name.startsWith(this.#prefix))
      .map(([name, value = '']) => {
        const text = this.#seal.open(value);
        return {
          name,
          stored: text === undefined ? undefined : attemptSchema.safeParse(JSON.parse(text)).data,
        };
      });
  }

  #nameOf(state: string): string {
    return `${this.#prefix}${state.slice(0, STATE_IN_NAME)}`;
  }

  #deletion(name: string): string {
    return deleteCookie({ name, sameSite: 'lax', secure: this.#secure });
  }
}

/** The path within Shiplog that a browser returns to; never another site. */
export function returnPathOf(text: string | null): string {
  if (text === null || text.length > PATH_CHARS_MAX || !/^\/(?!\/)[^\\\p{Cc}]*$/u.test(text)) return '/';
  // Without its dots a path such as /..//host would be the address of a host.
  const { pathname, search, hash } = new URL(text, 'http://shiplog.invalid');
  return pathname.startsWith('//') ? '/' : `${pathname}${search}${hash}`;
}
