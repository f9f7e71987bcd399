import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AccessTable, Caller, SandboxUser } from '@/sandbox/api/access';
import { type ApiStatus, badRequest, unauthorized } from '@/sandbox/api/objects/api-status';

const GROUPS = ['system:unauthenticated'];
const ANONYMOUS: Caller = { name: 'system:anonymous', uid: '', groups: GROUPS, extra: {} };

/** Bearer tokens, each for one user. */
export class TokenTable {
  readonly #callers = new Map<string, Caller>();
  readonly #latest = new Map<string, string>();
  readonly #expired = new Set<string>();

  add(token: string, { name, groups }: SandboxUser): void {
    this.#latest.set(name, token);
    const all = [...groups, 'system:authenticated'];
    this.#callers.set(token, { name, uid: `uid-${name}`, groups: all, extra: {} });
  }

  /** The newest token of each user. */
  get latest(): Record<string, string> {
    return Object.fromEntries(this.#latest);
  }

  /** Issues another token to a user; earlier tokens do not change. Throws ApiStatus 400 for an unknown user. */
  issue(user: string): string {
    const caller = this.#callers.get(this.#latest.get(user) ?? '');
    if (caller === undefined) throw badRequest(`the sandbox has no user ${user}`);
    const token = newToken();
    this.#latest.set(user, token);
    this.#callers.set(token, caller);
    return token;
  }

  /** Rejects the current tokens of the user from now on, or accepts them again. */
  setExpired(user: string, isExpired: boolean): void {
    for (const [token, { name }] of this.#callers) {
      if (name !== user) continue;
      if (isExpired) this.#expired.add(token);
      else this.#expired.delete(token);
    }
  }

  /** Without a token the anonymous user. Throws ApiStatus 401. */
  callerOf(request: IncomingMessage): Caller {
    const { authorization } = request.headers;
    if (authorization === undefined) return ANONYMOUS;
    const token = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1] ?? '';
    const caller = this.#callers.get(token);
    if (caller === undefined || this.#expired.has(token)) throw unauthorized();
    return caller;
  }
}

/** As hard to guess as those of a service account. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * The impersonated user. Throws ApiStatus 400 on groups without a user, and `refusal` if impersonation is not
 * allowed.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export function impersonate(
  request: IncomingMessage,
  caller: Caller,
  access: AccessTable,
  refusal: (caller: Caller) => ApiStatus,
): Caller {
  const lines = headerLines(request).filter(([name]) => name.startsWith('impersonate-'));
  if (lines.length === 0) return caller;
  const name = lines.find(([header]) => header === 'impersonate-user')?.[1] ?? '';
  const groups = lines.filter(([header]) => header === 'impersonate-group').map(([, value]) => value);
  if (name === '') throw badRequest('requested impersonation without impersonating a user name');
  const attributes = { verb: 'impersonate', group: '', subresource: '', namespace: '' };
  const mayBe = (resource: 'users' | 'groups', target: string) =>
    access.mayAct(caller, { ...attributes, resource, name: target });
  if (!mayBe('users', name) || !groups.every((group) => mayBe('groups', group))) throw refusal(caller);
  return {
    name,
    uid: lines.find(([header]) => header === 'impersonate-uid')?.[1] ?? '',
    groups: [...new Set([...groups, 'system:authenticated'])],
    extra: extraOf(lines),
  };
}

function extraOf(lines: [string, string][]): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const [header, value] of lines) {
    if (!header.startsWith('impersonate-extra-')) continue;
    const key = decodeURIComponent(header.slice('impersonate-extra-'.length));
    extra[key] = [...(extra[key] ?? []), value];
  }
  return extra;
}

/** Each header line on its own: Node joins repeated headers whose names it does not know. */
function headerLines({ rawHeaders }: IncomingMessage): [string, string][] {
  const lines: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    lines.push([(rawHeaders[index] ?? '').toLowerCase(), rawHeaders[index + 1] ?? '']);
  return lines;
}
