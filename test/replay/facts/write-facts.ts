import { isJsonObject, type Json } from '@/lib/kube/json';
import type { Finding, JsonPatchOperation, Plan, PlannedWrite } from '@/lib/workloads/plan';
import { shortValue } from '@/test/replay/facts/facts';

/** A larger object is a template. */
const BODY_CHARS_MAX = 200;

/** Codes of the product that the golden files know by another name. */
const GOLDEN_CODES: ReadonlyMap<string, string> = new Map([
  ['ends_rollout', 'ends_release'],
  ['continues_rollout', 'continues_release'],
]);

/** Names of values that say more than their hash, by the JSON of the value. */
export type KnownValues = ReadonlyMap<string, string>;

export function knownValues(
  values: readonly (readonly [name: string, value: Json])[],
  others?: KnownValues,
): KnownValues {
  return new Map([
    ...values.map(([name, value]) => [JSON.stringify(value), name] as const),
    ...(others ?? []),
  ]);
}

/** `codes → writes`; an action that is refused has no writes. */
export function describePlan(
  { plan, findings }: { plan: Plan | null; findings: readonly Finding[] },
  known: KnownValues,
): string {
  const codes = findings.map(
    ({ severity, code }) => `${severity === 'refusal' ? '!' : ''}${GOLDEN_CODES.get(code) ?? code}`,
  );
  if (plan === null) return codes.join(' ');
  const writes = [plan, ...(plan.then === undefined ? [] : [plan.then])];
  const written = writes.map(({ write, needs }) => {
    const { verb, resource, subresource } = needs;
    return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`} by ${describeWrite(write, known)}`;
  });
  const { capacity } = plan;
  const effect = capacity === undefined ? [] : [`replaces ${capacity.replaced} serving ${capacity.serving}`];
  return [...codes, '→', written.join(' then '), ...effect].join(' ');
}

function describeWrite(write: PlannedWrite, known: KnownValues): string {
  const path = write.path.replace(/\/namespaces\/[^/]+/, '').replace(/^\/apis?\//, '');
  switch (write.kind) {
    case 'patch':
      return `${path} ${write.patch.map((operation) => describeOperation(operation, known)).join(', ')}`;
    case 'merge':
      return `${path}${write.elsePath === undefined ? '' : ' or else'} ${describeValue(write.body, known)}`;
    case 'delete':
      return `${path} if ${describeValue(write.preconditions, known)}`;
  }
}

function describeOperation(operation: JsonPatchOperation, known: KnownValues): string {
  const { op, path } = operation;
  return op === 'remove' ? `remove ${path}` : `${op} ${path} ${describeValue(operation.value, known)}`;
}

/** Members of members too, so that a difference is readable: a long value alone is a hash. */
function describeValue(value: Json, known: KnownValues): string {
  const text = JSON.stringify(value);
  const name = known.get(text);
  if (name !== undefined) return name;
  if (!isJsonObject(value) || text.length > BODY_CHARS_MAX) return shortValue(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${key}: ${describeValue(member ?? null, known)}`)
    .join(', ')}}`;
}
