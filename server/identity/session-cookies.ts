import 'server-only';
import { cookieOf, deleteCookie, setCookie } from '@/server/identity/cookies';
import { type SessionValues } from '@/server/identity/sessions';

/**
 * Two cookies: a link from another site, such as a chat, opens a page that shows its content, and only Shiplog's own
 * pages can act. Browsers send a strict cookie neither with such a link nor when that page is loaded again.
 * https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Set-Cookie#samesitesamesite-value
 */
export class SessionCookies {
  readonly #look: string;
  readonly #act: string;
  readonly #secure: boolean;

  /** Without https the name has the port: browsers send the cookies of one host to all its ports. */
  constructor({ publicUrl, port }: { publicUrl: string | undefined; port: number }) {
    this.#secure = publicUrl?.startsWith('https:') === true;
    const prefix = this.#secure ? '__Host-shiplog' : `shiplog-${port}`;
    this.#look = prefix;
    this.#act = `${prefix}-act`;
  }

  read(request: Request): { id: string | undefined; act: string | undefined } {
    return { id: cookieOf(request, this.#look), act: cookieOf(request, this.#act) };
  }

  lines({ id, act }: SessionValues, maxAge: number): string[] {
    const secure = this.#secure;
    return [
      setCookie({ name: this.#look, value: id, sameSite: 'lax', secure, maxAge }),
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
