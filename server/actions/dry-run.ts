import 'server-only';
import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import { finding, type Finding, type Plan, type PlannedWrite } from '@/lib/workloads/plan';
import type { Execution } from '@/server/actions/strategy';
import { sendWrite } from '@/server/actions/write';
import { isUnreachable } from '@/server/cluster/api-errors';

/** The API server's answer when it did everything but store the write. */
export type DryRun =
  | { outcome: 'accepted'; answer: JsonObject }
  | { outcome: 'refused' | 'unavailable' | 'forbidden' | 'changed'; error: AppError };

/** The API server's answer to the writes: to the first where it accepts both. */
export async function dryRunPlan(execution: Execution, { write, then }: Plan): Promise<DryRun> {
  const first = await dryRunWrite(execution, write);
  if (then === undefined || first.outcome !== 'accepted') return first;
  const second = await dryRunWrite(execution, then.write);
  return second.outcome === 'accepted' ? first : second;
}

async function dryRunWrite({ context, viewer }: Execution, write: PlannedWrite): Promise<DryRun> {
  try {
    return { outcome: 'accepted', answer: await sendWrite(context.cluster, viewer, write, { dryRun: true }) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { outcome: outcomeOf(error), error };
  }
}

/** Undefined where the API server did not accept it, or where there was none. */
export function acceptedAnswer(dryRun: DryRun | null | undefined): JsonObject | undefined {
  return dryRun?.outcome === 'accepted' ? dryRun.answer : undefined;
}

/** The dry run as findings. Only an accepted one lets the viewer confirm the action. */
export function dryRunFindings(dryRun: DryRun): Finding[] {
  if (dryRun.outcome === 'accepted')
    return [finding('passed', 'dry_run_accepted', 'Server-side dry run passed.')];
  const { outcome, error } = dryRun;
  if (outcome === 'unavailable') {
    const message = `The dry run is not available: ${error.message}`;
    return [finding('refusal', 'dry_run_unavailable', message, 'Try again when the API server responds.')];
  }
  const code = outcome === 'forbidden' ? 'forbidden' : 'dry_run_refused';
  const message = `The API server rejected the dry run: ${error.message}`;
  return [finding('refusal', code, message, 'Resolve the reported problem first.')];
}

function outcomeOf(error: AppError): Exclude<DryRun['outcome'], 'accepted'> {
  if (error.code === 'conflict') return 'changed';
  if (error.code === 'forbidden') return 'forbidden';
  // A webhook that supports no dry run makes it impossible, not the write wrong.
  const apiMessage = error.details.apiMessage;
  const lacksDryRun = typeof apiMessage === 'string' && /does not support dry run/.test(apiMessage);
  return isUnreachable(error) || lacksDryRun ? 'unavailable' : 'refused';
}
