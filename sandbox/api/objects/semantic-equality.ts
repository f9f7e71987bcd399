import { type Field, type Struct } from '@/lib/diff/fields';
import { deepEqual, isJsonObject, type Json } from '@/lib/kube/json';
import { compareQuantities, parseQuantity } from '@/lib/kube/quantity';

/**
 * Whether two states of a struct mean the same: quantities compare as amounts in any notation.
 * https://pkg.go.dev/k8s.io/apimachinery/pkg/api/equality
 */
export function semanticallyEqual(
  struct: Struct | undefined,
  a: Json | undefined,
  b: Json | undefined,
): boolean {
  return same(struct === undefined ? undefined : { shape: 'struct', nullable: false, of: struct }, a, b);
}

function same(field: Field | undefined, a: Json | undefined, b: Json | undefined): boolean {
  if (deepEqual(a, b)) return true;
  switch (field?.shape) {
    case 'quantity':
      return sameAmount(a, b);
    case 'map':
      return field.of === 'quantity' && everyMember(a, b, () => ({ shape: 'quantity', nullable: false }));
    case 'struct':
      return everyMember(a, b, (key) => field.of.fields.get(key));
    case 'list': {
      const { of } = field;
      if (of === null || !Array.isArray(a) || !Array.isArray(b)) return false;
      return a.length === b.length && a.every((item, index) => semanticallyEqual(of, item, b[index]));
    }
    default:
      return false;
  }
}

function everyMember(
  a: Json | undefined,
  b: Json | undefined,
  fieldOf: (key: string) => Field | undefined,
): boolean {
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => same(fieldOf(key), a[key], b[key]));
}

function sameAmount(a: Json | undefined, b: Json | undefined): boolean {
  const [left, right] = [amountOf(a), amountOf(b)];
  return left !== undefined && right !== undefined && compareQuantities(left, right) === 0;
}

function amountOf(value: Json | undefined): ReturnType<typeof parseQuantity> {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
}
