import 'server-only';
import { AppError } from '@/lib/errors';
import { type RevisionHistory, type Revision } from '@/lib/history/revision';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { type HistoryInput, type WorkloadKind } from '@/lib/workloads/kind';
import { type Finding } from '@/lib/workloads/plan';
import { type Template, type Workload } from '@/lib/history/workload';
import { type Cluster } from '@/server/cluster/cluster';
import { type Viewer } from '@/server/shared/viewer';

/** The input of a check before a rollout: pods of `template` will replace those that run. */
export interface CheckInput {
  cluster: Cluster;
  viewer: Viewer;
  current: {
    kind: WorkloadKind;
    workload: Workload;
    template: JsonObject;
    input: HistoryInput;
    history: RevisionHistory;
  };
  /** The name of the template in a sentence: "revision 42". */
  called: string;
  /** The revision in the cluster that has the template already; null where none does. */
  to: Revision | null;
  template: Template;
}

/** The viewer waits at the dialog; a slower check is reported as not checked. */
const TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** Reads as the viewer, bounded in time and size. */
export async function readAs(
  { cluster, viewer }: Pick<CheckInput, 'cluster' | 'viewer'>,
  path: string,
  options: { accept?: string; query?: Record<string, string> } = {},
): Promise<JsonObject> {
  const answer = await cluster.transport.json({
    method: 'GET',
    path,
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_BYTES_MAX,
    ...options,
    ...(viewer.impersonate === undefined ? {} : { impersonate: viewer.impersonate }),
  });
  return isJsonObject(answer) ? answer : {};
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

export function uncheckedFinding(code: string, subject: string, error: AppError): Finding {
  return {
    severity: 'info',
    code: `${code}_unchecked`,
    message: `${subject} could not be checked: ${error.message}`,
    action: null,
  };
}
