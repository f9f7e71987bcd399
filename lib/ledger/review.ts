/** Characters of one comment: some five pages. */
export const COMMENT_CHARS_MAX = 10_000;

/** What a team thinks of a rollout. */
export interface Verdict {
  verdict: 'good' | 'bad' | 'followUp';
  by: string;
  at: string;
  /** Who follows up, and by which day (`2026-01-31`); only with `followUp`. */
  followUp: { person: string; due: string } | null;
}

/** The standing verdict; a newer one replaces it, and `history` keeps those before. */
export interface Review extends Verdict {
  /** Counts from 1. */
  version: number;
  history: readonly Verdict[];
}

export interface Comment {
  id: string;
  recordId: string;
  by: string;
  at: string;
  /** Markdown, as it was written; sanitised where it is shown. */
  body: string;
  /** Path of the change of the record's diff on which it hangs; null for the record as a whole. */
  path: string | null;
  /** Id of the comment that it answers. */
  answers: string | null;
  /** Earlier texts, oldest first, each with who replaced it and when. */
  edits: readonly { at: string; by: string; body: string }[];
}
