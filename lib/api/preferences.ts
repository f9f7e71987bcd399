import { z } from 'zod';
import { maskedText } from '@/lib/api/common';
import type { Immutable } from '@/lib/immutable';
import { VIEW_NAME_CHARS_MAX, VIEWS_MAX } from '@/lib/api/preference-values';

const FILTERS_MAX = 20;
const FILTER_CHARS_MAX = 1_000;
const FIRST_MAX = 100;

const viewSchema = z.strictObject({
  name: z.string().trim().min(1).max(VIEW_NAME_CHARS_MAX),
  /** By the names of the address of Workloads. */
  filters: z
    .record(z.string().min(1).max(40), z.string().max(FILTER_CHARS_MAX))
    .refine((filters) => Object.keys(filters).length <= FILTERS_MAX, `At most ${FILTERS_MAX} filters.`),
});

const namesSchema = z.array(z.string().min(1).max(253)).max(FIRST_MAX);

const members = {
  views: z.array(viewSchema).max(VIEWS_MAX),
  /** Name of the view that Workloads opens with; null: all workloads. */
  initial: z.string().nullable(),
  /** Names of namespaces and clusters that are listed before the others. */
  first: z.strictObject({ namespaces: namesSchema, clusters: namesSchema }),
};

/** A view as it is stored and shown. */
const savedViewSchema = z.object({ name: maskedText, filters: z.record(z.string(), maskedText) });

/** What a person has set for themselves, in whichever browser. */
export const preferencesSchema = z.object({
  ...members,
  views: z.array(savedViewSchema),
  /** How often they have been changed; 0: never. */
  version: z.int(),
});

/** All of them; `ifVersion` is the version that was changed. */
export const preferencesRequestSchema = z
  .strictObject({ ...members, ifVersion: z.int().nonnegative() })
  .refine(({ views }) => new Set(views.map(({ name }) => name)).size === views.length, {
    path: ['views'],
    message: 'Two views have one name.',
  });

export type Preferences = Immutable<z.output<typeof preferencesSchema>>;
