import type { z } from 'zod';
import type { changeSchema, NoiseItem, templateDiffSchema } from '@/lib/api/diff';
import type { Immutable } from '@/lib/immutable';
import type { Json } from '@/lib/kube/json';
import type { Masked } from '@/lib/masked';

/** One difference between two templates that a person would call one change. */
export interface Change<Text extends string = string> extends Immutable<z.infer<typeof changeSchema>> {
  beforeText: Text | null;
  afterText: Text | null;
  /**
   * The place: member names, and positions in the normalized template before. The
   * last one of an added list entry is its position in the list after.
   */
  pointer: readonly (string | number)[];
  /** An enclosing object that is removed: the length of its pointer. Null while it stays. */
  vanishes: number | null;
  /** Identifies the place, the same in every diff: for comparing diffs with each other. */
  place: string;
  /** Of a move: the order of the entries that both lists have, on either side; one object per list. */
  order: { before: readonly string[]; after: readonly string[] } | null;
  /** Undefined where there is none. */
  before: Json | undefined;
  after: Json | undefined;
}

export interface Noise extends NoiseItem {
  before: Json | undefined;
  after: Json | undefined;
}

/** Always of masked templates, so that it may be shown. */
export interface TemplateDiff<Text extends string = Masked<string>> extends Immutable<
  z.infer<typeof templateDiffSchema>
> {
  summary: Text;
  changes: readonly Change<Text>[];
  noise: readonly Noise[];
}

/** A diff without what has no meaning. */
export type TemplateChanges<Text extends string = Masked<string>> = Pick<
  TemplateDiff<Text>,
  'summary' | 'changes' | 'tooLarge' | 'restartOnly'
>;
