import 'server-only';
import { AppError } from '@/lib/errors';
import type { Revision } from '@/lib/history/revision';
import type { WorkloadKind, WriteFacts } from '@/lib/workloads/kind';
import type { TemplateOwnerReading } from '@/lib/workloads/template-owner';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { objectsAt } from '@/lib/kube/read';
import { finding, type Finding } from '@/lib/workloads/plan';
import type { Template } from '@/lib/history/workload';
import type { Cluster } from '@/server/cluster/cluster';
import type { KubeRequest } from '@/server/cluster/kube-request';
import type { Hub } from '@/server/views/owner-readings';
import type { Viewer } from '@/server/shared/viewer';

/** What every check before a rollout reads from. */
export interface CheckInput {
  cluster: Cluster;
  viewer: Viewer;
  current: WriteFacts & { kind: WorkloadKind; templateOwner?: TemplateOwnerReading };
  /** The other clusters in which an owner may be. */
  hubs: readonly Hub[];
  /** Milliseconds since the epoch. */
  nowMs: number;
}

/** Pods of `template` will replace those that run. */
export interface CheckedTemplate {
  /** The name of the template in a sentence: "revision 42". */
  called: string;
  /** The revision in the cluster that has the template already; null where none does. */
  to: Revision | null;
  template: Template;
}

/** The viewer waits at the dialog; a slower check is reported as not checked. */
export const TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

export type ReadOptions = Pick<KubeRequest, 'accept' | 'query'>;

/** Reads as the viewer, bounded in time and size. */
export async function readAs(
  { cluster, viewer }: CheckInput,
  path: string,
  options: ReadOptions = {},
): Promise<JsonObject> {
  const answer = await cluster.transportFor(viewer).json({
    method: 'GET',
    path,
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_BYTES_MAX,
    ...options,
  });
  return isJsonObject(answer) ? answer : {};
}

/** The objects of a list in the namespace of the workload; `root`: `/api/v1`. */
export async function listAs(input: CheckInput, root: string, plural: string): Promise<JsonObject[]> {
  const namespace = encodeURIComponent(input.current.workload.namespace);
  return objectsAt(await readAs(input, `${root}/namespaces/${namespace}/${plural}`), 'items');
}

/** Runs a check; a forbidden or failed read becomes a finding that reports it. */
export async function runCheck(
  code: string,
  subject: string,
  check: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [uncheckedFinding(code, subject, error)];
  }
}

/**
 * Whether the cluster does not serve the resource at all: the API server then answers for the path, and of an object that
 * does not exist it states the name.
 */
export function isUnserved({ code, details }: AppError): boolean {
  if (code !== 'not_found') return false;
  const { reason, apiMessage } = details;
  return reason !== 'NotFound' || apiMessage === 'the server could not find the requested resource';
}

export function uncheckedFinding(code: string, subject: string, error: AppError): Finding {
  const reason = isUnserved(error) ? 'the cluster does not serve them.' : error.message;
  return finding('info', `${code}_unchecked`, `${subject} could not be checked: ${reason}`);
}
