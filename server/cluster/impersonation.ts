import { type Impersonation } from '@/server/shared/viewer';

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
