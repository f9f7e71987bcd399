const secret = 'a-secret-of-thirty-two-characters';

/** The variables by which Shiplog trusts a proxy on this machine, and those with which that proxy signs people in. */
export const ofProxy = { SHIPLOG_PROXY_SECRET: secret, SHIPLOG_TRUSTED_PROXIES: '127.0.0.0/8' };
export const behindProxy = { SHIPLOG_AUTH: 'proxy-headers', ...ofProxy };

/** What that proxy sends for a person; groups are separated by commas. */
export function signedInAs(user: string, groups = ''): Record<string, string> {
  return { 'x-proxy-secret': secret, 'x-forwarded-user': user, 'x-forwarded-groups': groups };
}
