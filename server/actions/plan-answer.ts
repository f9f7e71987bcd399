import 'server-only';
import { type z } from 'zod';
import { type FindingItem, type planSchema } from '@/lib/api/actions';
import { type Json } from '@/lib/kube/json';
import { type Sliced } from '@/lib/kube/slices';
import {
  type Finding,
  type JsonPatchOperation,
  type Plan,
  type PlannedWrite,
  severities,
} from '@/lib/workloads/plan';
import { namesOf } from '@/server/actions/write';
import { type Keys } from '@/server/shared/keys';
import { inSlices } from '@/server/shared/in-slices';
import { maskAnnotations, maskJsonInPieces, maskText } from '@/server/shared/mask';

type MaskingKeys = Pick<Keys, 'marker'>;

/** The plan for display: the request with its masked body. */
export async function planAnswer(plan: Plan, keys: MaskingKeys): Promise<z.infer<typeof planSchema>> {
  const { action, title, steps, stays, kubectl, write, then } = plan;
  const masked = (texts: readonly string[]) => texts.map((text) => maskText(text, keys));
  return {
    action,
    title: maskText(title, keys),
    steps: masked(steps),
    stays: masked(stays),
    kubectl: maskText(kubectl, keys),
    request: await inSlices(requestAnswer(write, keys)),
    ...(then && { then: await inSlices(requestAnswer(then.write, keys)) }),
  };
}

function* requestAnswer(
  write: PlannedWrite,
  keys: MaskingKeys,
): Sliced<z.infer<typeof planSchema>['request']> {
  const { path } = write;
  switch (write.kind) {
    case 'patch': {
      const body: JsonPatchOperation[] = [];
      for (const operation of write.patch) body.push(yield* maskOperation(operation, keys));
      return { method: 'PATCH', path, body };
    }
    case 'merge':
      return { method: 'PATCH', path, body: yield* maskJsonInPieces(write.body, keys) };
    case 'delete':
      return { method: 'DELETE', path, body: { preconditions: write.preconditions } };
    default:
      return write satisfies never;
  }
}

/** Rejections first; the API server's words may quote the request. */
export function findingsAnswer(findings: readonly Finding[], keys: MaskingKeys): FindingItem[] {
  return findings
    .map((finding) => ({
      ...finding,
      message: maskText(finding.message, keys),
      action: finding.action === null ? null : maskText(finding.action, keys),
    }))
    .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}

function* maskOperation(operation: JsonPatchOperation, keys: MaskingKeys): Sliced<JsonPatchOperation> {
  if (operation.op === 'remove') return operation;
  return { ...operation, value: yield* maskAt(operation.path, operation.value, keys) };
}

/** A value is masked by the name of the member that it is written to. */
function* maskAt(path: string, value: Json, keys: MaskingKeys): Sliced<Json> {
  const name = namesOf(path).at(-1) ?? '';
  if (typeof value === 'string') return maskAnnotations({ [name]: value }, keys)[name] ?? null;
  return yield* maskJsonInPieces(value, keys);
}
