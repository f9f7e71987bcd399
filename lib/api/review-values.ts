export const verdicts = ['good', 'bad', 'followUp'] as const;

/** Characters of one comment: some five pages. */
export const COMMENT_CHARS_MAX = 10_000;

/** Records that one request can give a verdict: as many as fit the limit of its body. */
export const VERDICTS_MAX = 500;

/**
 * Which outcomes a team reviews. `failed`: failed, rolled back or later reverted. `rollbacks`: rolled back or
 * later reverted.
 */
export const reviewScopes = ['all', 'failed', 'rollbacks'] as const;

/** What the figures of a report are grouped by. */
export const reportGroupings = ['namespace', 'team', 'cluster', 'stage'] as const;
