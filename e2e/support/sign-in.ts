import type { Shiplog } from '@/e2e/support/shiplog';
import type { TestProvider } from '@/server/identity/testing/oidc-provider';

/** The Cookie header of a browser that has got this answer. */
export function cookieFrom(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

/** Sends a browser without an account to the identity provider and back: the last answer of Shiplog. */
export async function signInAt(
  { url }: Pick<Shiplog, 'url'>,
  login: TestProvider,
  subject: string,
): Promise<Response> {
  login.account = subject;
  const start = await fetch(`${url}/sign-in`, { redirect: 'manual' });
  const { pathname, search } = new URL(await login.signIn(start.headers.get('location') ?? ''));
  return fetch(url + pathname + search, { headers: { cookie: cookieFrom(start) } });
}
