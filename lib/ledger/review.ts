/** Characters of one comment: some five pages. */
export const COMMENT_CHARS_MAX = 10_000;

/** Who gave a verdict, wrote a comment or rewrote it. */
export interface Author {
  /** The name that people know; two people may have the same one. */
  by: string;
  /** Tells who may rewrite it. Documents of earlier versions lack it. */
  byId?: string | undefined;
}

/** What a team thinks of a rollout. */
export interface Verdict extends Author {
  verdict: 'good' | 'bad' | 'followUp';
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

export interface Comment extends Author {
  id: string;
  recordId: string;
  at: string;
  /** Markdown, as it was written; sanitised where it is shown. */
  body: string;
  /** Path of the change of the record's diff on which it hangs; null for the record as a whole. */
  path: string | null;
  /** Id of the comment that it answers. */
  answers: string | null;
  /** Earlier texts, oldest first, each with who replaced it and when. */
  edits: readonly (Author & { at: string; body: string })[];
}

/** Names are told apart by nothing, so they decide only where nothing else was kept. */
export function isAuthor({ by, byId }: Author, viewer: { id: string; name: string }): boolean {
  return byId === undefined ? by === viewer.name : byId === viewer.id;
}
