/** Characters of one comment: some five pages. */
export const COMMENT_CHARS_MAX = 10_000;

/** Who gave a verdict, wrote a comment or rewrote it. */
export interface Author {
  /** The display name; two people may have the same one. */
  by: string;
  /** Decides who may rewrite it. Documents of earlier versions lack it. */
  byId?: string | undefined;
}

/** A team's verdict on a rollout. */
export interface Verdict extends Author {
  verdict: 'good' | 'bad' | 'followUp';
  at: string;
  /** Who follows up, and by which day (`2026-01-31`); only with `followUp`. */
  followUp: { person: string; due: string } | null;
}

/** The current verdict; a newer one replaces it, and `history` keeps the earlier ones. */
export interface Review extends Verdict {
  /** Counts from 1. */
  version: number;
  history: readonly Verdict[];
}

export interface ReviewComment extends Author {
  id: string;
  recordId: string;
  at: string;
  /** Markdown, as it was written; sanitized on display. */
  body: string;
  /** Path of the change of the record's diff that it belongs to; null for the record itself. */
  path: string | null;
  /** Id of the comment that it answers. */
  answers: string | null;
  /** Earlier texts, oldest first, each with who replaced it and when. */
  edits: readonly (Author & { at: string; body: string })[];
}

/** Names are not unique, so they decide only where nothing else was saved. */
export function isAuthor({ by, byId }: Author, viewer: { id: string; name: string }): boolean {
  return byId === undefined ? by === viewer.name : byId === viewer.id;
}
