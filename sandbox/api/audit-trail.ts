import { randomUUID } from 'node:crypto';
import { type ServerResponse } from 'node:http';
import { placeOf, type RequestTarget } from '@/sandbox/api/request-path';

/** One stage of one request. A request has two, tied by `id`; an open watch has only the first. */
export interface AuditRecord {
  readonly id: string;
  readonly stage: 'RequestReceived' | 'ResponseComplete';
  readonly verb: string;
  readonly user: string;
  /** With its group, `deployments.apps`; empty for paths that are no resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uri: string;
  readonly userAgent: string;
  /** HTTP status; undefined before the answer. */
  readonly code: number | undefined;
}

interface AuditedRequest {
  readonly verb: string;
  readonly user: string;
  readonly target: RequestTarget;
  readonly uri: string;
  readonly userAgent: string;
}

/** Reports to `record` that a request was received, and later that it was answered or aborted. */
export function auditRequest(
  record: (entry: AuditRecord) => void,
  { target, ...request }: AuditedRequest,
  response: ServerResponse,
): void {
  const entry = { ...request, ...placeOf(target), id: randomUUID() };
  record({ ...entry, stage: 'RequestReceived', code: undefined });
  response.on('close', () => record({ ...entry, stage: 'ResponseComplete', code: response.statusCode }));
}
