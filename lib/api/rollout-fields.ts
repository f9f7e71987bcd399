import { z } from 'zod';
import { maskedText } from '@/lib/api/common';
import { rolloutStyles } from '@/lib/api/rollout-values';
import type { Immutable } from '@/lib/immutable';

export const rolloutStyleSchema = z.enum(rolloutStyles);

export const trafficSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('weight'), percent: z.number() }),
  z.object({ kind: z.literal('matches'), rules: z.array(maskedText) }),
]);
export type Traffic = Immutable<z.infer<typeof trafficSchema>>;

export const stepPauseSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('approval') }),
  z.object({ kind: z.literal('time'), seconds: z.number() }),
]);
export type StepPause = Immutable<z.infer<typeof stepPauseSchema>>;
