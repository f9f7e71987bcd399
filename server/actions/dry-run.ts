import 'server-only';
import { AppError } from '@/lib/errors';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type Finding, type PlannedWrite } from '@/lib/workloads/plan';
import { type ActionsContext } from '@/server/actions/context';
import { foundTemplateOwner, templateOfOwner } from '@/server/actions/template-owner';
import { type CurrentWorkload } from '@/server/actions/current-workload';
import { sendWrite } from '@/server/actions/write';
import { isUnreachable } from '@/server/cluster/api-errors';
import { type Viewer } from '@/server/shared/viewer';

/** The API server's answer when it did everything but store the write. */
export type DryRun =
  | { outcome: 'accepted'; answer: JsonObject }
  | { outcome: 'refused' | 'unavailable' | 'forbidden' | 'changed'; error: AppError };

export async function dryRunWrite(
  { cluster }: Pick<ActionsContext, 'cluster'>,
  viewer: Viewer,
  write: PlannedWrite,
): Promise<DryRun> {
  try {
    return { outcome: 'accepted', answer: await sendWrite(cluster, viewer, write, { dryRun: true }) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { outcome: outcomeOf(error), error };
  }
}

/**
 * Whether the API server rejected the write because its precondition no longer holds. For a JSON patch that
 * is a 422 without any cause, for the uid of a deletion a 409.
 * https://github.com/kubernetes/apiserver/blob/master/pkg/endpoints/handlers/patch.go
 */
export function isPreconditionFailure(error: AppError): boolean {
  if (error.code === 'conflict') return true;
  const { status, apiMessage } = error.details;
  return (
    status === 422 && typeof apiMessage === 'string' && /due to an error in our request/.test(apiMessage)
  );
}

/** The dry run as findings. Only an accepted one lets the viewer confirm the action. */
export function dryRunFindings(dryRun: DryRun): Finding[] {
  if (dryRun.outcome === 'accepted') {
    const message = 'The API server accepts the write (dry run).';
    return [{ severity: 'passed', code: 'dry_run_accepted', message, action: null }];
  }
  const { message } = dryRun.error;
  if (dryRun.outcome === 'unavailable') {
    return [
      {
        severity: 'refusal',
        code: 'dry_run_unavailable',
        message: `The API server could not try the write: ${message}`,
        action: 'Try again when it answers.',
      },
    ];
  }
  return [
    {
      severity: 'refusal',
      code: dryRun.outcome === 'forbidden' ? 'forbidden' : 'dry_run_refused',
      message: `The API server refuses the write: ${message}`,
      action: 'Resolve what it names first.',
    },
  ];
}

/** The template in the answer, or undefined when it has none. */
export function templateIn(current: CurrentWorkload, answer: JsonObject): JsonObject | undefined {
  const holder = foundTemplateOwner(current);
  if (holder !== undefined) return templateOfOwner(holder, answer);
  const templateAccess = current.kind.template;
  if (templateAccess?.ofObject !== undefined) return templateAccess.ofObject(answer as unknown as KubeObject);
  const template = isJsonObject(answer.spec) ? answer.spec.template : undefined;
  return isJsonObject(template) ? template : undefined;
}

function outcomeOf(error: AppError): Exclude<DryRun['outcome'], 'accepted'> {
  if (isPreconditionFailure(error)) return 'changed';
  if (error.code === 'forbidden') return 'forbidden';
  // A webhook that supports no dry run makes it impossible, not the write wrong.
  const apiMessage = error.details.apiMessage;
  const lacksDryRun = typeof apiMessage === 'string' && /does not support dry run/.test(apiMessage);
  return isUnreachable(error) || lacksDryRun ? 'unavailable' : 'refused';
}
