import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { requestedPlanSchema } from '@/lib/api/actions';
import { severities } from '@/lib/api/action-values';
import { AppError } from '@/lib/errors';
import type { Json } from '@/lib/kube/json';
import type { Sliced } from '@/lib/kube/slices';
import type { Finding, JsonPatchOperation, Plan, PlannedWrite } from '@/lib/workloads/plan';
import type { RollbackTarget } from '@/lib/workloads/rollback-target';
import type { ActionsContext } from '@/server/actions/context';
import type { DryRun } from '@/server/actions/dry-run';
import type { ActionResponse, DiffResponse, Proposal } from '@/server/actions/strategy';
import { namesOf } from '@/lib/workloads/patch';
import { inSlices } from '@/server/shared/in-slices';
import type { Mask } from '@/server/shared/mask';

interface Checked {
  plan: Plan | null;
  findings: readonly Finding[];
  diff: DiffResponse | null;
  dryRun: DryRun | null;
  usualDurationMs?: number | null | undefined;
}

/** A text without what the viewer can't see. */
type Hide = <T extends string | null>(text: T) => T;

/** A checked proposal for display, masked: the API server's words may quote the request. */
export async function responseOf(
  { keys: { mask }, now }: Pick<ActionsContext, 'keys' | 'now'>,
  { to }: Pick<Proposal, 'to'>,
  { plan, findings, diff, dryRun, usualDurationMs }: Checked,
  hide: Hide,
): Promise<ActionResponse> {
  const isTried = dryRun !== null && dryRun.outcome !== 'unavailable';
  const verdict = dryRun === null || dryRun.outcome === 'accepted' ? 'accepted' : dryRun.error.message;
  return {
    plan: plan === null ? null : await planOf(plan, mask, hide),
    ...(usualDurationMs !== undefined && { usualDurationMs }),
    // Rejections first.
    findings: findings
      .map(({ command, manifest, ...each }) => ({
        ...each,
        message: mask.text(hide(each.message)),
        action: mask.text(hide(each.action)),
        ...(command !== undefined && { command: mask.text(hide(command)) }),
        ...(manifest !== undefined && { manifest: mask.text(hide(manifest)) }),
      }))
      .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity)),
    diff,
    applied: false,
    result: null,
    toSeen: to?.seen ?? null,
    dryRun: isTried
      ? {
          accepted: dryRun.outcome === 'accepted',
          message: mask.text(hide(verdict)),
          at: new Date(now()).toISOString(),
        }
      : null,
    revision: to === undefined ? null : revisionOf(to.target),
  };
}

export function isRefused(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'refusal');
}

/** The rejection that a response amounts to, with all its details. */
export function refusalOf(response: ActionResponse, seen: string): AppError {
  const { findings, plan, diff, toSeen, dryRun } = response;
  const reasons = findings.filter(({ severity }) => severity === 'refusal').map(({ message }) => message);
  const details = { findings, plan, diff, toSeen, dryRun, seen };
  return new AppError('refused', `${reasons.join(' ')} Nothing was applied.`, details);
}

function revisionOf({ id, number, origin }: RollbackTarget): ActionResponse['revision'] {
  const { prunedAt, recordedAt } = origin.kind === 'cluster' ? { prunedAt: null, recordedAt: null } : origin;
  return { id, number, origin: origin.kind, prunedAt, recordedAt };
}

/** The request with its masked body. */
async function planOf(plan: Plan, mask: Mask, hide: Hide): Promise<Answer<typeof requestedPlanSchema>> {
  const { action, title, steps, stays, kubectl, capacity, write, then } = plan;
  return {
    action,
    title: mask.text(hide(title)),
    steps: steps.map((text) => mask.text(hide(text))),
    stays: stays.map((text) => mask.text(hide(text))),
    kubectl: mask.text(hide(kubectl)),
    ...(capacity && {
      capacity: { ...capacity, phrases: capacity.phrases.map((text) => mask.text(hide(text))) },
    }),
    request: await inSlices(requestOf(write, mask)),
    ...(then && { then: await inSlices(requestOf(then.write, mask)) }),
  };
}

function* requestOf(write: PlannedWrite, mask: Mask): Sliced<Answer<typeof requestedPlanSchema>['request']> {
  const { path } = write;
  switch (write.kind) {
    case 'patch': {
      const body: JsonPatchOperation[] = [];
      for (const operation of write.patch) {
        if (operation.op === 'remove') body.push(operation);
        else body.push({ ...operation, value: yield* maskAt(operation.path, operation.value, mask) });
      }
      return { method: 'PATCH', path, body };
    }
    case 'merge':
      return { method: 'PATCH', path, body: yield* mask.jsonInSlices(write.body) };
    case 'delete':
      return { method: 'DELETE', path, body: { preconditions: write.preconditions } };
    default:
      return write satisfies never;
  }
}

/** A value is masked by the name of the member that it is written to. */
function* maskAt(path: string, value: Json, mask: Mask): Sliced<Json> {
  const name = namesOf(path).at(-1) ?? '';
  if (typeof value === 'string') return mask.annotations({ [name]: value })[name] ?? null;
  return yield* mask.jsonInSlices(value);
}
