import 'server-only';
import { parseCookie, stringifySetCookie, type SetCookie } from 'cookie';
import type { Carrier } from '@/server/shared/connections';

/** The value of a cookie of the request; undefined where it is absent. */
export function cookieOf(request: Carrier, name: string): string | undefined {
  return parseCookie(request.headers.get('cookie') ?? '')[name];
}

/** A Set-Cookie line for a cookie that no script of the page can read. */
export function setCookie(
  cookie: Pick<SetCookie, 'name' | 'value' | 'maxAge' | 'sameSite' | 'secure'>,
): string {
  return stringifySetCookie({ httpOnly: true, path: '/', ...cookie });
}

/** A Set-Cookie line that deletes the cookie. */
export function deleteCookie(cookie: Pick<SetCookie, 'name' | 'sameSite' | 'secure'>): string {
  return setCookie({ ...cookie, value: '', maxAge: 0 });
}
