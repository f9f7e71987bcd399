import { isRawNumber, type Json, type JsonObject, setMember } from '@/lib/kube/json';

/** A deep copy that may be changed; numbers kept as text stay so, unlike with `structuredClone`. */
export function copyJson<T extends Json>(value: T): T {
  return copy(value) as T;
}

function copy(value: Json): Json {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (Array.isArray(value)) return value.map(copy);
  const result: JsonObject = {};
  for (const key in value) {
    const member = value[key];
    if (member !== undefined) setMember(result, key, copy(member));
  }
  return result;
}
