import { deepEqual, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { PlanResult } from '@/lib/workloads/kind';
import type { JsonPatchOperation } from '@/lib/workloads/plan';

/** Applies a JSON patch to a copy, as the API server does; throws where the server answers 422. */
export function applyPatch(object: JsonObject, patch: readonly JsonPatchOperation[]): JsonObject {
  const copy = copyOf(object);
  for (const operation of patch) applyOperation(copy, operation);
  return copy;
}

function applyOperation(root: JsonObject, operation: JsonPatchOperation): void {
  const names = operation.path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.pop() ?? '';
  const parent = names.reduce<Json | undefined>(
    (value, name) => (isParent(value) ? value[name] : undefined),
    root,
  );
  if (!isParent(parent)) throw new Error(`${operation.path} has no parent`);
  const current = parent[last];
  switch (operation.op) {
    case 'test':
      // The server accepts null for a missing member.
      if (!deepEqual(current ?? null, operation.value)) throw new Error(`${operation.path} differs`);
      return;
    case 'add':
      parent[last] = copyOf(operation.value);
      return;
    case 'replace':
      if (current === undefined) throw new Error(`${operation.path} is missing`);
      parent[last] = copyOf(operation.value);
      return;
    case 'remove':
      if (current === undefined) throw new Error(`${operation.path} is missing`);
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else delete parent[last];
  }
}

/** The indexes of a list are its members. */
function isParent(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) || Array.isArray(value);
}

/** Unlike a structured clone it keeps integers that no double can represent. */
function copyOf<Value extends Json>(value: Value): Value {
  if (Array.isArray(value)) return value.map(copyOf) as Json as Value;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, member === undefined ? member : copyOf(member)]),
  ) as Json as Value;
}

export interface PlannedScenario {
  planned: PlanResult;
  workload: KubeObject;
  /** Codes of the findings of a severity. */
  codes(severity: 'refusal' | 'warning' | 'info'): string[];
  message(code: string): string | undefined;
  /** The object as the API server would store it. */
  written(): JsonObject;
  steps: readonly string[];
}

export function plannedScenario(planned: PlanResult, workload: KubeObject): PlannedScenario {
  return {
    planned,
    workload,
    codes: (severity) =>
      planned.findings.flatMap((finding) => (finding.severity === severity ? [finding.code] : [])),
    message: (code) => planned.findings.find((finding) => finding.code === code)?.message,
    written() {
      if (planned.plan?.write.kind !== 'patch') throw new Error('refused');
      return applyPatch(workload as unknown as JsonObject, planned.plan.write.patch);
    },
    steps: planned.plan?.steps ?? [],
  };
}
