import { type IncomingMessage } from 'node:http';
import { type AccessTable, type Caller, type SandboxUser } from '@/server/sandbox/api/access';
import { badRequest, forbidden, unauthorized } from '@/server/sandbox/api/api-status';

const ANONYMOUS: Caller = {
  name: 'system:anonymous',
  uid: '',
  groups: ['system:unauthenticated'],
  extra: {},
};

/** Bearer tokens, each for one user. */
export class TokenTable {
  readonly #callers = new Map<string, Caller>();
  readonly #expired = new Set<string>();

  add(token: string, { name, groups }: SandboxUser): void {
    this.#callers.set(token, {
      name,
      uid: `uid-${name}`,
      groups: [...groups, 'system:authenticated'],
      extra: {},
    });
  }

  /** From now on the user's token is refused, or taken again. */
  setExpired(user: string, isExpired: boolean): void {
    if (isExpired) this.#expired.add(user);
    else this.#expired.delete(user);
  }

  /** Without a token nobody in particular. Throws ApiStatus 401. */
  callerOf(request: IncomingMessage): Caller {
    const { authorization } = request.headers;
    if (authorization === undefined) return ANONYMOUS;
    const caller = this.#callers.get(/^Bearer\s+(\S+)$/i.exec(authorization)?.[1] ?? '');
    if (caller === undefined || this.#expired.has(caller.name)) throw unauthorized();

    return caller;
  }
}

/**
 * Whom the caller acts as. Throws ApiStatus 400 on groups without a user, 403 if impersonation is not allowed.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export function impersonate(request: IncomingMessage, caller: Caller, access: AccessTable): Caller {
  const lines = headerLines(request).filter(([name]) => name.startsWith('impersonate-'));
  if (lines.length === 0) return caller;
  const name = lines.find(([header]) => header === 'impersonate-user')?.[1] ?? '';
  const groups = lines.filter(([header]) => header === 'impersonate-group').map(([, value]) => value);
  if (name === '') throw badRequest('requested impersonation without impersonating a user name');
  const needed = [
    { resource: 'users', name },
    ...groups.map((group) => ({ resource: 'groups', name: group })),
  ];
  for (const { resource, name: target } of needed) {
    const attributes = {
      verb: 'impersonate',
      group: '',
      resource,
      subresource: '',
      namespace: '',
      name: target,
    };
    if (access.mayAct(caller, attributes)) continue;
    throw forbidden(
      { group: '', kind: resource },
      target,
      `User "${caller.name}" cannot impersonate resource "${resource}" in API group "" at the cluster scope`,
    );
  }

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

/** Each line on its own: Node joins repeated ones of names it does not know. */
function headerLines({ rawHeaders }: IncomingMessage): [string, string][] {
  const lines: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    lines.push([(rawHeaders[index] ?? '').toLowerCase(), rawHeaders[index + 1] ?? '']);
  return lines;
}
