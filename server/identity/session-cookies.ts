import 'server-only';
import { cookieOf, deleteCookie, setCookie } from '@/server/identity/cookies';
import type { Seal } from '@/server/identity/seal';
import type { Carrier } from '@/server/shared/connections';

/** What the browser holds: one value to look, another to act. */
export interface SessionValues {
  id: string;
  act: string;
}

/** What a browser sends of its session. */
export interface SessionCookie {
  /** One value to look, another to act; a browser that comes from another site sends no second one. */
  id: string;
  act: string | undefined;
  /** Whether its checksum proves that Shiplog made it. */
  isOurs: boolean;
}

/** Cookies of earlier versions have no checksum; a session lasts a week at most. */
const UNSIGNED = /^[\w-]{43}$/;

/**
 * Two cookies: a link from another site, such as a chat, opens a page that shows its content, and only Shiplog's own
 * pages can act. Browsers send a strict cookie neither with such a link nor when that page is loaded again.
 * https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Set-Cookie#samesitesamesite-value
 */
export class SessionCookies {
  readonly #look: string;
  readonly #act: string;
  readonly #secure: boolean;
  readonly #seal: Seal;

  /** Without https the name has the port: browsers send the cookies of one host to all its ports. */
  constructor({ publicUrl, port }: { publicUrl: string | undefined; port: number }, seal: Seal) {
    this.#seal = seal;
    this.#secure = publicUrl?.startsWith('https:') === true;
    const prefix = this.#secure ? '__Host-shiplog' : `shiplog-${port}`;
    this.#look = prefix;
    this.#act = `${prefix}-act`;
  }

  has(request: Carrier): boolean {
    return cookieOf(request, this.#look) !== undefined;
  }

  /** Undefined where there is none, or none that Shiplog can have made. */
  read(request: Carrier): SessionCookie | undefined {
    const value = cookieOf(request, this.#look) ?? '';
    const act = cookieOf(request, this.#act);
    const id = this.#seal.verify(value);
    if (id !== undefined) return { id, act, isOurs: true };
    return UNSIGNED.test(value) ? { id: value, act, isOurs: false } : undefined;
  }

  lines({ id, act }: SessionValues, maxAge: number): string[] {
    const secure = this.#secure;
    return [
      setCookie({ name: this.#look, value: this.#seal.sign(id), sameSite: 'lax', secure, maxAge }),
      setCookie({ name: this.#act, value: act, sameSite: 'strict', secure, maxAge }),
    ];
  }

  deletion(): string[] {
    const secure = this.#secure;
    return [
      deleteCookie({ name: this.#look, sameSite: 'lax', secure }),
      deleteCookie({ name: this.#act, sameSite: 'strict', secure }),
    ];
  }
}
