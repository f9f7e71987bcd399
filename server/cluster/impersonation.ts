import { type Impersonation } from '@/server/viewer';

/**
 * Header lines that make the API server act for somebody else. A list becomes one line for each entry, which is what
 * the API server reads: a joined `a, b` would be one group of that name.
 */
export function impersonationHeaders(who: Impersonation | undefined): Record<string, string | string[]> {
  if (who === undefined) return {};
  const headers: Record<string, string | string[]> = { 'Impersonate-User': headerText(who.user) };
  if (who.uid !== undefined) headers['Impersonate-Uid'] = headerText(who.uid);
  if (who.groups !== undefined && who.groups.length > 0)
    headers['Impersonate-Group'] = who.groups.map(headerText);
  for (const [key, values] of Object.entries(who.extra ?? {})) {
    headers[`Impersonate-Extra-${encodeURIComponent(key.toLowerCase())}`] = values.map(headerText);
  }
  return headers;
}

/** Header text is Latin-1 on its way; the API server reads the bytes as UTF-8. */
function headerText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
