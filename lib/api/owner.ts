import { z } from 'zod';
import { maskedText } from '@/lib/api/common';
import type { Immutable } from '@/lib/immutable';

/** What writes a workload from a description elsewhere, or controls it, and what that does to a rollback. */
export const ownerSchema = z.object({
  /** `Argo CD`, `Flux`, `Helm`, or the kind of a controlling owner. */
  tool: z.string(),
  /** What the name is there: `application`, `Kustomization`, `release`; empty where that says nothing more. */
  noun: z.string(),
  /** The object that describes the workload there, where a label or annotation names it. */
  name: maskedText.nullable(),
  /** What shows it: a label, an annotation, or a field manager. */
  evidence: maskedText,
  /**
   * Stable, for scripts, when it undoes a change: `seconds`, `nextCommit`, `manualSync`, `at`, `nextUpgrade`, `suspended`,
   * `unknown`, …; null where no rule tells.
   */
  when: z.string().nullable(),
  /** Its consequence for a rollback. */
  note: maskedText,
  /** How to keep a rollback. */
  advice: maskedText,
  /** A command line for that, ready to be copied. */
  command: maskedText.optional(),
  /** YAML for that, for what owns the owner. */
  manifest: maskedText.optional(),
});
export type OwnerItem = Immutable<z.infer<typeof ownerSchema>>;
