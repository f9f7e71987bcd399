import 'server-only';
import { type Diff } from '@/lib/api/diff';
import { type JsonObject } from '@/lib/kube/json';
import { type Present } from '@/server/actions/present';
import { type Keys } from '@/server/keys';
import { maskedDiff } from '@/server/mask';
import { diffAnswer } from '@/server/reads/diff-answer';

export type DiffSide = Diff['to'];

/** From what is there now to what will be there, masked. */
export function diffOf(keys: Keys, { template, history }: Present, after: JsonObject, to: DiffSide): Diff {
  const { target } = history;
  return {
    ...diffAnswer(maskedDiff(keys, template, after)),
    from: { label: 'now', ref: 'live', revisionId: target?.id ?? null, number: target?.number ?? null },
    to,
    yaml: null,
  };
}
