import { cutLine } from '@/lib/format/message-line';
import { hasUnseenCharacters, showUnseenCharacters } from '@/lib/format/unseen-characters';
import { AppError } from '@/lib/errors';
import type { Impersonation } from '@/server/shared/viewer';

/**
 * Header lines that make the API server act as another user. A list becomes one line for each entry, which is
 * what the API server reads: a joined `a, b` would be one group of that name.
 */
export function impersonationHeaders(
  impersonation: Impersonation | undefined,
): Record<string, string | string[]> {
  if (impersonation === undefined) return {};
  const headers: Record<string, string | string[]> = { 'Impersonate-User': headerText(impersonation.user) };
  if (impersonation.uid !== undefined) headers['Impersonate-Uid'] = headerText(impersonation.uid);
  if (impersonation.groups !== undefined && impersonation.groups.length > 0)
    headers['Impersonate-Group'] = impersonation.groups.map(headerText);
  for (const [key, values] of Object.entries(impersonation.extra ?? {})) {
    headers[`Impersonate-Extra-${encodeURIComponent(key.toLowerCase())}`] = values.map(headerText);
  }
  return headers;
}

/** Header text is sent as Latin-1; the API server reads the bytes as UTF-8. */
function headerText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

const GROUPS_MAX = 1000;

/**
 * Throws AppError `forbidden` for an identity that Shiplog never impersonates: all of it, rather than leave a group out
 * unnoticed. The kubeconfig's own `as` is its operator's choice, and not subject to this.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-subjects
 */
export function assertCanImpersonate({ user, groups = [], uid, extra = {} }: Impersonation): void {
  const problem =
    problemOfName('user', user) ??
    (groups.length > GROUPS_MAX
      ? `there are ${groups.length} groups, more than ${GROUPS_MAX}`
      : firstOf(groups, (group) => problemOfName('group', group))) ??
    (uid === undefined ? undefined : problemOfText('uid', uid)) ??
    firstOf(Object.entries(extra), ([key, values]) =>
      extraKey.test(key)
        ? firstOf(values, (value) => problemOfText(`value of ${key}`, value))
        : `the extra key ${quoted(key)} is not lower case with a domain prefix`,
    );
  if (problem !== undefined)
    throw new AppError('forbidden', `Nothing was sent to the cluster for this viewer: ${problem}.`);
}

/**
 * A domain, a slash and a name, as constrained impersonation requires it of keys.
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-auth/5284-constrained-impersonation
 */
const extraKey = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?\/[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/;

/** The API server gives `system:` names itself, `system:authenticated` to every impersonated user. */
function problemOfName(what: string, name: string): string | undefined {
  if (name.startsWith('system:'))
    return `the ${what} ${quoted(name)} begins with "system:", which only the API server gives`;
  return problemOfText(what, name);
}

/** What is wrong with a name that another party gives; undefined: nothing. */
export function problemOfText(what: string, text: string): string | undefined {
  if (text === '') return `a ${what} is empty`;
  if (hasUnseenCharacters(text))
    return `the ${what} ${quoted(text)} has control characters, or characters that are not seen or change the order of others`;
  // The API server would trim a header line to another name, and lone surrogates of different names are sent as one.
  const isSentAsItIs = text.trim() === text && text.isWellFormed();
  return isSentAsItIs
    ? undefined
    : `the ${what} ${quoted(text)} has spaces around it, or is not valid Unicode`;
}

function firstOf<T>(all: readonly T[], problemOf: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const problem = problemOf(one);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function quoted(text: string): string {
  return showUnseenCharacters(JSON.stringify(cutLine(text, 100)));
}
