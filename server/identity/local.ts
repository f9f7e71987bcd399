import 'server-only';
import { bearerOf, type IdentityProvider, signedOut } from '@/server/identity/identity';
import { cookieOf, deleteCookie, setCookie } from '@/server/identity/cookies';
import type { LocalKey } from '@/server/identity/local-key';
import { AppError } from '@/lib/errors';
import type { Person, Viewer } from '@/server/shared/viewer';

/**
 * As each cluster knows the user of its kubeconfig. Without a cluster it is known as `first`, which may learn its name
 * later, so that one person has one name: in the archive, and in the audit.
 */
export function localPerson(
  first: () => Pick<Viewer, 'id' | 'name' | 'isGuessed'>,
  readOnly: Person['readOnly'],
): Person {
  return {
    get id() {
      return first().id;
    },
    get name() {
      return first().name;
    },
    get isGuessed() {
      return first().isGuessed === true;
    },
    accessKey: 'process',
    isProcess: true,
    isShared: true,
    ...(readOnly && { readOnly }),
    viewerIn: ({ self }) => self,
  };
}

/** A year: the key in the data directory decides, not the age of the cookie. */
const COOKIE_SECONDS = 365 * 24 * 3600;

/**
 * One person: the user of this machine, with the permissions of the kubeconfig. Browsers of one machine send cookies to
 * all its ports, so the name of the cookie has the port.
 */
export function localIdentity(person: Person, key: LocalKey | null, port: number): IdentityProvider {
  const name = `shiplog-${port}`;
  const isSignedIn = (request: Request): boolean => {
    if (key === null) return true;
    const bearer = bearerOf(request);
    if (bearer !== undefined) return key.accepts(bearer);
    const cookie = cookieOf(request, name);
    return cookie !== undefined && key.acceptsCookie(cookie);
  };
  return {
    mode: 'local',
    canSignOut: key !== null,
    personOf(request) {
      if (isSignedIn(request)) return person;
      throw signedOut(
        'Open the URL that npm start printed: its key signs this browser in. Scripts send the key in an Authorization header.',
      );
    },
    signIn(_, credential) {
      if (!('key' in credential))
        throw new AppError('bad_request', 'key: this Shiplog takes its local key, not a token.', {
          field: 'key',
        });
      if (key === null) return { person, cookies: [] };
      if (!key.accepts(credential.key))
        throw signedOut(
          'This key is not the one of this Shiplog. Open the URL that npm start printed, or copy the contents of local-key in its data directory.',
        );
      const cookie = setCookie({ name, value: key.cookie, sameSite: 'strict', maxAge: COOKIE_SECONDS });
      return { person, cookies: [cookie] };
    },
    signOut: (request) => ({
      person: key !== null && isSignedIn(request) ? person : null,
      cookies: key === null ? [] : [deleteCookie({ name, sameSite: 'strict' })],
    }),
  };
}
