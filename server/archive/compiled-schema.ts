import 'server-only';
import { z } from 'zod';

const known = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/**
 * The same schema with objects that zod compiles at their first use. Those of `zod/mini`, of which lib/api is made,
 * check member by member, and reading a record took twice the time.
 */
export function compiledSchema<Output>(schema: z.core.$ZodType<Output>): z.core.$ZodType<Output> {
  const compiled = known.get(schema) ?? compile(schema);
  known.set(schema, compiled);
  return compiled as z.core.$ZodType<Output>;
}

function compile(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object': {
      const members = Object.entries(def.shape).map(([name, member]) => [name, compiledSchema(member)]);
      return new z.core.$ZodObjectJIT({ ...def, shape: Object.fromEntries(members) as z.core.$ZodShape });
    }
    case 'array':
      return new z.core.$ZodArray({ ...def, element: compiledSchema(def.element) });
    case 'nullable':
      return new z.core.$ZodNullable({ ...def, innerType: compiledSchema(def.innerType) });
    case 'optional':
      return new z.core.$ZodOptional({ ...def, innerType: compiledSchema(def.innerType) });
    case 'pipe':
      return new z.core.$ZodPipe({ ...def, in: compiledSchema(def.in), out: compiledSchema(def.out) });
    default:
      return schema;
  }
}
