import { open, stat } from 'node:fs/promises';

/** One stage of one request, as recorded by the API server. The stages of a request share an `id`. */
export interface ApiAuditEntry {
  id: string;
  stage: 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  verb: string;
  user: string;
  /** As whom the user acted; undefined: as themselves. */
  impersonatedUser?: string;
  /** With its group, `deployments.apps`; empty for paths that are no resource. */
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  uri: string;
  userAgent: string;
  /** HTTP status; undefined before the answer. */
  code: number | undefined;
}

/** A position in the audit log. */
export type AuditPosition = number;

/** Metadata of every request and stage; an open watch has no ResponseComplete yet. */
export function auditPolicy(unaudited: string[]): string {
  return JSON.stringify({
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    rules: [
      { level: 'None', users: unaudited },
      { level: 'None', nonResourceURLs: ['/readyz*', '/livez*', '/healthz*'] },
      { level: 'Metadata' },
    ],
  });
}

/** The end of the log now. */
export async function auditPosition(file: string): Promise<AuditPosition> {
  return (await stat(file).catch(() => ({ size: 0 }))).size;
}

/** Entries after `since`, oldest first. A line still being written is left for the next call. */
export async function readAudit(
  file: string,
  since: AuditPosition = 0,
  parse: (line: unknown) => ApiAuditEntry = parseEntry,
): Promise<ApiAuditEntry[]> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return [];
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.max(0, size - since));
    await handle.read(bytes, 0, bytes.length, since);
    const text = bytes.toString('utf8');

    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parse(JSON.parse(line)));
  } finally {
    await handle.close();
  }
}

/** Watches that began among the entries and have not ended. */
export function openWatches(entries: ApiAuditEntry[]): ApiAuditEntry[] {
  const open = new Map<string, ApiAuditEntry>();
  for (const entry of entries) {
    if (entry.verb !== 'watch') continue;
    if (entry.stage === 'ResponseComplete' || entry.stage === 'Panic') open.delete(entry.id);
    else open.set(entry.id, entry);
  }

  return [...open.values()];
}

interface RawEntry {
  auditID: string;
  stage: ApiAuditEntry['stage'];
  verb: string;
  requestURI: string;
  userAgent?: string;
  user: { username?: string };
  impersonatedUser?: { username?: string };
  objectRef?: {
    resource?: string;
    subresource?: string;
    namespace?: string;
    name?: string;
    apiGroup?: string;
  };
  responseStatus?: { code?: number };
}

/** A line of the sandbox, which writes entries as they are. */
export function parseOwnEntry(line: unknown): ApiAuditEntry {
  const entry = line as ApiAuditEntry;

  // JSON leaves it out before the answer.
  return { ...entry, code: entry.code };
}

function parseEntry(line: unknown): ApiAuditEntry {
  const raw = line as RawEntry;
  const { resource = '', subresource = '', namespace = '', name = '', apiGroup = '' } = raw.objectRef ?? {};

  return {
    id: raw.auditID,
    stage: raw.stage,
    verb: raw.verb,
    user: raw.user.username ?? '',
    ...(raw.impersonatedUser?.username !== undefined && { impersonatedUser: raw.impersonatedUser.username }),
    resource: apiGroup === '' ? resource : `${resource}.${apiGroup}`,
    subresource,
    namespace,
    name,
    uri: raw.requestURI,
    userAgent: raw.userAgent ?? '',
    code: raw.responseStatus?.code,
  };
}
