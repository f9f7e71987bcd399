import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type findingSchema, type requestedPlanSchema } from '@/lib/api/actions';
import { type Json } from '@/lib/kube/json';
import { type Sliced } from '@/lib/kube/slices';
import { type Finding, type JsonPatchOperation, type Plan, type PlannedWrite } from '@/lib/workloads/plan';
import { severities } from '@/lib/api/action-values';
import { namesOf } from '@/server/actions/write';
import { type Mask } from '@/server/shared/mask';
import { inSlices } from '@/server/shared/in-slices';

/** The plan for display: the request with its masked body. */
export async function planAnswer(plan: Plan, mask: Mask): Promise<Answer<typeof requestedPlanSchema>> {
  const { action, title, steps, stays, kubectl, write, then } = plan;
  const masked = (texts: readonly string[]) => texts.map((text) => mask.text(text));
  return {
    action,
    title: mask.text(title),
    steps: masked(steps),
    stays: masked(stays),
    kubectl: mask.text(kubectl),
    request: await inSlices(requestAnswer(write, mask)),
    ...(then && { then: await inSlices(requestAnswer(then.write, mask)) }),
  };
}

function* requestAnswer(
  write: PlannedWrite,
  mask: Mask,
): Sliced<Answer<typeof requestedPlanSchema>['request']> {
  const { path } = write;
  switch (write.kind) {
    case 'patch': {
      const body: JsonPatchOperation[] = [];
      for (const operation of write.patch) body.push(yield* maskOperation(operation, mask));
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

/** Rejections first; the API server's words may quote the request. */
export function findingsAnswer(findings: readonly Finding[], mask: Mask): Answer<typeof findingSchema>[] {
  return findings
    .map((finding) => ({
      ...finding,
      message: mask.text(finding.message),
      action: mask.text(finding.action),
    }))
    .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}

function* maskOperation(operation: JsonPatchOperation, mask: Mask): Sliced<JsonPatchOperation> {
  if (operation.op === 'remove') return operation;
  return { ...operation, value: yield* maskAt(operation.path, operation.value, mask) };
}

/** A value is masked by the name of the member that it is written to. */
function* maskAt(path: string, value: Json, mask: Mask): Sliced<Json> {
  const name = namesOf(path).at(-1) ?? '';
  if (typeof value === 'string') return mask.annotations({ [name]: value })[name] ?? null;
  return yield* mask.jsonInSlices(value);
}
