import { resolveAmount } from '@/lib/kube/amount';
import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import type { IntOrString } from '@/sandbox/controllers/objects/workloads';

/**
 * The omissions of Go when it encodes a status: zeros, empty text and empty lists of members with omitempty.
 * `kept` are the members that are written all the same.
 */
export function withoutZeros<T extends JsonObject>(status: T, kept: readonly (keyof T)[]): T {
  const entries = Object.entries(status).filter(
    ([key, value]) => (kept.includes(key) && value !== undefined) || !isZero(value),
  );
  return Object.fromEntries(entries) as T;
}

function isZero(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === 0 || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Sum of a number of each item. */
export function sumOf<T>(items: Iterable<T>, valueOf: (item: T) => number | undefined): number {
  let sum = 0;
  for (const item of items) sum += valueOf(item) ?? 0;
  return sum;
}

/**
 * How many of `total` pods keep their revision. A percentage below 100% leaves at least one pod to update.
 * https://github.com/openkruise/kruise/blob/master/pkg/util/tools.go (CalculatePartitionReplicas)
 */
export function countKept(partition: IntOrString | null | undefined, total: number): number {
  const kept = Math.min(total, resolveAmount(partition ?? 0, total, Math.ceil));
  const isPart = typeof partition === 'string' && partition !== '100%';
  return isPart && total > 1 ? Math.min(kept, total - 1) : kept;
}
