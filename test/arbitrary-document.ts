import fc from 'fast-check';
import type { z } from 'zod';

/** Any value that a schema allows, as JSON can hold it: an optional member is there or absent. */
export function arbitraryOf<Schema extends z.core.$ZodType>(
  schema: Schema,
): fc.Arbitrary<z.core.output<Schema> & z.core.input<Schema>> {
  return arbitrary(schema) as fc.Arbitrary<z.core.output<Schema> & z.core.input<Schema>>;
}

function arbitrary(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return fc.string({ unit: 'binary', maxLength: 12 });
    case 'number':
      return fc.integer({ min: 1 });
    case 'boolean':
      return fc.boolean();
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'nullable':
      return fc.option(arbitrary(def.innerType));
    case 'optional':
      return arbitrary(def.innerType);
    case 'array':
      return fc.array(arbitrary(def.element), { maxLength: 3 });
    case 'tuple':
      return fc.tuple(...def.items.map(arbitrary));
    case 'union':
      return fc.oneof(...def.options.map(arbitrary));
    case 'record':
      return fc.dictionary(fc.string({ minLength: 1 }).filter(isOrdinary), arbitrary(def.valueType), {
        maxKeys: 3,
        noNullPrototype: true,
      });
    case 'object':
      return objectOf(def.shape);
    default:
      throw new Error(`no values for a schema of ${def.type}`);
  }
}

function objectOf(shape: z.core.$ZodShape): fc.Arbitrary<unknown> {
  const members = Object.entries(shape);
  return fc.record(Object.fromEntries(members.map(([name, schema]) => [name, arbitrary(schema)])), {
    requiredKeys: members.filter(([, { _zod }]) => _zod.def.type !== 'optional').map(([name]) => name),
    noNullPrototype: true,
  });
}

/** Not a name that every object has. */
function isOrdinary(name: string): boolean {
  return !(name in {});
}
