import type { z } from 'zod';
import type { Immutable } from '@/lib/immutable';

/**
 * An answer from what is stored: a copy with the members that the schema of the answer names, at any depth.
 * Nothing is checked, and lists and texts in which everything is named are the same ones.
 */
export function namedMembers<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: Immutable<z.core.input<Schema>>,
): Immutable<z.core.input<Schema>> {
  return copyBy(schema)(value) as Immutable<z.core.input<Schema>>;
}

type Copy = (value: unknown) => unknown;

const asItIs: Copy = (value) => value;
const knownCopies = new WeakMap<z.core.$ZodType, Copy>();

function copyBy(schema: z.core.$ZodType): Copy {
  const copy = knownCopies.get(schema) ?? createCopy(schema);
  knownCopies.set(schema, copy);
  return copy;
}

function createCopy(schema: z.core.$ZodType): Copy {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return copyObject(def.shape);
    case 'array': {
      const copy = copyBy(def.element);
      return copy === asItIs ? asItIs : (value) => (value as readonly unknown[]).map(copy);
    }
    case 'nullable':
    case 'optional': {
      const copy = copyBy(def.innerType);
      return copy === asItIs ? asItIs : (value) => (value == null ? value : copy(value));
    }
    case 'union':
      return 'discriminator' in def ? copyVariant(def as z.core.$ZodDiscriminatedUnionDef) : asItIs;
    default:
      return asItIs;
  }
}

function copyObject(shape: z.core.$ZodShape): Copy {
  const members = Object.entries(shape).map(([name, schema]) => [name, copyBy(schema)] as const);
  return (value) => {
    const copied: Record<string, unknown> = {};
    for (const [name, copy] of members) {
      const member = (value as Record<string, unknown>)[name];
      if (member !== undefined) copied[name] = copy(member);
    }
    return copied;
  };
}

/** By the member that tells the variants apart. */
function copyVariant({ discriminator, options }: z.core.$ZodDiscriminatedUnionDef): Copy {
  const variants = new Map<unknown, Copy>();
  for (const option of options) {
    for (const value of option._zod.propValues?.[discriminator] ?? []) variants.set(value, copyBy(option));
  }
  return (value) => variants.get((value as Record<string, unknown>)[discriminator])?.(value);
}
