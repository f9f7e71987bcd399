import 'server-only';
import { AppError } from '@/lib/errors';
import { type Revision } from '@/lib/history/revision';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { type Finding } from '@/lib/workloads/plan';
import { type Template } from '@/lib/workloads/workload';
import { type Present } from '@/server/actions/present';
import { type Cluster } from '@/server/cluster/cluster';
import { type Viewer } from '@/server/viewer';

/** What is checked before a rollout: pods of `template` are to take the place of those that run. */
export interface CheckInput {
  cluster: Cluster;
  viewer: Viewer;
  present: Present;
  /** How the template is called in a sentence: "revision 42". */
  called: string;
  /** The revision in the cluster that holds the template already; null where none does. */
  to: Revision | null;
  template: Template;
}

/** Never throws but for a failure to read, which {@link checked} turns into a finding. */
export type Check = (input: CheckInput) => Promise<Finding[]>;

/** Somebody waits in front of the dialog; what takes longer is reported as not checked. */
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

/** Runs a check; what the viewer may not read, or nobody answers to, becomes a finding that says so. */
export async function checked(
  code: string,
  what: string,
  check: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [uncheckedFinding(code, what, error)];
  }
}

export function uncheckedFinding(code: string, what: string, error: AppError): Finding {
  return {
    severity: 'info',
    code: `${code}_unchecked`,
    message: `${what} could not be checked: ${error.message}`,
    action: null,
  };
}
