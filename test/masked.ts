import type { Masked } from '@/lib/masked';

/** A value that holds no credential, or is masked already, as the gate would return it. */
export function masked<Value>(value: Value): Masked<Value> {
  return value as Masked<Value>;
}
